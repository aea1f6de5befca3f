// cudaMemset2D is given the bytes of a row as the pitch: most rows are left as they are.
#include <cuda_runtime.h>

__global__ void count_in_rows(int* rows, size_t pitch) {
    int* const row = reinterpret_cast<int*>(reinterpret_cast<char*>(rows) + blockIdx.x * pitch);
    row[threadIdx.x] += 1;
}

int main() {
    constexpr int kWidth = 24, kRows = 32;
    static int h_rows[kRows][kWidth];
    constexpr size_t kRowBytes = kWidth * sizeof(int);
    int* d_rows = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&d_rows, &pitch, kRowBytes, kRows);
    cudaMemset2D(d_rows, kRowBytes, 0, kRowBytes, kRows);
    count_in_rows<<<kRows, kWidth>>>(d_rows, pitch);
    cudaMemcpy2D(h_rows, kRowBytes, d_rows, pitch, kRowBytes, kRows, cudaMemcpyDeviceToHost);
    cudaFree(d_rows);
    return 0;
}
