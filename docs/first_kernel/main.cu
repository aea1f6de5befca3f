// The first kernel: a thousand temperatures from Fahrenheit to Celsius, a thread for each.
//
//     ./tutorial run first
//     nvcc -std=c++17 -arch=native docs/first_kernel/main.cu -o first && ./first
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    std::exit(1);
}

__host__ __device__ float to_celsius(float fahrenheit) { return (fahrenheit - 32) * 5 / 9; }

__global__ void celsius_kernel(const float* fahrenheit, float* celsius, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) celsius[i] = to_celsius(fahrenheit[i]);
}

int main() {
    const int n = 1000;
    const std::size_t bytes = n * sizeof(float);
    std::vector<float> fahrenheit(n), celsius(n);
    for (int i = 0; i < n; ++i) fahrenheit[i] = static_cast<float>(i);

    float *d_fahrenheit = nullptr, *d_celsius = nullptr;
    CHECK(cudaMalloc(&d_fahrenheit, bytes));
    CHECK(cudaMalloc(&d_celsius, bytes));
    CHECK(cudaMemcpy(d_fahrenheit, fahrenheit.data(), bytes, cudaMemcpyHostToDevice));

    const int threads = 256, blocks = (n + threads - 1) / threads;
    celsius_kernel<<<blocks, threads>>>(d_fahrenheit, d_celsius, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(celsius.data(), d_celsius, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_fahrenheit));
    CHECK(cudaFree(d_celsius));

    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += celsius[i] != to_celsius(fahrenheit[i]);
    std::printf("%g F is %g C; %d of %d are wrong\n", fahrenheit[n - 1], celsius[n - 1], wrong, n);
    return wrong == 0 ? 0 : 1;
}
