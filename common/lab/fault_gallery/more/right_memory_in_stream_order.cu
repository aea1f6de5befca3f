// Memory is allocated, used and freed in the order of one stream; another one waits for an event
// before it uses the memory, and the first one waits for that use before it frees it.
#include <cuda_runtime.h>

namespace {

__global__ void fill_in_turn(int* items) { items[threadIdx.x] = 1; }

}  // namespace

int main() {
    cudaStream_t first = nullptr, second = nullptr;
    cudaStreamCreate(&first);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEvent_t is_there = nullptr, is_used = nullptr;
    cudaEventCreate(&is_there);
    cudaEventCreate(&is_used);
    int* d_items = nullptr;
    cudaMallocAsync(&d_items, 32 * sizeof(int), first);
    fill_in_turn<<<1, 32, 0, first>>>(d_items);
    cudaEventRecord(is_there, first);
    cudaStreamWaitEvent(second, is_there, 0);
    fill_in_turn<<<1, 32, 0, second>>>(d_items);
    cudaEventRecord(is_used, second);
    cudaStreamWaitEvent(first, is_used, 0);
    cudaFreeAsync(d_items, first);
    cudaDeviceSynchronize();
    cudaMallocAsync(&d_items, 32 * sizeof(int), second);
    fill_in_turn<<<1, 32, 0, second>>>(d_items);
    cudaStreamSynchronize(second);
    cudaFree(d_items);
    cudaEventDestroy(is_there);
    cudaEventDestroy(is_used);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    return 0;
}
