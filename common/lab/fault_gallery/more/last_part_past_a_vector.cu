// The last part of the vector is shorter than the others, but its copies are not
#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

constexpr int kItems = 1000, kPart = 512;

__global__ void double_piece(int* part, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) part[i] *= 2;
}

int main() {
    std::vector<int> items(kItems);
    std::iota(items.begin(), items.end(), 0);
    int* part = nullptr;
    cudaMalloc(&part, kPart * sizeof(int));
    for (int begin = 0; begin < kItems; begin += kPart) {
        cudaMemcpy(part, &items[begin], kPart * sizeof(int), cudaMemcpyHostToDevice);
        double_piece<<<kPart / 128, 128>>>(part, kPart);
        cudaMemcpy(&items[begin], part, kPart * sizeof(int), cudaMemcpyDeviceToHost);
    }
    std::printf("%d\n", items[kItems - 1]);
    cudaFree(part);
    return 0;
}
