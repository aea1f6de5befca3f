// A lane may ask for the value of one that does not take part, if it does not use what it gets.
#include <cuda_runtime.h>

__device__ int sum_of_first(int value, int count, int lane, unsigned mask) {
    for (int distance = 16; distance > 0; distance /= 2) {
        const int other = __shfl_down_sync(mask, value, distance);
        value += lane + distance < count ? other : 0;
    }
    return value;
}

__global__ void largest_and_sum(const int* items, int count, int* largest, int* sum) {
    const int lane = static_cast<int>(threadIdx.x);
    const unsigned mask = __ballot_sync(0xffffffff, lane < count);
    if (lane >= count) return;
    int most = items[lane];
    for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_down_sync(mask, most, distance);
        if (lane + distance < count) {
            most = max(most, other);
        }
    }
    int least = items[lane];
    for (int distance = 16; distance > 0; distance /= 2) {
        const int next = __shfl_down_sync(mask, least, distance);
        if (lane + distance < count) least = min(least, next);
    }
    const int total = sum_of_first(items[lane], count, lane, mask);
    if (lane == 0) {
        *largest = most;
        *sum = total - least;
    }
}

int main() {
    int items[21], *d_items = nullptr, *d_results = nullptr;
    for (int i = 0; i < 21; ++i) items[i] = i * 8 % 21;
    cudaMalloc(&d_items, sizeof items);
    cudaMalloc(&d_results, 2 * sizeof(int));
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    largest_and_sum<<<1, 32>>>(d_items, 21, d_results, d_results + 1);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_results);
    return 0;
}
