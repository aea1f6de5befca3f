// A pointer to shared memory outlives its block.
#include <cuda_runtime.h>

__global__ void publish(int** slot, int* out) {
    __shared__ int value;
    if (threadIdx.x == 0) {
        value = static_cast<int>(blockIdx.x);
        if (blockIdx.x == 0) *slot = &value;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

__global__ void use_published(int** slot, int* out) { *out = **slot; }

int main() {
    int** d_slot = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_slot, sizeof(int*));
    cudaMalloc(&d_out, 4 * sizeof(int));
    publish<<<4, 32>>>(d_slot, d_out);
    use_published<<<1, 1>>>(d_slot, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_slot);
    cudaFree(d_out);
    return 0;
}
