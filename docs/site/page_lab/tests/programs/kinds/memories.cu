// Managed, constant, static and dynamic shared memory; a symbol; structures and vectors as items.
#include <cuda_runtime.h>

#include <cstdio>

struct Point {
    int x, y;
};
__constant__ int weights[4];
__device__ int total;

__global__ void memories_kernel(const int4* quads, Point* points, int* sums) {
    __shared__ int fixed[32];
    extern __shared__ int dynamic[];
    const unsigned t = threadIdx.x;
    const int4 quad = quads[t];
    const int mine =
        quad.x * weights[0] + quad.y * weights[1] + quad.z * weights[2] + quad.w * weights[3];
    fixed[t] = mine;
    dynamic[t] = 2 * mine;
    __syncthreads();
    points[t].x = fixed[31 - t];
    points[t].y = dynamic[(t + 1) % 32];
    atomicAdd(&total, mine);
    if (t == 0) sums[blockIdx.x] = dynamic[31];
}

int main() {
    int4* quads;
    Point* points;
    int* sums;
    cudaMallocManaged(&quads, 32 * sizeof(int4));
    cudaMallocManaged(&points, 32 * sizeof(Point));
    cudaMallocManaged(&sums, sizeof(int));
    for (int i = 0; i < 32; ++i) quads[i] = {i, i + 1, i + 2, i + 3};
    const int host[4] = {1, 10, 100, 1000};
    const int zero = 0;
    cudaMemcpyToSymbol(weights, host, sizeof(host));
    cudaMemcpyToSymbol(total, &zero, sizeof(zero));
    memories_kernel<<<1, 32, 32 * sizeof(int)>>>(quads, points, sums);
    cudaDeviceSynchronize();
    int found = 0;
    cudaMemcpyFromSymbol(&found, total, sizeof(found));
    std::printf("%d %d %d %d\n", points[3].x, points[3].y, sums[0], found);
    cudaFree(quads);
    cudaFree(points);
    cudaFree(sums);
}
