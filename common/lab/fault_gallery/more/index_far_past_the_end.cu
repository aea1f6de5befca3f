// The row's offset is that of a wider matrix: most rows lie far past the array, in other memory.
#include <cuda_runtime.h>

__global__ void mark_rows(int* marks, int pitch) {
    const int row = static_cast<int>(threadIdx.x);
    marks[row * pitch] = 1;
}

int main() {
    int* d_marks = nullptr;
    cudaMalloc(&d_marks, 1 << 16);
    mark_rows<<<1, 32>>>(d_marks, 100000000);
    cudaDeviceSynchronize();
    cudaFree(d_marks);
    return 0;
}
