// sizeof d_points is the size of the pointer, 8 bytes, but a point has 12.
#include <cuda_runtime.h>

struct Corner {
    float x, y, z;
};

__global__ void corner_kernel(Corner* points, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < n) points[i] = Corner{1, 2, 3};
}

int main() {
    const int n = 100;
    Corner* d_points = nullptr;
    cudaMalloc(&d_points, n * sizeof d_points);
    corner_kernel<<<1, 128>>>(d_points, n);
    cudaDeviceSynchronize();
    cudaFree(d_points);
    return 0;
}
