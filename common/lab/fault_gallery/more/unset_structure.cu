// No item of an empty row is a largest one: its structure is stored as it was declared.
#include <cuda_runtime.h>

struct LargestOfRow {
    int value, at;
};

__global__ void find_largest_of_rows(const int* items, const int* begins, LargestOfRow* largest) {
    const int row = threadIdx.x;
    LargestOfRow found;
    for (int i = begins[row]; i < begins[row + 1]; ++i) {
        if (i == begins[row] || items[i] > found.value) {
            found.value = items[i];
            found.at = i;
        }
    }
    largest[row] = found;
}

int main() {
    const int items[] = {4, 7, 1, 5}, begins[] = {0, 2, 2, 4};
    int *d_items = nullptr, *d_begins = nullptr;
    LargestOfRow* d_largest = nullptr;
    cudaMalloc(&d_items, sizeof items);
    cudaMalloc(&d_begins, sizeof begins);
    cudaMalloc(&d_largest, 3 * sizeof(LargestOfRow));
    cudaMemcpy(d_items, items, sizeof items, cudaMemcpyHostToDevice);
    cudaMemcpy(d_begins, begins, sizeof begins, cudaMemcpyHostToDevice);
    find_largest_of_rows<<<1, 3>>>(d_items, d_begins, d_largest);
    cudaDeviceSynchronize();
    cudaFree(d_largest);
    cudaFree(d_begins);
    cudaFree(d_items);
    return 0;
}
