// Right: one pointer goes from a __device__ array to the next, and another to registered host
// memory.
#include <cuda_runtime.h>
#include <cstdio>

__device__ int first_row[16];
__device__ int second_row[16];
static int host_row[16];

struct HostRows {
    const int* of_host;
    int count;
};

__global__ void add_two_rows(HostRows rows, int* sums) {
    const int i = static_cast<int>(threadIdx.x);
    int* const row = i < 16 ? first_row : second_row;
    row[i % 16] = i;
    __syncthreads();
    int* end = row + 16;
    sums[i] = *--end + rows.of_host[i % rows.count];
}

int main() {
    for (int i = 0; i < 16; ++i) host_row[i] = i;
    cudaHostRegister(host_row, sizeof host_row, cudaHostRegisterDefault);
    int *d_sums = nullptr, sums[32];
    cudaMalloc(&d_sums, sizeof sums);
    HostRows rows{nullptr, 16};
    cudaHostGetDevicePointer(reinterpret_cast<void**>(const_cast<int**>(&rows.of_host)), host_row,
                             0);
    add_two_rows<<<1, 32>>>(rows, d_sums);
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
    std::printf("%d\n", sums[31]);
    cudaHostUnregister(host_row);
    cudaFree(d_sums);
    return 0;
}
