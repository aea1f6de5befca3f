// Right: one table is set in two parts; of another only the part that is set is used.
#include <cuda_runtime.h>

__constant__ float halves_of[8];
__constant__ float coefficients[64];
__constant__ int first_primes[8] = {2, 3, 5};

__global__ void use_kernel(float* numbers, int n) {
    const int i = static_cast<int>(threadIdx.x);
    numbers[i] = halves_of[i] + static_cast<float>(first_primes[i]);
    if (i < n) numbers[i] += coefficients[i];
}

int main() {
    const float h_numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float* d_numbers = nullptr;
    cudaMalloc(&d_numbers, sizeof h_numbers);
    cudaMemcpyToSymbol(halves_of, h_numbers, 16);
    cudaMemcpyToSymbol(halves_of, h_numbers + 4, 16, 16);
    cudaMemcpyToSymbol(coefficients, h_numbers, 5 * sizeof(float));
    cudaMemcpyToSymbol(first_primes, h_numbers, 4);
    use_kernel<<<1, 8>>>(d_numbers, 5);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
