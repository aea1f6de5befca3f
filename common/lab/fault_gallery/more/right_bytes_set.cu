// Bytes used as bytes, or as a large int, -1, ints that are only compared with 0, and a fill that
// is replaced
#include <cuda_runtime.h>

__global__ void smallest_of_used(const unsigned char* used, const int* owner, const int* valid,
                                 int* smallest, int* seen) {
    const int i = threadIdx.x;
    seen[i] = i;
    if (valid[i] != 0 && used[i] == 1 && owner[i] == -1) atomicMin(smallest, seen[i]);
}

int main() {
    constexpr int kItems = 32;
    unsigned char* d_used;
    int *d_owner, *d_valid, *d_smallest, *d_seen;
    cudaMalloc(&d_used, kItems);
    cudaMalloc(&d_owner, kItems * sizeof(int));
    cudaMalloc(&d_valid, kItems * sizeof(int));
    cudaMalloc(&d_smallest, sizeof(int));
    cudaMalloc(&d_seen, kItems * sizeof(int));
    cudaMemset(d_used, 1, kItems);
    cudaMemset(d_owner, -1, kItems * sizeof(int));
    cudaMemset(d_valid, 1, kItems * sizeof(int));
    cudaMemset(d_smallest, 0x7f, sizeof(int));
    cudaMemset(d_seen, 1, kItems * sizeof(int));
    smallest_of_used<<<1, kItems>>>(d_used, d_owner, d_valid, d_smallest, d_seen);
    cudaDeviceSynchronize();
    cudaFree(d_seen);
    cudaFree(d_smallest);
    cudaFree(d_valid);
    cudaFree(d_owner);
    cudaFree(d_used);
    return 0;
}
