// Right: slots are claimed by an atomic operation, accounts changed by atomic ones, and no index is
// below 0.
#include <cuda_runtime.h>
#include <cstdio>

__device__ int claimed_slots[64];

__global__ void claim_slots(int* accounts, const char* text, int* bins, int* counter) {
    const int i = static_cast<int>(threadIdx.x), n = 32;
    if (atomicCAS(&claimed_slots[i % 16], 0, i + 1) == 0) atomicAdd(counter, 1);
    atomicSub(&accounts[i % 5], 1);
    atomicAdd(&accounts[i % 7], 1);
    atomicAdd(&bins[static_cast<unsigned char>(text[i])], (i - 1 + n) % n);
}

int main() {
    int *d_accounts = nullptr, *d_bins = nullptr, *d_counter = nullptr, count = 0;
    char *d_text = nullptr, text[32];
    for (int i = 0; i < 32; ++i) text[i] = static_cast<char>(120 + i);
    cudaMalloc(&d_accounts, 8 * sizeof(int));
    cudaMalloc(&d_bins, 256 * sizeof(int));
    cudaMalloc(&d_counter, sizeof(int));
    cudaMalloc(&d_text, sizeof text);
    cudaMemset(d_accounts, 0, 8 * sizeof(int));
    cudaMemset(d_bins, 0, 256 * sizeof(int));
    cudaMemset(d_counter, 0, sizeof(int));
    cudaMemset(d_counter, 1, 0);
    cudaMemcpy(d_text, text, sizeof text, cudaMemcpyDefault);
    claim_slots<<<1, 32>>>(d_accounts, d_text, d_bins, d_counter);
    cudaMemcpy(&count, d_counter, sizeof count, cudaMemcpyDefault);
    std::printf("%d\n", count);
    cudaFree(d_accounts);
    cudaFree(d_bins);
    cudaFree(d_counter);
    cudaFree(d_text);
    return 0;
}
