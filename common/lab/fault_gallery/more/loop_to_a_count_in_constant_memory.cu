// A loop over the items of a __constant__ array runs up to their number, and that one as well.
#include <cuda_runtime.h>

__constant__ float terms_of_row[8];
__constant__ int term_count;

__global__ void polynomial(float* values) {
    const float x = values[threadIdx.x];
    float sum = 0;
    for (int i = 0; i <= term_count; ++i) sum = sum * x + terms_of_row[i];
    values[threadIdx.x] = sum;
}

int main() {
    const int count = 8;
    const float terms[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float* d_values = nullptr;
    cudaMalloc(&d_values, 32 * sizeof(float));
    cudaMemset(d_values, 0, 32 * sizeof(float));
    cudaMemcpyToSymbol(terms_of_row, terms, sizeof terms);
    cudaMemcpyToSymbol(term_count, &count, sizeof count);
    polynomial<<<1, 32>>>(d_values);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    return 0;
}
