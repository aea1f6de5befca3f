// One of the arrays that a function allocates is an item too short: the call is wrong, not the
// function.
#include <cuda_runtime.h>

template <class T>
T* copy_to_device(const T* items, int count) {
    T* copy = nullptr;
    cudaMalloc(&copy, count * sizeof(T));
    cudaMemcpy(copy, items, count * sizeof(T), cudaMemcpyHostToDevice);
    return copy;
}

__global__ void sums_of_ranges(const int* begins, const float* items, float* sums, int rows) {
    const int row = static_cast<int>(threadIdx.x);
    if (row >= rows) return;
    float sum = 0.0f;
    for (int i = begins[row]; i < begins[row + 1]; ++i) sum += items[i];
    sums[row] = sum;
}

int main() {
    const int rows = 32;
    int begins[rows + 1];
    float items[3 * rows], sums[rows] = {};
    for (int row = 0; row <= rows; ++row) begins[row] = 3 * row;
    for (int i = 0; i < 3 * rows; ++i) items[i] = 1.0f;
    float* d_items = copy_to_device(items, 3 * rows);
    int* d_begins = copy_to_device(begins, rows);
    float* d_sums = copy_to_device(sums, rows);
    sums_of_ranges<<<1, 32>>>(d_begins, d_items, d_sums, rows);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_begins);
    cudaFree(d_sums);
    return 0;
}
