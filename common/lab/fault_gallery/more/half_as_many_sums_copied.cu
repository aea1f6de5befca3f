// There are half as many sums as values, but as many as values are copied to the host.
#include <cuda_runtime.h>
#include <vector>

__global__ void sums_of_two(const double* values, double* sums, int pairs) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs) sums[i] = values[2 * i] + values[2 * i + 1];
}

int main() {
    const int n = 512, pairs = n / 2;
    std::vector<double> host(n, 1.0);
    double *d_values = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_values, n * sizeof(double));
    cudaMalloc(&d_sums, pairs * sizeof(double));
    cudaMemcpy(d_values, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    sums_of_two<<<1, pairs>>>(d_values, d_sums, pairs);
    cudaMemcpy(host.data(), d_sums, n * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(d_values);
    cudaFree(d_sums);
    return 0;
}
