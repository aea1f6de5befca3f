// Right: where the stores of two threads overlap, they store equal bytes; the others differ.
#include <cuda_runtime.h>

#include <cstring>

struct Pair {
    short x, y;
};

__global__ void mark_equal_byte(unsigned char* bytes) {
    if (threadIdx.x == 0) bytes[4] = 7;
    if (threadIdx.x == 1) *reinterpret_cast<unsigned*>(bytes + 4) = 0x01020307u;
}

__global__ void copy_too_much(const Pair* from, Pair* to) {
    char* const begin = reinterpret_cast<char*>(&to[threadIdx.x]) + 1;
    std::memcpy(begin, &from[threadIdx.x], 6);
}

int main() {
    unsigned char *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, 16);
    cudaMalloc(&d_to, 16);
    cudaMemset(d_from, 3, 16);
    cudaMemset(d_to, 0, 16);
    mark_equal_byte<<<1, 32>>>(d_to);
    copy_too_much<<<1, 2>>>(reinterpret_cast<Pair*>(d_from), reinterpret_cast<Pair*>(d_to));
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
    return 0;
}
