// A helper's argument has the name of another function's extern __shared__ array.
#include <cuda_runtime.h>

__device__ void add_up(int* totals, int t) {
    for (int half = 32; half > 0; half /= 2) {
        if (t < half) totals[t] += totals[t + half];
        __syncthreads();
    }
}

__device__ int sum_of_block(const int* in, int t) {
    extern __shared__ int totals[];
    totals[t] = in[t];
    __syncthreads();
    add_up(totals, t);
    return totals[0];
}

__global__ void sum_and_squares(const int* in, int* out) {
    extern __shared__ int squares[];
    const int t = static_cast<int>(threadIdx.x);
    const int sum = sum_of_block(in, t);
    __syncthreads();  // all have read the sum
    squares[t] = in[t] * in[t];
    __syncthreads();
    add_up(squares, t);
    if (t == 0) *out = sum + squares[0];
}

int main() {
    int h_in[64];
    for (int& each : h_in) each = 2;
    int* d_in = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    sum_and_squares<<<1, 64, 64 * sizeof(int)>>>(d_in, d_out);
    int h_out = 0;
    cudaMemcpy(&h_out, d_out, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    return h_out == 64 * 2 + 64 * 4 ? 0 : 1;
}
