// What the editor shows at first.
export const FIRST = `// Doubles 64 numbers, a thread for each. Change it, and press Count.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kBlockSize = 32;
constexpr int kStride = 1;

__global__ void double_kernel(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i * kStride % n];
}

int main() {
    const int n = 64;
    int numbers[n];
    for (int i = 0; i < n; ++i) numbers[i] = i;

    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, sizeof(numbers));
    cudaMalloc(&d_out, sizeof(numbers));
    cudaMemcpy(d_in, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    double_kernel<<<(n + kBlockSize - 1) / kBlockSize, kBlockSize>>>(d_in, d_out, n);
    cudaMemcpy(numbers, d_out, sizeof(numbers), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);

    std::printf("the last one is %d\\n", numbers[n - 1]);
}
`;
