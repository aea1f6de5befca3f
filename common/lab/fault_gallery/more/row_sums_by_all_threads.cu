// All threads of several blocks add to the sum of their row.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void add_to_row_sum(const float* m, float* sum, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < w) sum[y] += m[y * w + x];
}

int main() {
    static float h[256 * 4], s[4];
    for (int i = 0; i < 1024; ++i) h[i] = i % 7;
    float *d, *o;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, sizeof s);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(o, 0, sizeof s);
    add_to_row_sum<<<dim3(2, 4), 128>>>(d, o, 256);
    cudaMemcpy(s, o, sizeof s, cudaMemcpyDeviceToHost);
    std::printf("%f\n", s[0]);
    cudaFree(d);
    cudaFree(o);
    return 0;
}
