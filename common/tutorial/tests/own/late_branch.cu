// Only the second block takes the path around the line with the store. So the first block's lanes
// seem to reconverge before that line, until the lab has learnt better.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void late_kernel(int* out, int rounds) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (i % 2 != 0) {
            sum += 1;
        } else {
            if (i >= 32 && round == 3) continue;
            sum += 2;
        }
        out[i] = sum;
    }
}

int main() {
    std::puts("printed once");
    int* d_out = nullptr;
    cudaMalloc(&d_out, 64 * sizeof(int));
    late_kernel<<<2, 32>>>(d_out, 4);
    cudaFree(d_out);
}
