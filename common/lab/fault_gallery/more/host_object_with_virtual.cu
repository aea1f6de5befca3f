// An object with virtual functions is made on the host and copied: its table of functions is the
// host's, which a GPU cannot call.
#include <cuda_runtime.h>
#include <cstdio>

struct AnyShape {
    __host__ __device__ virtual float area() const { return 0; }
};
struct SquareShape : AnyShape {
    float side;
    __host__ __device__ explicit SquareShape(float its_side) : side(its_side) {}
    __host__ __device__ float area() const override { return side * side; }
};

__global__ void area_of_shape(const AnyShape* shape, float* out) { *out = shape->area(); }

int main() {
    SquareShape square(3);
    SquareShape* d_square = nullptr;
    float *d_area = nullptr, area = 0;
    cudaMalloc(&d_square, sizeof square);
    cudaMalloc(&d_area, sizeof(float));
    cudaMemcpy(d_square, &square, sizeof square, cudaMemcpyHostToDevice);
    area_of_shape<<<1, 1>>>(d_square, d_area);
    cudaMemcpy(&area, d_area, sizeof area, cudaMemcpyDeviceToHost);
    std::printf("%g\n", area);
    cudaFree(d_square);
    cudaFree(d_area);
    return 0;
}
