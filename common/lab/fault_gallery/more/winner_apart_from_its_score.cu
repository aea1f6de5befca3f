// The largest score is kept by an atomic operation, and whose it is by a store after that.
#include <cuda_runtime.h>

__global__ void find_winner(const int* score, int players, int* best, int* winner) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= players) return;
    if (atomicMax(best, score[i]) < score[i]) *winner = i;
}

int main() {
    constexpr int kPlayers = 512;
    int h_score[kPlayers];
    for (int i = 0; i < kPlayers; ++i) h_score[i] = i * 641 % 1543;
    int *d_score = nullptr, *d_best = nullptr;
    cudaMalloc(&d_score, sizeof h_score);
    cudaMalloc(&d_best, 2 * sizeof(int));
    cudaMemcpy(d_score, h_score, sizeof h_score, cudaMemcpyHostToDevice);
    cudaMemset(d_best, 0, 2 * sizeof(int));
    find_winner<<<4, 128>>>(d_score, kPlayers, d_best, d_best + 1);
    cudaDeviceSynchronize();
    cudaFree(d_score);
    cudaFree(d_best);
    return 0;
}
