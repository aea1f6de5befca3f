// The host adds the item after each item, also after the last one of its std::vector.
#include <cuda_runtime.h>
#include <vector>

__global__ void squares_of_numbers(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * i;
}

int main() {
    const int n = 500;
    std::vector<int> squares(n);
    int* d_squares = nullptr;
    cudaMalloc(&d_squares, n * sizeof(int));
    squares_of_numbers<<<2, 256>>>(d_squares, n);
    cudaMemcpy(squares.data(), d_squares, n * sizeof(int), cudaMemcpyDeviceToHost);
    long sum = 0;
    for (int i = 0; i < n; ++i) sum += squares[i] * squares[i + 1];
    cudaFree(d_squares);
    if (sum == 0) return 1;
    return 0;
}
