// When the list is full, the insertion moves its last item one place past the end.
#include <cuda_runtime.h>

__global__ void keep_largest(const int* items, int columns, int* largest) {
    int best[3] = {};
    int count = 0;
    for (int c = 0; c < columns; ++c) {
        const int item = items[static_cast<int>(threadIdx.x) * columns + c];
        int at = 0;
        while (at < count && best[at] >= item) ++at;
        if (at == 3) continue;
        for (int j = count; j > at; --j) best[j] = best[j - 1];
        best[at] = item;
        if (count < 3) ++count;
    }
    for (int k = 0; k < 3; ++k) largest[threadIdx.x * 3 + static_cast<unsigned>(k)] = best[k];
}

int main() {
    constexpr int kRows = 32, kColumns = 10;
    int h_items[kRows * kColumns];
    for (int i = 0; i < kRows * kColumns; ++i) h_items[i] = i * 37 % 211;
    int *d_items = nullptr, *d_largest = nullptr;
    cudaMalloc(&d_items, sizeof h_items);
    cudaMalloc(&d_largest, kRows * 3 * sizeof(int));
    cudaMemcpy(d_items, h_items, sizeof h_items, cudaMemcpyHostToDevice);
    keep_largest<<<1, kRows>>>(d_items, kColumns, d_largest);
    cudaDeviceSynchronize();
    cudaFree(d_items);
    cudaFree(d_largest);
    return 0;
}
