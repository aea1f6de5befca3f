// A key and its index are one atomic word of 8 bytes, and a plain store changes half of it.
#include <cuda_runtime.h>

__global__ void largest_with_index(const unsigned* keys, unsigned long long* best) {
    const unsigned t = threadIdx.x;
    atomicMax(best, static_cast<unsigned long long>(keys[t]) << 32 | t);
    unsigned* const halves = reinterpret_cast<unsigned*>(best);
    if (keys[t] % 16 == 0) halves[1] = 2 * keys[t];
}

int main() {
    unsigned keys[64];
    for (unsigned i = 0; i < 64; ++i) keys[i] = i * 37 % 64;
    unsigned* d_keys = nullptr;
    unsigned long long* d_best = nullptr;
    cudaMalloc(&d_keys, sizeof(keys));
    cudaMalloc(&d_best, sizeof(*d_best));
    cudaMemcpy(d_keys, keys, sizeof(keys), cudaMemcpyHostToDevice);
    cudaMemset(d_best, 0, sizeof(*d_best));
    largest_with_index<<<1, 64>>>(d_keys, d_best);
    cudaDeviceSynchronize();
    cudaFree(d_keys);
    cudaFree(d_best);
    return 0;
}
