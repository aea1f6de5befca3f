// Lane 0 sets a flag for what its whole warp has written, after __syncwarp() and a fence.
#include <cuda_runtime.h>

__global__ void warp_to_warp(int* data, int* flag, int* out) {
    const int lane = static_cast<int>(threadIdx.x);
    if (blockIdx.x == 0) {
        data[lane] = lane;
        __syncwarp();
        if (lane == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (lane == 0) {
            while (atomicAdd(flag, 0) == 0) __nanosleep(10);
            __threadfence();
        }
        __syncwarp();
        out[lane] = data[31 - lane];
    }
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 32 * sizeof(int));
    cudaMemset(d_data, 0, 32 * sizeof(int));
    int* d_flag = nullptr;
    cudaMalloc(&d_flag, 1 * sizeof(int));
    cudaMemset(d_flag, 0, 1 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_out, 0, 32 * sizeof(int));
    warp_to_warp<<<2, 32>>>(d_data, d_flag, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_data);
    cudaFree(d_flag);
    cudaFree(d_out);
    return 0;
}
