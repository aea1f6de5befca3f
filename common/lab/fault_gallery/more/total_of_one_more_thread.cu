// One more item than there are threads: the total after the last item is never stored.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sums_before(const int* counts, int* begins, int n) {
    const int i = threadIdx.x;
    if (i > n) return;
    int sum = 0;
    for (int k = 0; k < i; ++k) sum += counts[k];
    begins[i] = sum;
}

__global__ void mark_all(const int* begins, int n, int* marks) {
    const int total = begins[n];
    for (int i = threadIdx.x; i < total && i < 256; i += blockDim.x) marks[i] = 1;
}

int main() {
    constexpr int kBuckets = 32;
    int counts[kBuckets], *d_counts, *begins, *marks, first = 0;
    for (int& each : counts) each = 3;
    cudaMalloc(&d_counts, sizeof counts);
    cudaMalloc(&begins, (kBuckets + 1) * sizeof(int));
    cudaMalloc(&marks, 256 * sizeof(int));
    cudaMemset(marks, 0, 256 * sizeof(int));
    cudaMemcpy(d_counts, counts, sizeof counts, cudaMemcpyHostToDevice);
    sums_before<<<1, kBuckets>>>(d_counts, begins, kBuckets);
    mark_all<<<1, 64>>>(begins, kBuckets, marks);
    cudaMemcpy(&first, marks, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%d\n", first >= 0);
    cudaFree(d_counts);
    cudaFree(begins);
    cudaFree(marks);
    return 0;
}
