// A vote names all 32 lanes, but half of them have already returned.
#include <cuda_runtime.h>

__global__ void vote_after_return(const int* in, int* out) {
    if (threadIdx.x >= 16) return;
    const unsigned votes = __ballot_sync(0xffffffffu, in[threadIdx.x] == 0);
    out[threadIdx.x] = static_cast<int>(votes);
}

int main() {
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_in, 0, 32 * sizeof(int));
    vote_after_return<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
