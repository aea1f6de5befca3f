// The number of a thread in its block: a row has blockDim.x threads, and not blockDim.y.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void tile_maximum(const int* image, int width, int* largest) {
    __shared__ int tile[32 * 4];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int mine = ty * blockDim.y + tx;
    tile[mine] = image[(blockIdx.x * 4 + ty) * width + tx];
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (mine < half && tile[mine + half] > tile[mine]) tile[mine] = tile[mine + half];
        __syncthreads();
    }
    if (mine == 0) largest[blockIdx.x] = tile[0];
}

int main() {
    constexpr int kWidth = 32, kTiles = 2, kItems = kTiles * 4 * kWidth;
    int image[kItems], largest[kTiles];
    for (int i = 0; i < kItems; ++i) image[i] = i * 37 % 101;
    int *d_image, *d_largest;
    cudaMalloc(&d_image, sizeof image);
    cudaMalloc(&d_largest, sizeof largest);
    cudaMemcpy(d_image, image, sizeof image, cudaMemcpyHostToDevice);
    tile_maximum<<<kTiles, dim3(32, 4)>>>(d_image, kWidth, d_largest);
    cudaMemcpy(largest, d_largest, sizeof largest, cudaMemcpyDeviceToHost);
    std::printf("%d\n", largest[0] > 0);
    cudaFree(d_image);
    cudaFree(d_largest);
    return 0;
}
