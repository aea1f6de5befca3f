// The host buffer has as many bytes as it should have items.
#include <cuda_runtime.h>
#include <cstdlib>

__global__ void iota_kernel(int* data) { data[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    iota_kernel<<<1, 64>>>(d_data);
    int* const h_data = static_cast<int*>(std::malloc(64));
    cudaMemcpy(h_data, d_data, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    std::free(h_data);
    cudaFree(d_data);
    return 0;
}
