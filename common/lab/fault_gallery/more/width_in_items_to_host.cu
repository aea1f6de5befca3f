// cudaMemcpy2D to the host with the number of items in a row as its width, which is in bytes.
#include <cuda_runtime.h>

__global__ void ramp_of_rows(float* rows, size_t pitch) {
    float* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(rows) + blockIdx.x * pitch);
    row[threadIdx.x] = threadIdx.x;
}

int main() {
    constexpr int kWidth = 40, kRows = 8;
    static float h_rows[kRows][kWidth];
    float* d_rows = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&d_rows, &pitch, kWidth * sizeof(float), kRows);
    ramp_of_rows<<<kRows, kWidth>>>(d_rows, pitch);
    cudaMemcpy2D(h_rows, kWidth * sizeof(float), d_rows, pitch, kWidth, kRows,
                 cudaMemcpyDeviceToHost);
    cudaFree(d_rows);
    return 0;
}
