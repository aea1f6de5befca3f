// The second stream waits for the event in the line before the first one records it.
#include <cuda_runtime.h>

__global__ void fill_ahead(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }

__global__ void read_later(const int* items, int* out) { out[threadIdx.x] = items[threadIdx.x]; }

int main() {
    int *items = nullptr, *out = nullptr;
    cudaStream_t first, second;
    cudaEvent_t is_filled;
    cudaMalloc(&items, 64 * sizeof(int));
    cudaMalloc(&out, 64 * sizeof(int));
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreate(&is_filled);
    fill_ahead<<<1, 64, 0, first>>>(items);
    cudaStreamWaitEvent(second, is_filled, 0);
    cudaEventRecord(is_filled, first);
    read_later<<<1, 64, 0, second>>>(items, out);
    cudaDeviceSynchronize();
    cudaEventDestroy(is_filled);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(items);
    cudaFree(out);
    return 0;
}
