// A butterfly among eight lanes, whose mask names only these.
#include <cuda_runtime.h>

__global__ void butterfly_of_eight(const int* in, int* out) {
    const int lane = static_cast<int>(threadIdx.x);
    if (lane >= 8) return;
    int sum = in[lane];
    for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffu, sum, step, 8);
    out[lane] = sum;
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 32 * sizeof(int));
    cudaMemset(d_in, 0, 32 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 8 * sizeof(int));
    cudaMemset(d_out, 0, 8 * sizeof(int));
    butterfly_of_eight<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
