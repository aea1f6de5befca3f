// The place that a lane takes also counts its own vote, so places begin at 1.
#include <cuda_runtime.h>

__global__ void keep_odd_numbers(const int* in, int* out, int* kept, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    const bool is_odd = i < n && in[i] % 2 != 0;
    const unsigned votes = __ballot_sync(~0u, is_odd);
    int first = 0;
    if (lane == 0) first = atomicAdd(kept, __popc(votes));
    first = __shfl_sync(~0u, first, 0);
    const int rank = __popc(votes & ((2u << lane) - 1));
    if (is_odd) out[first + rank] = in[i];
}

int main() {
    constexpr int kNumbers = 200, kOdd = 100;
    int numbers[kNumbers], *in, *out, *kept;
    for (int i = 0; i < kNumbers; ++i) numbers[i] = i;
    cudaMalloc(&in, sizeof numbers);
    cudaMalloc(&out, kOdd * sizeof(int));
    cudaMalloc(&kept, sizeof(int));
    cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    cudaMemset(kept, 0, sizeof(int));
    keep_odd_numbers<<<2, 128>>>(in, out, kept, kNumbers);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
    cudaFree(kept);
    return 0;
}
