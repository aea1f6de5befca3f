// Thread 0 deletes what it has allocated for all, while the others still read it.
#include <cuda_runtime.h>

__global__ void reverse_through_heap(int* numbers) {
    __shared__ int* copy;
    const int t = static_cast<int>(threadIdx.x);
    if (t == 0) copy = new int[64];
    __syncthreads();  // copy is there
    if (copy == nullptr) return;
    copy[t] = numbers[t];
    __syncthreads();  // all have written
    numbers[t] = copy[63 - t];
    if (t == 0) delete[] copy;
}

int main() {
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, 64 * sizeof(int));
    cudaMemset(d_numbers, 0, 64 * sizeof(int));
    reverse_through_heap<<<1, 64>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
    return 0;
}
