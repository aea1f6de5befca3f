// A lock is released in two lines, and only one of them has a fence before it.
#include <cuda_runtime.h>

#include <cstdio>

struct Account {
    int lock, owner, balance;
};

__global__ void deposit(Account* accounts, const int* owners, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = owners[i] % 16;
    for (bool is_done = false; !is_done;) {
        if (atomicCAS(&accounts[at].lock, 0, 1) == 0) {
            __threadfence();
            const int owner = accounts[at].owner;
            if (owner != -1 && owner != owners[i]) {
                atomicExch(&accounts[at].lock, 0);
                at = (at + 1) % 16;
                continue;
            }
            accounts[at].owner = owners[i];
            accounts[at].balance += 1;
            __threadfence();
            atomicExch(&accounts[at].lock, 0);
            is_done = true;
        }
    }
}

int main() {
    constexpr int kDeposits = 96;
    int owners[kDeposits];
    for (int i = 0; i < kDeposits; ++i) owners[i] = i % 8 * 16;
    Account empty[16];
    for (Account& each : empty) each = {0, -1, 0};
    Account* accounts;
    int* d_owners;
    cudaMalloc(&accounts, sizeof empty);
    cudaMalloc(&d_owners, sizeof owners);
    cudaMemcpy(accounts, empty, sizeof empty, cudaMemcpyHostToDevice);
    cudaMemcpy(d_owners, owners, sizeof owners, cudaMemcpyHostToDevice);
    deposit<<<3, 32>>>(accounts, d_owners, kDeposits);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(accounts);
    cudaFree(d_owners);
    return 0;
}
