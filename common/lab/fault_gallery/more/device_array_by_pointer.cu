// A helper fills a __device__ table through a pointer, for more items than it has.
#include <cuda_runtime.h>
#include <cstdio>

__device__ float table_of_halves[32];
__device__ float table_of_doubles[64];

__device__ void fill_one_table(float* table, float factor, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
        table[i] = factor * static_cast<float>(i);
    }
}

__global__ void fill_both_tables() {
    fill_one_table(table_of_doubles, 2.0f, 64);
    fill_one_table(table_of_halves, 0.5f, 40);
}

int main() {
    fill_both_tables<<<1, 32>>>();
    float last = 0;
    cudaMemcpyFromSymbol(&last, table_of_doubles, sizeof last, 63 * sizeof last);
    std::printf("%g\n", last);
    return 0;
}
