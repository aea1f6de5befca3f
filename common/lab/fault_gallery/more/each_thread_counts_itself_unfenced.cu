// Each thread writes its item and counts itself by an atomic operation, without a fence between the
// two.
#include <cuda_runtime.h>

__device__ unsigned unfenced_count;
__device__ int unfenced_items[256];

__global__ void take_what_is_counted(int* out) {
    const unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        unfenced_items[t] = static_cast<int>(t);
        atomicAdd(&unfenced_count, 1u);
    } else {
        while (atomicAdd(&unfenced_count, 0u) < 256) __nanosleep(20);
        __threadfence();
        out[t] = unfenced_items[255 - t];
    }
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 256 * sizeof(int));
    take_what_is_counted<<<2, 256>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
