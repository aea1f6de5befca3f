// The function of the host that adds up a copy's numbers does not run in the copy's stream.
#include <cuda_runtime.h>

namespace {

__global__ void cube_kernel(int* numbers) {
    const int number = numbers[threadIdx.x];
    numbers[threadIdx.x] = number * number * number;
}

int sum_of_cubes = 0;

void CUDART_CB add_cubes(void* numbers) {
    for (int i = 0; i < 64; ++i) sum_of_cubes += static_cast<int*>(numbers)[i];
}

}  // namespace

int main() {
    constexpr int bytes = 64 * sizeof(int);
    int *numbers, *d_numbers;
    cudaStream_t compute, notify;
    cudaMallocHost(&numbers, bytes);
    cudaMalloc(&d_numbers, bytes);
    cudaStreamCreate(&compute);
    cudaStreamCreate(&notify);
    cudaMemsetAsync(d_numbers, 0, bytes, compute);
    cube_kernel<<<1, 64, 0, compute>>>(d_numbers);
    cudaMemcpyAsync(numbers, d_numbers, bytes, cudaMemcpyDeviceToHost, compute);
    cudaLaunchHostFunc(notify, add_cubes, numbers);
    cudaDeviceSynchronize();
    cudaStreamDestroy(compute);
    cudaStreamDestroy(notify);
    cudaFreeHost(numbers);
    cudaFree(d_numbers);
    return 0;
}
