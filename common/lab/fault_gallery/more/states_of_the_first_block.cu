// The states are set by the thread's number in its block: those of the other blocks have no value.
#include <cuda_runtime.h>

#include <cstdio>

struct Dice {
    unsigned last;
    __device__ unsigned roll() { return (last = last * 1664525u + 1013904223u) >> 29; }
};

__global__ void set_dice(Dice* dice) { dice[threadIdx.x].last = 17u * threadIdx.x + 1u; }

__global__ void roll_dice(Dice* dice, unsigned* sum) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Dice mine = dice[i];
    atomicAdd(sum, mine.roll());
    dice[i] = mine;
}

int main() {
    constexpr int kBlocks = 3, kThreads = 64;
    Dice* dice;
    unsigned *d_sum, sum = 0;
    cudaMalloc(&dice, kBlocks * kThreads * sizeof(Dice));
    cudaMalloc(&d_sum, sizeof sum);
    cudaMemset(d_sum, 0, sizeof sum);
    set_dice<<<kBlocks, kThreads>>>(dice);
    roll_dice<<<kBlocks, kThreads>>>(dice, d_sum);
    cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost);
    std::printf("%u\n", sum);
    cudaFree(dice);
    cudaFree(d_sum);
    return 0;
}
