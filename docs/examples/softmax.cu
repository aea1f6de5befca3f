// Softmax of each row of a matrix, exp(x - max) / sum: a thread per row, and a warp per row.
//
// With a thread per row, the lanes of a warp read items that are a row apart. With a warp per row,
// they read neighbours, and shuffles find the maximum and the sum. Count the sectors per request
// of both.
//     ./tutorial explain docs/examples/softmax.cu
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    std::exit(1);
}

constexpr int kWarp = 32;

__global__ void softmax_naive_kernel(const float* in, float* out, int rows, int columns) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const float* x = in + row * columns;
    float top = x[0], sum = 0;
    for (int i = 1; i < columns; ++i) top = fmaxf(top, x[i]);
    for (int i = 0; i < columns; ++i) sum += expf(x[i] - top);
    for (int i = 0; i < columns; ++i) out[row * columns + i] = expf(x[i] - top) / sum;
}

__global__ void softmax_warp_kernel(const float* in, float* out, int rows, int columns) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / kWarp, lane = threadIdx.x % kWarp;
    if (row >= rows) return;
    const float* x = in + row * columns;
    float top = x[0], sum = 0;
    for (int i = lane; i < columns; i += kWarp) top = fmaxf(top, x[i]);
    for (int mask = kWarp / 2; mask > 0; mask /= 2)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, mask));
    for (int i = lane; i < columns; i += kWarp) sum += expf(x[i] - top);
    for (int mask = kWarp / 2; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
    for (int i = lane; i < columns; i += kWarp) out[row * columns + i] = expf(x[i] - top) / sum;
}

int main() {
    const int rows = 50, columns = 100, n = rows * columns, threads = 128;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(i * 37 % 101) / 10;
    float *d_in = nullptr, *d_out = nullptr;
    CHECK(cudaMalloc(&d_in, n * sizeof(float)));
    CHECK(cudaMalloc(&d_out, n * sizeof(float)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    int wrong = 0;
    for (const bool warp_per_row : {false, true}) {
        CHECK(cudaMemset(d_out, 0xff, n * sizeof(float)));  // NaN: an old result cannot pass
        const int needed = warp_per_row ? rows * kWarp : rows,
                  blocks = (needed + threads - 1) / threads;
        auto* kernel = warp_per_row ? softmax_warp_kernel : softmax_naive_kernel;
        kernel<<<blocks, threads>>>(d_in, d_out, rows, columns);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int first = 0; first < n; first += columns) {
            double sum = 0;
            for (int i = 0; i < columns; ++i) sum += std::exp(double(in[first + i]));
            for (int i = 0; i < columns; ++i)
                wrong +=
                    !(std::abs(out[first + i] * sum / std::exp(double(in[first + i])) - 1) < 1e-5);
        }
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    std::printf("softmax of %d rows of %d: %d items are wrong\n", rows, columns, wrong);
    return wrong == 0 ? 0 : 1;
}
