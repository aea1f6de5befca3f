// Copies the first two items, with the size of an array of two; and frees what was registered
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void fourth_power(int* powers) {
    const int i = static_cast<int>(threadIdx.x);
    powers[i] = i * i * i * i;
}

int main() {
    int* all = static_cast<int*>(std::calloc(64, sizeof(int)));
    cudaHostRegister(all, 64 * sizeof(int), cudaHostRegisterDefault);
    int* d_powers = nullptr;
    cudaMalloc(&d_powers, 64 * sizeof(int));
    fourth_power<<<1, 64>>>(d_powers);
    int first[2];
    cudaMemcpy(first, d_powers, sizeof(first), cudaMemcpyDeviceToHost);
    cudaMemcpy(all, d_powers, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    const bool is_right = first[1] == all[1];
    cudaHostUnregister(all);
    std::free(all);
    cudaFree(d_powers);
    return is_right ? 0 : 2;
}
