// Matrix product (matmul), c = a * b: the naive kernel and one with tiles in shared memory.
//
// The naive kernel loads each item of a and of b from global memory once per thread that needs it.
// The tiled kernel loads it once per block. Count the loads of both.
//     ./tutorial explain docs/examples/matmul.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    std::exit(1);
}

constexpr int kTile = 16;

__global__ void matmul_naive_kernel(const float* a, const float* b, float* c, int n) {
    const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
    if (row >= n || column >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul_tiled_kernel(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
    float sum = 0;
    for (int first = 0; first < n; first += kTile) {
        tile_a[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
        tile_b[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
        __syncthreads();  // the tiles are complete before any thread reads them
        for (int k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();  // all have read them before they are overwritten
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

int main() {
    const int n = 70;
    const std::size_t bytes = sizeof(float) * n * n;
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; ++i)
        a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
    float *d_a = nullptr, *d_b = nullptr, *d_c = nullptr;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 threads(kTile, kTile), blocks((n + kTile - 1) / kTile, (n + kTile - 1) / kTile);
    int wrong = 0;
    for (auto* kernel : {matmul_naive_kernel, matmul_tiled_kernel}) {
        CHECK(cudaMemset(d_c, 0xff, bytes));  // NaN: a result of the other kernel cannot pass
        kernel<<<blocks, threads>>>(d_a, d_b, d_c, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
        for (int row = 0; row < n; ++row) {
            for (int column = 0; column < n; ++column) {
                float sum = 0;
                for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
                wrong += !(c[row * n + column] == sum);  // small integers: exact
            }
        }
    }
    for (float* d_items : {d_a, d_b, d_c}) CHECK(cudaFree(d_items));
    std::printf("matmul, n = %d: %d results are wrong\n", n, wrong);
    return wrong == 0 ? 0 : 1;
}
