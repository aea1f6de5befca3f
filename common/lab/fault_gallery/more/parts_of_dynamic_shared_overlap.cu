// Two parts of the dynamic shared memory: the second begins after n bytes, not after n floats
#include <cuda_runtime.h>

#include <cstdio>

__global__ void rank_pairs(float* values, int* keys, int n) {
    extern __shared__ char memory[];
    float* own_values = reinterpret_cast<float*>(memory);
    int* own_keys = reinterpret_cast<int*>(memory + n);
    const int t = static_cast<int>(threadIdx.x);
    own_values[t] = values[t];
    own_keys[t] = keys[t];
    __syncthreads();
    int rank = 0;
    for (int i = 0; i < n; ++i) rank += own_keys[i] < own_keys[t] ? 1 : 0;
    values[rank] = own_values[t];
    keys[rank] = own_keys[t];
}

int main() {
    const int n = 64;
    float values[n];
    int keys[n];
    for (int i = 0; i < n; ++i) {
        keys[i] = i * 37 % n;
        values[i] = static_cast<float>(keys[i]);
    }
    float* d_values = nullptr;
    int* d_keys = nullptr;
    cudaMalloc(&d_values, sizeof values);
    cudaMalloc(&d_keys, sizeof keys);
    cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
    rank_pairs<<<1, n, n*(sizeof(float) + sizeof(int))>>>(d_values, d_keys, n);
    cudaMemcpy(values, d_values, sizeof values, cudaMemcpyDeviceToHost);
    std::printf("%d\n", values[0] == 0 && values[n - 1] == n - 1 ? 1 : 0);
    cudaFree(d_keys);
    cudaFree(d_values);
    return 0;
}
