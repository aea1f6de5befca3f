// Right: memory from new is deleted beside CUDA's, which has deleters of its own.
#include <cuda_runtime.h>
#include <cstdio>
#include <memory>
#include <vector>

__global__ void count_up_owned(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }

struct CudaDeleter {
    void operator()(int* items) const { cudaFree(items); }
};

int main() {
    for (int round = 0; round < 4; ++round) {
        int *items = nullptr, *pinned = nullptr;
        cudaMallocManaged(&items, 64 * sizeof(int));
        cudaMallocHost(&pinned, 64 * sizeof(int));
        const std::unique_ptr<int, CudaDeleter> owner(items);
        const std::shared_ptr<int> other(pinned, [](int* each) { cudaFreeHost(each); });
        // Large enough for the C library to map each apart, perhaps between CUDA's.
        auto* const large = new double[100000 << round];
        std::vector<int> copies(200000, round);
        count_up_owned<<<1, 64>>>(items);
        cudaMemcpy(pinned, items, 64 * sizeof(int), cudaMemcpyDefault);
        large[5] = pinned[5];
        std::printf("%g\n", large[5] + copies[5]);
        delete[] large;
    }
    return 0;
}
