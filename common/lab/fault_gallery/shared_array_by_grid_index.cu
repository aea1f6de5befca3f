// A block's shared array, indexed by the thread's number in the whole grid.
#include <cuda_runtime.h>

__global__ void stage_kernel(int* keys) {
    __shared__ int tile[128];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[i] = keys[i];
    __syncthreads();  // the tile is complete
    keys[i] = tile[i ^ 1];
}

int main() {
    int* d_keys = nullptr;
    cudaMalloc(&d_keys, 256 * sizeof(int));
    cudaMemset(d_keys, 0, 256 * sizeof(int));
    stage_kernel<<<2, 128>>>(d_keys);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
}
