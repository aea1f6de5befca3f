// The pitch of cudaMallocPitch is in bytes, but the index counts floats.
#include <cuda_runtime.h>

__global__ void fill_kernel(float* rows, size_t pitch, int width) {
    const int x = static_cast<int>(threadIdx.x);
    if (x < width) rows[blockIdx.x * pitch + x] = 1;
}

int main() {
    float* d_rows = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&d_rows, &pitch, 100 * sizeof(float), 8);
    fill_kernel<<<8, 128>>>(d_rows, pitch, 100);
    cudaDeviceSynchronize();
    cudaFree(d_rows);
    return 0;
}
