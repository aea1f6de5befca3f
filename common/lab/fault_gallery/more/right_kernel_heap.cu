// Right: each thread allocates memory in the kernel and frees it, and others get it later.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void digits_of_heap(int* out) {
    int* const mine = static_cast<int*>(malloc(4 * sizeof(int)));
    if (mine == nullptr) return;
    for (int i = 0; i < 4; ++i) mine[i] = static_cast<int>(threadIdx.x) * i;
    out[threadIdx.x] = mine[3];
    free(mine);
    int* const more = new int[2];
    more[1] = out[threadIdx.x];
    out[threadIdx.x] = more[1] + 1;
    delete[] more;
}

int main() {
    int sum = 0, out[64];
    int* d_out = nullptr;
    cudaMalloc(&d_out, sizeof out);
    digits_of_heap<<<1, 64>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (int each : out) sum += each;
    std::printf("%d\n", sum);
    cudaFree(d_out);
    return 0;
}
