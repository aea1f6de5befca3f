// Memory that a kernel gets from malloc() is uninitialised.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void sum_of_heap(int* out) {
    int* const mine = static_cast<int*>(malloc(4 * sizeof(int)));
    if (mine == nullptr) return;
    for (int i = 0; i < 4; ++i) mine[i] += i;
    out[threadIdx.x] = mine[3];
    free(mine);
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    sum_of_heap<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
