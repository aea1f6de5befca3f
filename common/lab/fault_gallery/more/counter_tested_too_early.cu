// Whether there is room is tested before a place is taken, and not the place itself.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void collect_multiples(const int* numbers, int n, int* found, int* count, int room) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (numbers[i] % 4 == 0 && *count < room) {
        const int place = atomicAdd(count, 1);
        found[place] = i;
    }
}

int main() {
    constexpr int kNumbers = 512, kRoom = 40;
    int numbers[kNumbers], count = 0;
    for (int i = 0; i < kNumbers; ++i) numbers[i] = i;
    int *d_numbers, *d_found, *d_count;
    cudaMalloc(&d_numbers, sizeof numbers);
    cudaMalloc(&d_found, kNumbers * sizeof(int));
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    cudaMemcpy(d_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    collect_multiples<<<kNumbers / 64, 64>>>(d_numbers, kNumbers, d_found, d_count, kRoom);
    cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost);
    std::printf("%d\n", count > 0);
    cudaFree(d_numbers);
    cudaFree(d_found);
    cudaFree(d_count);
    return 0;
}
