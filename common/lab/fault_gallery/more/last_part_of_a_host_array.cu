// Parts of 300 items out of a host's array of 1000: the last one goes past its end.
#include <cuda_runtime.h>

__global__ void count_even(const int* part, int n, int* found) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && part[i] % 2 == 0) atomicAdd(found, 1);
}

static int readings[1000];

int main() {
    const int part = 300;
    int *d_part = nullptr, *d_found = nullptr;
    cudaMalloc(&d_part, part * sizeof(int));
    cudaMalloc(&d_found, sizeof(int));
    cudaMemset(d_found, 0, sizeof(int));
    for (int begin = 0; begin < 1000; begin += part) {
        cudaMemcpy(d_part, readings + begin, part * sizeof(int), cudaMemcpyHostToDevice);
        count_even<<<3, 128>>>(d_part, part, d_found);
    }
    cudaDeviceSynchronize();
    cudaFree(d_part);
    cudaFree(d_found);
    return 0;
}
