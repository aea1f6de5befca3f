// The whole loop over tiles is in the guard of the result: threads beyond it load nothing.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sum_of_products(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_of_b[8][8];
    const int row = threadIdx.y, column = blockIdx.x * 8 + threadIdx.x;
    if (column < n) {
        float sum = 0;
        for (int k = 0; k < n; k += 8) {
            const bool has_item = k + threadIdx.y < n;
            tile_of_b[threadIdx.y][threadIdx.x] = has_item ? b[(k + row) * n + column] : 0;
            __syncthreads();
            for (int i = 0; i < 8 && k + i < n; ++i) {
                sum += a[row * n + k + i] * tile_of_b[i][threadIdx.x];
            }
            __syncthreads();
        }
        c[row * n + column] = sum;
    }
}

int main() {
    constexpr int kSize = 12;
    float *a, *b, *c;
    cudaMallocManaged(&a, kSize * kSize * sizeof(float));
    cudaMallocManaged(&b, kSize * kSize * sizeof(float));
    cudaMallocManaged(&c, kSize * kSize * sizeof(float));
    for (int i = 0; i < kSize * kSize; ++i) a[i] = b[i] = 1;
    sum_of_products<<<2, dim3(8, 8)>>>(a, b, c, kSize);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return 0;
}
