// A race: each thread takes its neighbour's item and stores it in its own place, in shared memory.
// Another thread may read that place before or after.
//
// On the emulator the answer is right, as it may be on a GPU for weeks. Look for faults, then run
// the threads in the opposite order. The fix: read into a variable, __syncthreads(), then
// store.
//     ./tutorial explain docs/examples/race.cu --faults
//     ./tutorial explain docs/examples/race.cu --order reverse
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

constexpr int kThreads = 256;

__global__ void shift_kernel(const int* in, int* out, int n) {
    __shared__ int items[kThreads];
    const int i = blockIdx.x * kThreads + threadIdx.x;
    if (i < n) items[threadIdx.x] = in[i];
    __syncthreads();  // all items are there before any thread reads a neighbour's
    if (threadIdx.x + 1 < kThreads && i + 1 < n) items[threadIdx.x] = items[threadIdx.x + 1];
    if (i < n) out[i] = items[threadIdx.x];
}

int main() {
    const int n = 1000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i;
    int *d_in = nullptr, *d_out = nullptr;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    shift_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));

    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        const bool is_last = i % kThreads == kThreads - 1 || i == n - 1;  // of its block: it stays
        wrong += out[i] != (is_last ? in[i] : in[i + 1]);
    }
    std::printf("shift of %d items: %d are wrong\n", n, wrong);
    return wrong == 0 ? 0 : 1;
}
