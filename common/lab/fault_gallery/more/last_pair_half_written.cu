// 301 halves are read as 151 pairs: nothing has written the second half of the last one
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <vector>

__global__ void double_pairs(__half2* pairs, int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    const float2 pair = __half22float2(pairs[i]);
    pairs[i] = __floats2half2_rn(2 * pair.x, 2 * pair.y);
}

int main() {
    constexpr int kItems = 301;
    std::vector<__half> items(kItems, __float2half(1.0f));
    __half* d_items = nullptr;
    cudaMalloc(&d_items, (kItems + 1) * sizeof(__half));
    cudaMemcpy(d_items, items.data(), kItems * sizeof(__half), cudaMemcpyHostToDevice);
    double_pairs<<<2, 128>>>(reinterpret_cast<__half2*>(d_items), (kItems + 1) / 2);
    cudaMemcpy(items.data(), d_items, kItems * sizeof(__half), cudaMemcpyDeviceToHost);
    cudaFree(d_items);
    return 0;
}
