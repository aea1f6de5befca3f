// The left neighbour of item 0 is (0 - 1) % n, which is -1
#include <cuda_runtime.h>

__global__ void add_neighbours_in_a_ring(const int* in, int* out, int n) {
    const int i = static_cast<int>(threadIdx.x);
    const int left = (i - 1) % n;
    out[i] = in[left] + in[(i + 1) % n];
}

int main() {
    int *d_in = nullptr, *d_out = nullptr;
    cudaMalloc(&d_in, 64 * sizeof(int));
    cudaMalloc(&d_out, 64 * sizeof(int));
    cudaMemset(d_in, 0, 64 * sizeof(int));
    add_neighbours_in_a_ring<<<1, 64>>>(d_in, d_out, 64);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
