// The host reads managed memory while the kernel may still run.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void add_one(int* data) { data[threadIdx.x] += 1; }

int main() {
    int* data = nullptr;
    cudaMallocManaged(&data, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) data[i] = i;
    add_one<<<1, 64>>>(data);
    std::printf("%d\n", data[63]);
    cudaDeviceSynchronize();
    cudaFree(data);
    return 0;
}
