// The first thread of each block reads the total in one line and stores the sum in another.
#include <cuda_runtime.h>

__global__ void add_in_two_lines(const int* items, int* total, int* served, int* first) {
    if (threadIdx.x != 0) return;
    const int before = *total;
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += items[32 * blockIdx.x + i];
    *total = before + sum;
    const int number = *served;
    *served += sum;
    first[blockIdx.x] = number;
}

int main() {
    int h_items[128];
    for (int i = 0; i < 128; ++i) h_items[i] = i;
    int *d_items = nullptr, *d_total = nullptr, *d_served = nullptr, *d_first = nullptr;
    cudaMalloc(&d_items, sizeof h_items);
    cudaMalloc(&d_total, sizeof(int));
    cudaMalloc(&d_served, sizeof(int));
    cudaMalloc(&d_first, 4 * sizeof(int));
    cudaMemset(d_served, 0, sizeof(int));
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(int));
    add_in_two_lines<<<4, 32>>>(d_items, d_total, d_served, d_first);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_total);
    cudaFree(d_served);
    cudaFree(d_first);
    return 0;
}
