// The address of a function comes from the device.
#include <cuda_runtime.h>

using UnaryOfDevice = int (*)(int);
__device__ int minus_one(int x) { return x - 1; }
__device__ UnaryOfDevice device_minus_one = minus_one;
__global__ void apply_of_device(UnaryOfDevice f, int* out) { out[threadIdx.x] = f(threadIdx.x); }

int main() {
    int* d_out = nullptr;
    UnaryOfDevice h_function = nullptr;
    cudaMemcpyFromSymbol(&h_function, device_minus_one, sizeof h_function);
    cudaMalloc(&d_out, 32 * sizeof(int));
    apply_of_device<<<1, 32>>>(h_function, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
