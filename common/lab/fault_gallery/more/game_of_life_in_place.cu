// The next generation is written to the cells that neighbours still read: it needs a second array.
#include <cuda_runtime.h>

constexpr int kWidth = 32, kRows = 8;

__global__ void next_generation(int* cells) {
    const int x = threadIdx.x, y = blockIdx.x;
    int alive = 0;
    for (int dx = kWidth - 1; dx <= kWidth + 1; ++dx) {
        alive += cells[(y + 1) % kRows * kWidth + (x + dx) % kWidth];
    }
    cells[y * kWidth + x] = alive == 2 || (alive == 1 && cells[y * kWidth + x] == 1);
}

int main() {
    int* d_cells = nullptr;
    cudaMalloc(&d_cells, kRows * kWidth * sizeof(int));
    cudaMemset(d_cells, 0, kRows * kWidth * sizeof(int));
    next_generation<<<kRows, kWidth>>>(d_cells);
    cudaDeviceSynchronize();
    cudaFree(d_cells);
    return 0;
}
