// A moved object keeps its pointer, and its destructor frees the memory of the new one.
#include <cuda_runtime.h>

#include <cstdio>
#include <utility>
#include <vector>

class Samples {
  public:
    explicit Samples(int count) : count_(count) { cudaMalloc(&data_, count * sizeof(int)); }
    ~Samples() { cudaFree(data_); }
    Samples(const Samples&) = delete;
    Samples(Samples&& other) noexcept : data_(other.data_), count_(other.count_) {}
    int* data() { return data_; }
    int count() const { return count_; }

  private:
    int* data_ = nullptr;
    int count_ = 0;
};

__global__ void set_samples(int* samples, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) samples[i] = i;
}

int main() {
    std::vector<Samples> all;
    all.reserve(2);
    for (int i = 1; i <= 2; ++i) {
        Samples made(32 * i);
        all.push_back(std::move(made));
    }
    for (Samples& each : all) set_samples<<<1, 64>>>(each.data(), each.count());
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
