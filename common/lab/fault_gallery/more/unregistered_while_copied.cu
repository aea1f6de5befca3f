// The host's memory is unregistered and freed before anything has waited for the copy into it
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void number_all(int* numbers) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    numbers[i] = i;
}

int main() {
    constexpr int kNumbers = 2048;
    int* const host = static_cast<int*>(std::malloc(kNumbers * sizeof(int)));
    int* device = nullptr;
    cudaMalloc(&device, kNumbers * sizeof(int));
    cudaHostRegister(host, kNumbers * sizeof(int), cudaHostRegisterDefault);
    number_all<<<kNumbers / 256, 256>>>(device);
    cudaMemcpyAsync(host, device, kNumbers * sizeof(int), cudaMemcpyDeviceToHost);
    cudaHostUnregister(host);
    std::free(host);
    cudaFree(device);
    return 0;
}
