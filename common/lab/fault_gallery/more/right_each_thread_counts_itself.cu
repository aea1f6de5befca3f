// Each of 256 threads writes its item, and after a fence counts itself: a thread that sees all of
// them sees all items.
#include <cuda_runtime.h>

__device__ unsigned fenced_count;
__device__ int fenced_items[256];

__global__ void take_what_is_fenced(int* out) {
    const unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        fenced_items[t] = static_cast<int>(t);
        __threadfence();
        atomicAdd(&fenced_count, 1u);
    } else {
        while (atomicAdd(&fenced_count, 0u) < 256) __nanosleep(20);
        __threadfence();
        out[t] = fenced_items[255 - t];
    }
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 256 * sizeof(int));
    take_what_is_fenced<<<2, 256>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
