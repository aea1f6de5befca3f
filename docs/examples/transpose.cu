// Transpose of a matrix: the naive kernel and one with a tile in shared memory.
//
// The naive kernel reads rows and writes columns: the lanes of a warp store far apart. The tiled
// kernel reads and writes rows, and turns the tile around in shared memory. Count the sectors per
// request of both stores. Then remove the "+ 1" and count the wavefronts.
//     ./tutorial explain docs/examples/transpose.cu
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, #call, __LINE__)

void check(cudaError_t result, const char* call, int line) {
    if (result == cudaSuccess) return;
    std::fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(result));
    std::exit(1);
}

constexpr int kTile = 32;
constexpr int kRows = 8;  // of a block: each thread moves kTile / kRows items

__global__ void transpose_naive_kernel(const int* in, int* out, int rows, int columns) {
    const int column = blockIdx.x * kTile + threadIdx.x, first = blockIdx.y * kTile + threadIdx.y;
    for (int row = first; row < min(first + kTile, rows); row += kRows) {
        if (column < columns) out[column * rows + row] = in[row * columns + column];
    }
}

__global__ void transpose_tiled_kernel(const int* in, int* out, int rows, int columns) {
    __shared__ int tile[kTile][kTile + 1];  // + 1: the items of a column are in different banks
    const int x = threadIdx.x, row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
    for (int y = threadIdx.y; y < kTile; y += kRows) {
        if (row0 + y < rows && column0 + x < columns)
            tile[y][x] = in[(row0 + y) * columns + column0 + x];
    }
    __syncthreads();  // the tile is complete before any thread reads a column of it
    for (int y = threadIdx.y; y < kTile; y += kRows) {
        if (row0 + x < rows && column0 + y < columns)
            out[(column0 + y) * rows + row0 + x] = tile[x][y];
    }
}

int main() {
    const int rows = 100, columns = 200, n = rows * columns;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = i;
    int *d_in = nullptr, *d_out = nullptr;
    CHECK(cudaMalloc(&d_in, n * sizeof(int)));
    CHECK(cudaMalloc(&d_out, n * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    const dim3 threads(kTile, kRows),
        blocks((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
    int wrong = 0;
    for (auto* kernel : {transpose_naive_kernel, transpose_tiled_kernel}) {
        CHECK(
            cudaMemset(d_out, 0xff, n * sizeof(int)));  // a result of the other kernel cannot pass
        kernel<<<blocks, threads>>>(d_in, d_out, rows, columns);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column)
                wrong += out[column * rows + row] != in[row * columns + column];
        }
    }
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    std::printf("transpose, %d x %d: %d items are wrong\n", rows, columns, wrong);
    return wrong == 0 ? 0 : 1;
}
