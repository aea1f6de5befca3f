// A function's address on the host is passed to the launch.
#include <cuda_runtime.h>

using UnaryArgument = int (*)(int);
__host__ __device__ int plus_one(int x) { return x + 1; }
__global__ void apply_argument(UnaryArgument f, int* out) { out[threadIdx.x] = f(threadIdx.x); }

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    apply_argument<<<1, 32>>>(plus_one, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
