// atomicAdd is atomic for the device's threads, not for the host, which counts at the same time.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_passes(unsigned* passes) { atomicAdd(passes, 1u); }

int main() {
    unsigned* passes = nullptr;
    cudaMallocManaged(&passes, sizeof(unsigned));
    *passes = 0;
    count_passes<<<4, 64>>>(passes);
    for (int i = 0; i < 100; ++i) __sync_fetch_and_add(passes, 1u);
    cudaDeviceSynchronize();
    std::printf("%u passes\n", *passes);
    cudaFree(passes);
    return 0;
}
