// The event is recorded in the stream that waits for it
#include <cuda_runtime.h>

__global__ void fill_in_first_stream(int* items) {
    items[threadIdx.x] = static_cast<int>(threadIdx.x);
}
__global__ void use_in_second_stream(const int* items, int* out) {
    out[threadIdx.x] = items[threadIdx.x];
}

int main() {
    int *d_items = nullptr, *d_out = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaStream_t first = nullptr, second = nullptr;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEvent_t filled = nullptr;
    cudaEventCreate(&filled);
    fill_in_first_stream<<<1, 64, 0, first>>>(d_items);
    cudaEventRecord(filled, second);
    cudaStreamWaitEvent(second, filled);
    use_in_second_stream<<<1, 64, 0, second>>>(d_items, d_out);
    cudaDeviceSynchronize();
    cudaEventDestroy(filled);
    cudaStreamDestroy(second);
    cudaStreamDestroy(first);
    cudaFree(d_out);
    cudaFree(d_items);
    return 0;
}
