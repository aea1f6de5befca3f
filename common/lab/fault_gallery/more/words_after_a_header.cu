// The text begins behind a header of 6 bytes, and the kernel reads 4 of its bytes at once.
#include <cuda_runtime.h>
#include <cstdint>
#include <string>

constexpr int kHeaderBytes = 6;

__global__ void mask_text(char* message, int words) {
    char* text = message + kHeaderBytes;
    auto* word = reinterpret_cast<std::uint32_t*>(text);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words) word[i] &= 0x5f5f5f5fu;
}

int main() {
    const std::string message = "HEADER" + std::string(400, 'x');
    char* d_message = nullptr;
    cudaMalloc(&d_message, message.size());
    cudaMemcpy(d_message, message.data(), message.size(), cudaMemcpyHostToDevice);
    mask_text<<<1, 128>>>(d_message, 100);
    cudaDeviceSynchronize();
    cudaFree(d_message);
    return 0;
}
