// An object of a launch has a reference to a variable of the host.
#include <cuda_runtime.h>

struct Factors {
    float up, down;
};

class ScaleBy {
  public:
    explicit ScaleBy(const Factors& factors) : factors_(factors) {}
    __device__ float operator()(float item) const { return item * factors_.up / factors_.down; }

  private:
    const Factors& factors_;
};

template <class Change>
__global__ void change_items(float* items, int n, Change change) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) items[i] = change(items[i]);
}

int main() {
    constexpr int kItems = 100;
    float* items = nullptr;
    cudaMalloc(&items, kItems * sizeof(float));
    cudaMemset(items, 0, kItems * sizeof(float));
    const Factors factors{3.0f, 2.0f};
    change_items<<<2, 64>>>(items, kItems, ScaleBy(factors));
    cudaDeviceSynchronize();
    cudaFree(items);
    return 0;
}
