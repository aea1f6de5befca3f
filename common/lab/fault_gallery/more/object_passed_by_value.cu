// A class frees its memory in the destructor, and a function takes an object of it by value
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

class Floats {
  public:
    explicit Floats(int n) : n_(n) { cudaMalloc(&items_, bytes()); }
    ~Floats() { cudaFree(items_); }
    std::size_t bytes() const { return static_cast<std::size_t>(n_) * sizeof(float); }
    float* items() const { return items_; }
    int size() const { return n_; }

  private:
    float* items_ = nullptr;
    int n_;
};

__global__ void fill(float* items, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) items[i] = 1;
}

void fill_all(Floats floats) {
    fill<<<(floats.size() + 127) / 128, 128>>>(floats.items(), floats.size());
}

int main() {
    const Floats floats(200);
    fill_all(floats);
    std::vector<float> items(200);
    cudaMemcpy(items.data(), floats.items(), floats.bytes(), cudaMemcpyDeviceToHost);
    std::printf("%g\n", items[0]);
    return 0;
}
