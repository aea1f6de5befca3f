// One thread sets the first value of a minimum that all blocks change.
#include <cuda_runtime.h>

#include <climits>
#include <cstdio>

__global__ void smallest_of_all(const int* in, int* lowest, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) *lowest = INT_MAX;
    __syncthreads();
    if (i < n) atomicMin(lowest, in[i]);
}

int main() {
    int h[512], r;
    for (int i = 0; i < 512; ++i) h[i] = 600 - i;
    int *d, *c;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&c, 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    smallest_of_all<<<4, 128>>>(d, c, 512);
    cudaMemcpy(&r, c, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", r);
    cudaFree(d);
    cudaFree(c);
    return 0;
}
