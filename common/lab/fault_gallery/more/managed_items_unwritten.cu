// One thread per struct, but the grid is too small: the host reads what was never written.
#include <cuda_runtime.h>

#include <cstdio>

struct Position {
    float x, y, z;
};

__global__ void position_kernel(Position* points, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) points[i] = {1.0f * i, 2.0f * i, 3.0f * i};
}

int main() {
    const int n = 100;
    Position* points = nullptr;
    cudaMallocManaged(&points, n * sizeof(Position));
    position_kernel<<<n / 32, 32>>>(points, n);
    cudaDeviceSynchronize();
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += points[i].z;
    if (sum != 14850.0f) std::fputs("wrong", stderr);
    cudaFree(points);
    return 0;
}
