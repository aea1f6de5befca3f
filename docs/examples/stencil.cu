// Stencil: each result is the sum of nine neighbours; the naive kernel and one with a tile.
//
// The naive kernel loads each item nine times from global memory. The tiled kernel loads it once
// into shared memory, with four items more at either end (the halo). Count the sectors that both
// load.
//     ./tutorial explain docs/examples/stencil.cu
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

constexpr int kRadius = 4, kThreads = 256;

__global__ void stencil_naive_kernel(const int* in, int* out, int n) {
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int at = max(i - kRadius, 0); at <= min(i + kRadius, n - 1); ++at) sum += in[at];
    out[i] = sum;
}

__global__ void stencil_tiled_kernel(const int* in, int* out, int n) {
    __shared__ int tile[kThreads + 2 * kRadius];
    const int first = blockIdx.x * kThreads - kRadius;  // item of tile[0]
    for (int t = threadIdx.x; t < kThreads + 2 * kRadius; t += kThreads)
        tile[t] = first + t >= 0 && first + t < n ? in[first + t] : 0;
    __syncthreads();  // the tile is complete before any thread reads neighbours
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i >= n) return;
    int sum = 0;
    for (int t = 0; t <= 2 * kRadius; ++t) sum += tile[threadIdx.x + t];
    out[i] = sum;
}

int main() {
    const int n = 10'000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i * 37 % 101;
    int *d_in = nullptr, *d_out = nullptr;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    int wrong = 0;
    for (auto* kernel : {stencil_naive_kernel, stencil_tiled_kernel}) {
        CHECK(
            cudaMemset(d_out, 0xff, n * sizeof(int)));  // a result of the other kernel cannot pass
        kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in, d_out, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i) {
            int sum = 0;
            for (int at = i - kRadius; at <= i + kRadius; ++at)
                sum += at >= 0 && at < n ? in[at] : 0;
            wrong += out[i] != sum;
        }
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    std::printf("stencil, n = %d: %d results are wrong\n", n, wrong);
    return wrong == 0 ? 0 : 1;
}
