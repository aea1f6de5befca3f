// Each thread reads its own memory after it has freed it.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void sums_on_heap(int* out) {
    int* mine = static_cast<int*>(malloc(4 * sizeof(int)));
    if (mine == nullptr) return;
    mine[0] = 0;
    for (int i = 0; i < 4; ++i) mine[0] += i;
    free(mine);
    out[threadIdx.x] = mine[0];
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    sums_on_heap<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
