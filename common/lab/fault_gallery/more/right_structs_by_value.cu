// Structs of 24 and 48 bytes are passed through functions by value.
#include <cuda_runtime.h>

struct Vec {
    double x, y, z;
};
struct Ray {
    Vec from, to;
};

__device__ Vec plus(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ Ray moved_ray(Ray ray, Vec by) { return {plus(ray.from, by), plus(ray.to, by)}; }

__global__ void move_rays(const Vec* by, Ray* rays, Ray* out) {
    __shared__ Ray mine[32];
    mine[threadIdx.x] = moved_ray(rays[threadIdx.x], by[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = mine[31 - threadIdx.x];
}

int main() {
    Vec* d_by = nullptr;
    cudaMalloc(&d_by, 32 * sizeof(Vec));
    cudaMemset(d_by, 0, 32 * sizeof(Vec));
    Ray* d_rays = nullptr;
    cudaMalloc(&d_rays, 32 * sizeof(Ray));
    cudaMemset(d_rays, 0, 32 * sizeof(Ray));
    Ray* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(Ray));
    cudaMemset(d_out, 0, 32 * sizeof(Ray));
    move_rays<<<1, 32>>>(d_by, d_rays, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_by);
    cudaFree(d_rays);
    cudaFree(d_out);
    return 0;
}
