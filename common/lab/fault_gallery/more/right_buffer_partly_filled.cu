// Right: more is copied to the host than a kernel has written, but only that part is read: items up
// to a count, members but no padding, rows without their pitch, what the host has overwritten.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

struct Tagged {
    char tag;
    double value;
};

__global__ void multiples_kernel(int* out, int* count, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i % 3 == 0) out[atomicAdd(count, 1)] = -1;
}

__global__ void tag_kernel(Tagged* out) {
    out[threadIdx.x].tag = 'a';
    out[threadIdx.x].value = 1.0;
}

__global__ void rows_kernel(char* out, std::size_t pitch) {
    reinterpret_cast<float*>(out + blockIdx.x * pitch)[threadIdx.x] = 1.0f;
}

int main() {
    const int n = 100, rows = 5, columns = 20;
    int out[n], *d_out = nullptr, *d_count = nullptr, count = 0;
    cudaMalloc(&d_out, sizeof out);
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    multiples_kernel<<<4, 32>>>(d_out, d_count, n);
    cudaMemcpy(&count, d_count, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum -= out[i];
    std::memset(out + count, 0xff, sizeof out - count * sizeof(int));
    for (int i = count; i < n; ++i) sum -= out[i];

    std::vector<Tagged> tagged(32);
    Tagged* d_tagged = nullptr;
    cudaMalloc(&d_tagged, tagged.size() * sizeof(Tagged));
    tag_kernel<<<1, 32>>>(d_tagged);
    cudaMemcpy(tagged.data(), d_tagged, tagged.size() * sizeof(Tagged), cudaMemcpyDeviceToHost);
    const std::vector<Tagged> others = tagged;
    for (const Tagged each : others) sum += each.tag == 'a' ? each.value : 0.0;

    char* d_rows = nullptr;
    std::size_t pitch = 0;
    cudaMallocPitch(&d_rows, &pitch, columns * sizeof(float), rows);
    rows_kernel<<<rows, columns>>>(d_rows, pitch);
    std::vector<char> all(pitch * rows);
    cudaMemcpy(all.data(), d_rows, all.size(), cudaMemcpyDeviceToHost);
    for (int i = 0; i < rows * columns; ++i) {
        sum += reinterpret_cast<float*>(all.data() + i / columns * pitch)[i % columns];
    }
    if (sum != n + 32 + rows * columns) std::puts("wrong");
    cudaFree(d_out);
    cudaFree(d_count);
    cudaFree(d_tagged);
    cudaFree(d_rows);
    return 0;
}
