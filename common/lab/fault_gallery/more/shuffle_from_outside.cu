// Eight lanes take a value from lane 31, which is not in their mask.
#include <cuda_runtime.h>

__global__ void outside_broadcast(const int* in, int* out) {
    const int lane = threadIdx.x;
    if (lane < 8) out[lane] = __shfl_sync(0x000000ffu, in[lane], 31);
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_in, 0, 32 * sizeof(int));
    outside_broadcast<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
