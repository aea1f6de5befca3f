// Each thread moves an amount from one account to another: two updates, and others use the same
// accounts.
#include <cuda_runtime.h>

__global__ void transfer(int* accounts, const int* from, const int* to) {
    const unsigned i = threadIdx.x;
    accounts[from[i]] -= 1;
    accounts[to[i]] += 1;
}

int main() {
    int *d_accounts = nullptr, *d_from = nullptr, *d_to = nullptr, from[64], to[64];
    for (int i = 0; i < 64; ++i) {
        from[i] = i % 12;
        to[i] = i * 5 % 11;
    }
    cudaMalloc(&d_accounts, 12 * sizeof(int));
    cudaMalloc(&d_from, sizeof from);
    cudaMalloc(&d_to, sizeof to);
    cudaMemset(d_accounts, 0, 12 * sizeof(int));
    cudaMemcpy(d_from, from, sizeof from, cudaMemcpyHostToDevice);
    cudaMemcpy(d_to, to, sizeof to, cudaMemcpyHostToDevice);
    transfer<<<1, 64>>>(d_accounts, d_from, d_to);
    cudaDeviceSynchronize();
    cudaFree(d_accounts);
    cudaFree(d_from);
    cudaFree(d_to);
    return 0;
}
