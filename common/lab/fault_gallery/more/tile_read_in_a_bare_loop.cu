// A barrier is missing before a loop without braces, and one after it.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void rows_times_vector(const float* matrix, const float* x, float* y, int n) {
    __shared__ float x_part[32];
    int t = threadIdx.x, row = blockIdx.x * 64 + t;
    float sum = 0;
    for (int first = 0; first < n; first += 32) {
        if (t < 32) x_part[t] = x[first + t];
        for (int column = 0; column < 32; ++column)
            sum += matrix[row * n + first + column] * x_part[column];
    }
    y[row] = sum;
}

int main() {
    const int n = 128;
    static float a[n * n], x[n];
    for (int i = 0; i < n * n; ++i) a[i] = 1;
    for (int i = 0; i < n; ++i) x[i] = i;
    float *d, *e, *o;
    cudaMalloc(&d, sizeof a);
    cudaMalloc(&e, sizeof x);
    cudaMalloc(&o, sizeof x);
    cudaMemcpy(d, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(e, x, sizeof x, cudaMemcpyHostToDevice);
    rows_times_vector<<<2, 64>>>(d, e, o, n);
    cudaMemcpy(x, o, sizeof x, cudaMemcpyDeviceToHost);
    std::printf("%f\n", x[127]);
    cudaFree(d);
    cudaFree(e);
    cudaFree(o);
    return 0;
}
