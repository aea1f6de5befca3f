// A queue: the counter says which places are taken, not which are filled.
#include <cuda_runtime.h>

__global__ void pass_through_queue(int* queue, unsigned* taken, int* out) {
    const unsigned t = threadIdx.x;
    if (blockIdx.x == 0) {
        const unsigned place = atomicAdd(taken, 1u);
        queue[place] = static_cast<int>(t);
    } else {
        while (atomicAdd(taken, 0u) < blockDim.x) __nanosleep(100);
        out[t] = queue[t];
    }
}

int main() {
    int *d_queue = nullptr, *d_out = nullptr;
    unsigned* d_taken = nullptr;
    cudaMalloc(&d_queue, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMalloc(&d_taken, sizeof(unsigned));
    cudaMemset(d_taken, 0, sizeof(unsigned));
    pass_through_queue<<<2, 64>>>(d_queue, d_taken, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_queue);
    cudaFree(d_out);
    cudaFree(d_taken);
    return 0;
}
