// Of the places where parts begin the first bytes are copied, as many as there are places.
#include <cuda_runtime.h>

__global__ void raise_part(float* items, const long long* begins, int part) {
    const long long begin = begins[part];
    items[begin + threadIdx.x] += 1;
}

int main() {
    constexpr int kParts = 4, kItems = 32;
    long long begins[kParts];
    for (int i = 0; i < kParts; ++i) begins[i] = i * kItems;
    float* d_items = nullptr;
    long long* d_begins = nullptr;
    cudaMalloc(&d_items, kParts * kItems * sizeof(float));
    cudaMalloc(&d_begins, kParts * sizeof(long long));
    cudaMemset(d_items, 0, kParts * kItems * sizeof(float));
    cudaMemcpy(d_begins, begins, kParts, cudaMemcpyHostToDevice);
    raise_part<<<1, kItems>>>(d_items, d_begins, 0);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_begins);
    return 0;
}
