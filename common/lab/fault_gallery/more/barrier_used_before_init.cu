// Thread 0 makes the cuda::barrier, and the others may arrive before that
#include <cuda_runtime.h>
#include <cuda/barrier>

__global__ void rotate_by_one(int* items) {
    __shared__ cuda::barrier<cuda::thread_scope_block> all_stored;
    __shared__ int stored[64];
    const int i = static_cast<int>(threadIdx.x);
    if (i == 0) init(&all_stored, blockDim.x);
    stored[i] = i;
    all_stored.arrive_and_wait();
    items[i] = stored[(i + 1) % 64];
}

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 64 * sizeof(int));
    rotate_by_one<<<1, 64>>>(d_items);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    return 0;
}
