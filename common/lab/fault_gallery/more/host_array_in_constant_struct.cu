// The struct in __constant__ memory holds the address of a static array of the host.
#include <cuda_runtime.h>
#include <cstdio>

struct Filter {
    const float* weights;
    int count;
};

__constant__ Filter filter;
static float filter_weights[4] = {1, 2, 3, 4};

__global__ void weigh(float* out) {
    const int i = static_cast<int>(threadIdx.x);
    out[i] = filter.weights[i % filter.count];
}

int main() {
    const Filter of_host{filter_weights, 4};
    cudaMemcpyToSymbol(filter, &of_host, sizeof of_host);
    float *d_out = nullptr, out[32];
    cudaMalloc(&d_out, sizeof out);
    weigh<<<1, 32>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    std::printf("%g\n", out[3]);
    cudaFree(d_out);
    return 0;
}
