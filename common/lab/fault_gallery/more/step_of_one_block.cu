// The loop goes on by the threads of one block, so the blocks do the same items again.
#include <cuda_runtime.h>

__device__ void add_interest(int& cents) { cents += cents / 20; }

__global__ void close_year(int* cents, int accounts) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < accounts;
         i += static_cast<int>(blockDim.x)) {
        add_interest(cents[i]);
    }
}

int main() {
    constexpr int kAccounts = 700;
    int h_cents[kAccounts];
    for (int i = 0; i < kAccounts; ++i) h_cents[i] = 1000 * (i + 1);
    int* d_cents = nullptr;
    cudaMalloc(&d_cents, sizeof h_cents);
    cudaMemcpy(d_cents, h_cents, sizeof h_cents, cudaMemcpyHostToDevice);
    close_year<<<3, 128>>>(d_cents, kAccounts);
    cudaMemcpy(h_cents, d_cents, sizeof h_cents, cudaMemcpyDeviceToHost);
    cudaFree(d_cents);
    return 0;
}
