// The memory is freed in the stream that allocated it, while a kernel in another one may still use
// it; and a kernel uses memory before its stream has waited for the allocation.
#include <cuda_runtime.h>

namespace {

__global__ void fill_elsewhere(int* items) { items[threadIdx.x] = 1; }

}  // namespace

int main() {
    cudaStream_t first = nullptr, second = nullptr;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    int *d_one = nullptr, *d_other = nullptr;
    cudaMallocAsync(&d_one, 32 * sizeof(int), first);
    cudaStreamSynchronize(first);
    fill_elsewhere<<<1, 32, 0, second>>>(d_one);
    cudaFreeAsync(d_one, first);
    cudaDeviceSynchronize();
    cudaMallocAsync(&d_other, 32 * sizeof(int), first);
    fill_elsewhere<<<1, 32, 0, second>>>(d_other);
    cudaDeviceSynchronize();
    cudaFree(d_other);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    return 0;
}
