// Each block fetches the number of its next item; the test is of the number that it has got
#include <cuda_runtime.h>

__global__ void fill_fetched(int* head, int* filled, int items) {
    __shared__ int item[2];
    const int tid = threadIdx.x;
    if (tid == 0) item[1] = atomicAdd(&head[0], 1);
    __syncthreads();
    while (item[1] < items) {
        if (item[1] % 5 == 0) {
            __syncthreads();
            if (tid == 0) item[1] = atomicAdd(&head[0], 1);
            __syncthreads();
            continue;
        }
        if (tid < 4) filled[item[1] * 4 + tid] = item[1];
        __syncthreads();
        if (tid == 0) item[1] = atomicAdd(&head[0], 1);
        __syncthreads();
    }
}

int main() {
    constexpr int kItems = 40;
    int *d_head, *d_filled;
    cudaMalloc(&d_head, sizeof(int));
    cudaMalloc(&d_filled, 4 * kItems * sizeof(int));
    cudaMemset(d_head, 0, sizeof(int));
    fill_fetched<<<4, 64>>>(d_head, d_filled, kItems);
    cudaDeviceSynchronize();
    cudaFree(d_filled);
    cudaFree(d_head);
    return 0;
}
