// The kernel's argument is a copy, and its destructor frees the memory of the original.
#include <cuda_runtime.h>

struct Buffer {
    explicit Buffer(int items) { cudaMalloc(&data, items * sizeof(int)); }
    ~Buffer() { cudaFree(data); }
    int* data = nullptr;
};

__global__ void fill_buffer(Buffer buffer) { buffer.data[threadIdx.x] = 1; }

int main() {
    const Buffer buffer(64);
    fill_buffer<<<1, 64>>>(buffer);
    cudaDeviceSynchronize();
    return 0;
}
