// sizeof d_points is the size of the pointer, 8 bytes, but a point has 12.
#include <cuda_runtime.h>

struct Point {
    float x, y, z;
};

__global__ void place_kernel(Point* points, int n) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < n) points[i] = Point{1, 2, 3};
}

int main() {
    const int n = 100;
    Point* d_points = nullptr;
    cudaMalloc(&d_points, n * sizeof d_points);
    place_kernel<<<1, 128>>>(d_points, n);
    cudaDeviceSynchronize();
    cudaFree(d_points);
    return 0;
}
