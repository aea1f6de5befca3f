// The lambda refers to a variable of the host.
#include <cuda_runtime.h>

template <class Function>
__global__ void apply_kernel(Function function, int* out) {
    out[threadIdx.x] = function(static_cast<int>(threadIdx.x));
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    int factor = 3;
    const auto scale = [&] __device__(int i) { return i * factor; };
    apply_kernel<<<1, 32>>>(scale, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
