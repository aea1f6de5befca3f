// What is written for each thread is not what was counted for it: > in one pass, >= in the other.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void count_above(const int* in, int* counts, int n, int per) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, c = 0;
    for (int k = t * per; k < (t + 1) * per && k < n; ++k)
        if (in[k] > 50) ++c;
    counts[t] = c;
}

__global__ void write_from(const int* in, const int* begin, int* out, int n, int per) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, at = begin[t];
    for (int k = t * per; k < (t + 1) * per && k < n; ++k)
        if (in[k] >= 50) out[at++] = in[k];
}

int main() {
    const int n = 512, threads = 64, per = 8;
    std::vector<int> in(n), counts(threads), begin(threads + 1);
    for (int i = 0; i < n; ++i) in[i] = (i * 37) % 100;
    int *d, *c, *b, *o;
    cudaMalloc(&d, n * 4);
    cudaMalloc(&c, threads * 4);
    cudaMalloc(&b, threads * 4);
    cudaMalloc(&o, n * 4);
    cudaMemcpy(d, in.data(), n * 4, cudaMemcpyHostToDevice);
    count_above<<<2, 32>>>(d, c, n, per);
    cudaMemcpy(counts.data(), c, threads * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < threads; ++i) begin[i + 1] = begin[i] + counts[i];
    cudaMemcpy(b, begin.data(), threads * 4, cudaMemcpyHostToDevice);
    write_from<<<2, 32>>>(d, b, o, n, per);
    std::vector<int> out(begin[threads]);
    cudaMemcpy(out.data(), o, out.size() * 4, cudaMemcpyDeviceToHost);
    std::printf("%zu %d\n", out.size(), out[10]);
    cudaFree(d);
    cudaFree(c);
    cudaFree(b);
    cudaFree(o);
    return 0;
}
