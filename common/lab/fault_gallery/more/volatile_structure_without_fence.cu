// A volatile structure of a value and a flag: the flag may be seen before the value.
#include <cuda_runtime.h>

struct Handed {
    int sum, is_ready;
};

__global__ void add_up_in_turn(volatile Handed* handed, int* total) {
    if (threadIdx.x != 0) return;
    int sum = 0;
    if (blockIdx.x > 0) {
        while (handed[blockIdx.x - 1].is_ready == 0) {
        }
        sum = handed[blockIdx.x - 1].sum;
    }
    handed[blockIdx.x].sum = sum + 1;
    handed[blockIdx.x].is_ready = 1;
    if (blockIdx.x == gridDim.x - 1) *total = sum + 1;
}

int main() {
    Handed* d_handed = nullptr;
    int* d_total = nullptr;
    cudaMalloc(&d_handed, 4 * sizeof(Handed));
    cudaMalloc(&d_total, sizeof(int));
    cudaMemset(d_handed, 0, 4 * sizeof(Handed));
    add_up_in_turn<<<4, 32>>>(d_handed, d_total);
    cudaDeviceSynchronize();
    cudaFree(d_total);
    cudaFree(d_handed);
    return 0;
}
