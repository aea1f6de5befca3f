// sizeof of a pointer: 8 bytes of the result are copied back
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void cube_of_number(int* cubes) {
    const int i = static_cast<int>(threadIdx.x);
    cubes[i] = i * i * i;
}

int main() {
    int* cubes = static_cast<int*>(std::calloc(64, sizeof(int)));
    int* d_cubes = nullptr;
    cudaMalloc(&d_cubes, 64 * sizeof(int));
    cube_of_number<<<1, 64>>>(d_cubes);
    cudaMemcpy(cubes, d_cubes, sizeof(cubes), cudaMemcpyDeviceToHost);
    std::free(cubes);
    cudaFree(d_cubes);
    return 0;
}
