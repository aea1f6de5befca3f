// One event for two streams in turn: each wait follows its record, and the event may go after the
// last.
#include <cuda_runtime.h>

__global__ void fill_here(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void triple_there(int* items) { items[threadIdx.x] *= 3; }
__global__ void use_here(const int* items, int* out) { out[threadIdx.x] = items[threadIdx.x] + 1; }

int main() {
    int *d_items = nullptr, *d_out = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEvent_t ready;
    cudaEventCreate(&ready);
    fill_here<<<1, 64, 0, one>>>(d_items);
    cudaEventRecord(ready, one);
    cudaStreamWaitEvent(two, ready, 0);
    triple_there<<<1, 64, 0, two>>>(d_items);
    cudaEventRecord(ready, two);
    cudaStreamWaitEvent(one, ready, 0);
    cudaEventDestroy(ready);
    use_here<<<1, 64, 0, one>>>(d_items, d_out);
    cudaDeviceSynchronize();
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(d_items);
    cudaFree(d_out);
    return 0;
}
