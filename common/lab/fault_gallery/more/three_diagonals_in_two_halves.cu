// Each diagonal needs the two before it, but the older one is overwritten where others read it.
#include <cuda_runtime.h>

__global__ void diagonals_kernel(const int* weights, int* out) {
    __shared__ int diagonals[2][65];
    const int row = static_cast<int>(threadIdx.x);
    diagonals[0][row] = 0;
    diagonals[1][row] = 0;
    __syncthreads();
    for (int step = 2; step <= 128; ++step) {
        int* older = diagonals[step % 2];
        const int* newer = diagonals[(step + 1) % 2];
        const int column = step - row;
        if (row >= 1 && column >= 1 && column <= 64) {
            int best = max(newer[row - 1], newer[row]);
            if (weights[row] == weights[column]) best = max(best, older[row - 1] + 1);
            older[row] = best;
        }
        __syncthreads();
    }
    if (row == 64) *out = diagonals[0][row];
}

int main() {
    int h_weights[65];
    for (int i = 0; i < 65; ++i) h_weights[i] = i * i % 5;
    int* d_weights = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_weights, sizeof h_weights);
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_weights, h_weights, sizeof h_weights, cudaMemcpyHostToDevice);
    diagonals_kernel<<<1, 65>>>(d_weights, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_weights);
    cudaFree(d_out);
    return 0;
}
