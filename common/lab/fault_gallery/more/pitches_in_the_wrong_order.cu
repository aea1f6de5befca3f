// cudaMemcpy2D takes the pitch of the destination before that of the source.
#include <cuda_runtime.h>

__global__ void twice_rows(float* rows, size_t pitch) {
    float* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(rows) + blockIdx.x * pitch);
    row[threadIdx.x] *= 2;
}

int main() {
    static float h_rows[8][128];
    float* d_rows = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&d_rows, &pitch, 40, 8);
    cudaMemcpy2D(d_rows, 40, h_rows, pitch, 40, 8, cudaMemcpyHostToDevice);
    twice_rows<<<8, 10>>>(d_rows, pitch);
    cudaDeviceSynchronize();
    cudaFree(d_rows);
    return 0;
}
