// The programming guide's loop of atomicCAS begins with a plain load: a note, and no fault.
#include <cuda_runtime.h>

__global__ void largest_of_all(const int* in, int* largest) {
    const int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    int old = *largest;
    while (old < mine) {
        const int assumed = old;
        old = atomicCAS(largest, assumed, mine);
        if (old == assumed) break;
    }
}

int main() {
    int h_in[128];
    for (int i = 0; i < 128; ++i) h_in[i] = i * 37 % 128;
    int* d_in = nullptr;
    int* d_largest = nullptr;
    cudaMalloc(&d_in, sizeof h_in);
    cudaMalloc(&d_largest, sizeof(int));
    cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice);
    cudaMemset(d_largest, 0, sizeof(int));
    largest_of_all<<<4, 32>>>(d_in, d_largest);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_largest);
    return 0;
}
