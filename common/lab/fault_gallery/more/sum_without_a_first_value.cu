// The sum of a row begins with whatever is in its register
#include <cuda_runtime.h>

#include <vector>

__global__ void mean_of_rows(const float* rows, float* means, int columns) {
    const int row = static_cast<int>(threadIdx.x);
    float sum;
    for (int column = 0; column < columns; ++column) sum += rows[row * columns + column];
    means[row] = sum / columns;
}

int main() {
    const std::vector<float> rows(64 * 30, 3.0f);
    float *d_rows = nullptr, *d_means = nullptr;
    cudaMalloc(&d_rows, rows.size() * sizeof(float));
    cudaMalloc(&d_means, 64 * sizeof(float));
    cudaMemcpy(d_rows, rows.data(), rows.size() * sizeof(float), cudaMemcpyHostToDevice);
    mean_of_rows<<<1, 64>>>(d_rows, d_means, 30);
    cudaDeviceSynchronize();
    cudaFree(d_means);
    cudaFree(d_rows);
    return 0;
}
