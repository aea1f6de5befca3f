// The last part of the vector is shorter than the others, but its copies are not
#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

constexpr int kVectorItems = 1000, kVectorPart = 512;

__global__ void double_piece(int* part, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) part[i] *= 2;
}

int main() {
    std::vector<int> items(kVectorItems);
    std::iota(items.begin(), items.end(), 0);
    int* part = nullptr;
    cudaMalloc(&part, kVectorPart * sizeof(int));
    for (int begin = 0; begin < kVectorItems; begin += kVectorPart) {
        cudaMemcpy(part, &items[begin], kVectorPart * sizeof(int), cudaMemcpyHostToDevice);
        double_piece<<<kVectorPart / 128, 128>>>(part, kVectorPart);
        cudaMemcpy(&items[begin], part, kVectorPart * sizeof(int), cudaMemcpyDeviceToHost);
    }
    std::printf("%d\n", items[kVectorItems - 1]);
    cudaFree(part);
    return 0;
}
