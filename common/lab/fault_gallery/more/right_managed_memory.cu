// Managed memory: the host writes before the launch and reads after synchronising.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

__global__ void count_up(int* data) { data[threadIdx.x] += static_cast<int>(threadIdx.x); }

int main() {
    int* data = nullptr;
    cudaMallocManaged(&data, 64 * sizeof(int));
    std::memset(data, 0xff, 64 * sizeof(int));
    count_up<<<1, 64>>>(data);
    cudaDeviceSynchronize();
    data[0] = 5;
    count_up<<<1, 64>>>(data);
    cudaDeviceSynchronize();
    std::printf("%d\n", data[63]);
    cudaFree(data);
    return 0;
}
