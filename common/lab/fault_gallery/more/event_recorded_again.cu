// A wait covers the last record before it; the second record, which the second stream needs, comes
// later.
#include <cuda_runtime.h>

__global__ void fill_first(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void triple_second(int* items) { items[threadIdx.x] *= 3; }
__global__ void use_both(const int* items, int* out) { out[threadIdx.x] = items[threadIdx.x] + 1; }

int main() {
    int *d_items = nullptr, *d_out = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEvent_t ready;
    cudaEventCreate(&ready);
    fill_first<<<1, 64, 0, one>>>(d_items);
    cudaEventRecord(ready, one);
    cudaStreamWaitEvent(two, ready, 0);
    triple_second<<<1, 64, 0, one>>>(d_items);
    cudaEventRecord(ready, one);
    use_both<<<1, 64, 0, two>>>(d_items, d_out);
    cudaDeviceSynchronize();
    cudaEventDestroy(ready);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(d_items);
    cudaFree(d_out);
    return 0;
}
