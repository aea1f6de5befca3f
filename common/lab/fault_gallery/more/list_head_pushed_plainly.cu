// Each thread reads the list's head and stores itself there: two threads may read the same head.
#include <cuda_runtime.h>

__global__ void push_all(const int* bucket, int* head, int* next) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int b = bucket[i];
    next[i] = head[b];
    head[b] = i;
}

int main() {
    int h_bucket[64];
    for (int i = 0; i < 64; ++i) h_bucket[i] = i * 5 % 8;
    int *d_bucket = nullptr, *d_head = nullptr, *d_next = nullptr;
    cudaMalloc(&d_bucket, sizeof h_bucket);
    cudaMalloc(&d_head, 8 * sizeof(int));
    cudaMalloc(&d_next, sizeof h_bucket);
    cudaMemcpy(d_bucket, h_bucket, sizeof h_bucket, cudaMemcpyHostToDevice);
    cudaMemset(d_head, 0xff, 8 * sizeof(int));
    push_all<<<2, 32>>>(d_bucket, d_head, d_next);
    cudaDeviceSynchronize();
    cudaFree(d_bucket);
    cudaFree(d_head);
    cudaFree(d_next);
    return 0;
}
