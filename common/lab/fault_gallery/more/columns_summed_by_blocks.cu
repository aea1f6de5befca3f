// Each block adds its row to the sums of the columns.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_row_of_block(const float* m, float* sums, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w && y < h) sums[x] += m[y * w + x];
}

int main() {
    float m[4 * 64], s[64];
    for (int i = 0; i < 256; ++i) m[i] = 1;
    float *d, *o;
    cudaMalloc(&d, sizeof m);
    cudaMalloc(&o, sizeof s);
    cudaMemcpy(d, m, sizeof m, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof s);
    add_row_of_block<<<4, 64>>>(d, o, 64, 4);
    cudaMemcpy(s, o, sizeof s, cudaMemcpyDeviceToHost);
    std::printf("%f %f\n", s[0], s[63]);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
