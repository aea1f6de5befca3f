// The copy that fetches the next row fills that part of the buffer which this round reads.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int kPixels = 64, kScanlines = 5;

__global__ void blur_scanlines(const float* image, float* blurred) {
    __shared__ float scanline[2][kPixels];
    const unsigned x = threadIdx.x, left = x == 0 ? 0 : x - 1;
    __pipeline_memcpy_async(&scanline[0][x], &image[x], sizeof(float));
    __pipeline_commit();
    for (int y = 0; y < kScanlines; ++y) {
        const int half = y % 2;
        if (y + 1 < kScanlines) {
            const float* next = image + (y + 1) * kPixels;
            __pipeline_memcpy_async(&scanline[half][x], &next[x], sizeof(float));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        blurred[y * kPixels + x] = (scanline[half][left] + scanline[half][x]) / 2;
        __syncthreads();
    }
}

}  // namespace

int main() {
    static float image[kScanlines * kPixels];
    for (int i = 0; i < kScanlines * kPixels; ++i) image[i] = static_cast<float>(i % 9);
    float *d_image = nullptr, *d_blurred = nullptr;
    cudaMalloc(&d_image, sizeof image);
    cudaMalloc(&d_blurred, sizeof image);
    cudaMemcpy(d_image, image, sizeof image, cudaMemcpyHostToDevice);
    blur_scanlines<<<1, kPixels>>>(d_image, d_blurred);
    cudaMemcpy(image, d_blurred, sizeof image, cudaMemcpyDeviceToHost);
    std::printf("%.1f\n", image[1]);
    cudaFree(d_image);
    cudaFree(d_blurred);
    return 0;
}
