// A deadlock: the threads without an item never reach the barrier, and the others wait for them.
//
// On a GPU the last block may hang, or continue by luck. Here the launch ends with a report that
// names the line and the threads. The fix: let the guard protect the load, not the barrier.
//     ./tutorial explain docs/examples/deadlock.cu --faults
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

__global__ void reverse_blocks_kernel(const int* in, int* out, int n) {
    __shared__ int items[kThreads];
    const int first = blockIdx.x * kThreads, i = first + threadIdx.x;
    if (i < n) {
        items[threadIdx.x] = in[i];
        __syncthreads();  // in the last block not all threads arrive
        out[i] = items[min(kThreads, n - first) - 1 - threadIdx.x];
    }
}

int main() {
    const int n = 1000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i;
    int *d_in = nullptr, *d_out = nullptr;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    reverse_blocks_kernel<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    CHECK(cudaGetLastError());  // last, since it ends the program

    int wrong = 0;
    for (int first = 0; first < n; first += kThreads) {
        const int end = first + kThreads < n ? first + kThreads : n;
        for (int i = first; i < end; ++i) wrong += out[i] != in[end - 1 - (i - first)];
    }
    std::printf("reverse of %d items, block by block: %d are wrong\n", n, wrong);
    return wrong == 0 ? 0 : 1;
}
