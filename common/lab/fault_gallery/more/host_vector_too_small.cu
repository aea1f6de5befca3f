// The vector has one item for each block, the copy one for each thread.
#include <cuda_runtime.h>
#include <vector>

__global__ void ranks(int* data) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
    int* d_data = nullptr;
    cudaMalloc(&d_data, 256 * sizeof(int));
    ranks<<<4, 64>>>(d_data);
    std::vector<int> h_data(4);
    cudaMemcpy(h_data.data(), d_data, 256 * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    return 0;
}
