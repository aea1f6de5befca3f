// Each thread waits for its own asynchronous copies, and then reads what other threads have copied.
#include <cuda_runtime.h>

#include <cuda/pipeline>

__global__ void reverse_rows(const int* rows, int* reversed, int count) {
    __shared__ int row[2][128];
    cuda::pipeline<cuda::thread_scope_thread> copies = cuda::make_pipeline();
    const int t = static_cast<int>(threadIdx.x);
    for (int r = 0, half = 0; r < count; ++r, half ^= 1) {
        copies.producer_acquire();
        cuda::memcpy_async(&row[half][t], &rows[128 * r + t], sizeof(int), copies);
        copies.producer_commit();
        copies.consumer_wait();
        reversed[128 * r + t] = row[half][127 - t];
        copies.consumer_release();
        __syncthreads();  // the row has been read
    }
}

int main() {
    constexpr int kRows = 3;
    static int rows[kRows * 128];
    for (int i = 0; i < kRows * 128; ++i) rows[i] = i;
    int *d_rows = nullptr, *d_reversed = nullptr;
    cudaMalloc(&d_rows, sizeof rows);
    cudaMalloc(&d_reversed, sizeof rows);
    cudaMemcpy(d_rows, rows, sizeof rows, cudaMemcpyHostToDevice);
    reverse_rows<<<1, 128>>>(d_rows, d_reversed, kRows);
    cudaMemcpy(rows, d_reversed, sizeof rows, cudaMemcpyDeviceToHost);
    cudaFree(d_rows);
    cudaFree(d_reversed);
    return 0;
}
