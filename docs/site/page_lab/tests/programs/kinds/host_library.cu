// The C++ library on the host, next to a kernel template.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

template <class T, int kFactor>
__global__ void scale_kernel(T* items, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) items[i] *= kFactor;
}

template <class T>
std::vector<T> scaled(std::vector<T> items) {
    T* d_items = nullptr;
    const std::size_t bytes = items.size() * sizeof(T);
    cudaMalloc(&d_items, bytes);
    cudaMemcpy(d_items, items.data(), bytes, cudaMemcpyHostToDevice);
    scale_kernel<T, 3><<<(items.size() + 31) / 32, 32>>>(d_items, static_cast<int>(items.size()));
    cudaMemcpy(items.data(), d_items, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_items);
    return items;
}

int main() {
    std::vector<float> floats(70);
    std::iota(floats.begin(), floats.end(), 0.5f);
    std::map<std::string, double> sums;
    const auto many = std::make_unique<std::vector<float>>(scaled(floats));
    sums["floats"] = std::accumulate(many->begin(), many->end(), 0.0);
    const auto ints = scaled(std::vector<int>{5, -1, 7});
    sums["ints"] = *std::max_element(ints.begin(), ints.end());
    for (const auto& [name, sum] : sums) std::printf("%s %.2f\n", name.c_str(), sum);
}
