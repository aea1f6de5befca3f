// The vector has memory for the results, but no items: reserve() makes none
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void cubes(int* out) {
    const int i = static_cast<int>(threadIdx.x);
    out[i] = i * i * i;
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 64 * sizeof(int));
    cubes<<<1, 64>>>(out);
    std::vector<int> results;
    results.reserve(64);
    cudaMemcpy(results.data(), out, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%zu results\n", results.size());
    cudaFree(out);
    return 0;
}
