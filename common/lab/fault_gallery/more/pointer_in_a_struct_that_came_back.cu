// The host reads through the device's pointer in a struct that it has copied back
#include <cuda_runtime.h>

#include <cstdio>

struct Table {
    int rows;
    float* values;
};

__global__ void fill_rows_of_table(Table* table) {
    const int row = static_cast<int>(threadIdx.x);
    if (row < table->rows) table->values[row] = 1.0f / static_cast<float>(row + 1);
}

int main() {
    Table made{64, nullptr};
    cudaMalloc(&made.values, 64 * sizeof(float));
    Table* d_table = nullptr;
    cudaMalloc(&d_table, sizeof(Table));
    cudaMemcpy(d_table, &made, sizeof(Table), cudaMemcpyHostToDevice);
    fill_rows_of_table<<<1, 64>>>(d_table);
    Table result{};
    cudaMemcpy(&result, d_table, sizeof(Table), cudaMemcpyDeviceToHost);
    std::printf("%d rows\n", result.rows);
    if (result.values != nullptr) std::printf("%g\n", result.values[1]);
    cudaFree(made.values);
    cudaFree(d_table);
    return 0;
}
