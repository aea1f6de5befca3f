// The host copies what a kernel got from malloc(): only kernels can use that memory
#include <cuda_runtime.h>

#include <cstdio>

__device__ int* square_table;

__global__ void make_table(int n) {
    square_table = static_cast<int*>(malloc(static_cast<std::size_t>(n) * sizeof(int)));
    if (square_table == nullptr) return;
    for (int i = 0; i < n; ++i) square_table[i] = i * i;
}

__global__ void free_table() { free(square_table); }

int main() {
    const int n = 32;
    int squares[n] = {};
    int* address = nullptr;
    make_table<<<1, 1>>>(n);
    cudaMemcpyFromSymbol(&address, square_table, sizeof address);
    cudaMemcpy(squares, address, sizeof squares, cudaMemcpyDeviceToHost);
    free_table<<<1, 1>>>();
    cudaDeviceSynchronize();
    std::printf("%d\n", squares[n - 1]);
    return 0;
}
