// A pointer that was never allocated.
#include <cuda_runtime.h>

__global__ void set_one(int* data) { data[threadIdx.x] = 1; }

int main() {
    int* d_data = nullptr;
    set_one<<<1, 32>>>(d_data);
    cudaDeviceSynchronize();
    return 0;
}
