// Right: rows of cudaMallocPitch, by bytes in the kernel and in both copies.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void double_pitched_rows(float* rows, size_t pitch) {
    float* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(rows) + blockIdx.x * pitch);
    row[threadIdx.x] *= 2;
}

int main() {
    static float h_rows[8][10];
    h_rows[7][9] = 21;
    float* d_rows = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&d_rows, &pitch, 40, 8);
    cudaMemcpy2D(d_rows, pitch, h_rows, 40, 40, 8, cudaMemcpyHostToDevice);
    double_pitched_rows<<<8, 10>>>(d_rows, pitch);
    cudaMemcpy2D(h_rows, 40, d_rows, pitch, 40, 8, cudaMemcpyDeviceToHost);
    std::printf("%g\n", h_rows[7][9]);
    cudaFree(d_rows);
    return 0;
}
