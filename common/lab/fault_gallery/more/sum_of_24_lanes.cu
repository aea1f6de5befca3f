// A sum by halves of 24 lanes: after 12, 6 and 3 comes 1, and the third lane is left out.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void sum_of_day(const int* hours, int* sum, int n) {
    int value = hours[threadIdx.x];
    for (int away = n / 2; away > 0; away /= 2) {
        value += __shfl_down_sync(0xffffffu, value, away);
    }
    if (threadIdx.x == 0) *sum = value;
}

__global__ void sum_of_hours(const int* hours, int* sum) {
    int value = hours[threadIdx.x];
    for (int away = 12; away > 0; away /= 2) value += __shfl_xor_sync(0xffffffu, value, away);
    if (threadIdx.x == 0) *sum = value;
}

__global__ void sum_by_width(const int* hours, int* sum) {
    int value = hours[threadIdx.x];
    for (int away = 12; away > 0; away /= 2) value += __shfl_down_sync(0xffffffu, value, away, 24);
    if (threadIdx.x == 0) *sum = value;
}

int main() {
    constexpr int kHours = 24;
    std::vector<int> hours(kHours, 1);
    int *d_hours, *d_sum, sum = 0;
    cudaMalloc(&d_hours, kHours * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    cudaMemcpy(d_hours, hours.data(), kHours * sizeof(int), cudaMemcpyHostToDevice);
    sum_of_day<<<1, kHours>>>(d_hours, d_sum, kHours);
    sum_of_hours<<<1, kHours>>>(d_hours, d_sum);
    sum_by_width<<<1, kHours>>>(d_hours, d_sum);
    cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_hours);
    cudaFree(d_sum);
    if (sum == kHours) std::printf("right");
    return 0;
}
