// Right: a host function in the stream runs after the copy whose result it adds up, and another
// one clears the source of a later copy.
#include <cstdio>

namespace {

__global__ void add_index(int* numbers) { numbers[threadIdx.x] += static_cast<int>(threadIdx.x); }

int host_function_sum = 0;

void CUDART_CB add_up_on_host(void* numbers) {
    for (int i = 0; i < 32; ++i) host_function_sum += static_cast<int*>(numbers)[i];
}

void CUDART_CB clear_on_host(cudaStream_t, cudaError_t, void* numbers) {
    for (int i = 0; i < 32; ++i) static_cast<int*>(numbers)[i] = 0;
}

}  // namespace

int main() {
    constexpr int bytes = 32 * sizeof(int);
    int *numbers, *d_numbers;
    cudaStream_t stream;
    cudaMallocHost(&numbers, bytes);
    cudaMalloc(&d_numbers, bytes);
    cudaStreamCreate(&stream);
    cudaMemsetAsync(d_numbers, 0, bytes, stream);
    add_index<<<1, 32, 0, stream>>>(d_numbers);
    cudaMemcpyAsync(numbers, d_numbers, bytes, cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, add_up_on_host, numbers);
    cudaStreamAddCallback(stream, clear_on_host, numbers, 0);
    cudaMemcpyAsync(d_numbers, numbers, bytes, cudaMemcpyHostToDevice, stream);
    add_index<<<1, 32, 0, stream>>>(d_numbers);
    cudaMemcpyAsync(numbers, d_numbers, bytes, cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, add_up_on_host, numbers);
    cudaStreamSynchronize(stream);
    std::printf("%d\n", host_function_sum);
    cudaFreeHost(numbers);
    cudaFree(d_numbers);
    cudaStreamDestroy(stream);
    return 0;
}
