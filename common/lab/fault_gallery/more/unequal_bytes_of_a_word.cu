// One thread stores a byte, and another the word that contains it, with a different value there.
#include <cuda_runtime.h>

__global__ void mark_byte(unsigned char* bytes) {
    if (threadIdx.x == 0) bytes[4] = 7;
    if (threadIdx.x == 1) *reinterpret_cast<unsigned*>(bytes + 4) = 0x01020304u;
}

int main() {
    unsigned char* d_bytes = nullptr;
    cudaMalloc(&d_bytes, 16);
    cudaMemset(d_bytes, 0, 16);
    mark_byte<<<1, 32>>>(d_bytes);
    cudaDeviceSynchronize();
    cudaFree(d_bytes);
    return 0;
}
