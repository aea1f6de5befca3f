// The lambda captures an object by value, and the copy's destructor frees the memory
#include <cuda_runtime.h>

#include <cstdio>

template <class Function>
__global__ void for_each_index(int n, Function function) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) function(i);
}

class Heights {
  public:
    explicit Heights(int n) : n_(n) {
        cudaMalloc(&meters_, n * sizeof(float));
        cudaMemset(meters_, 0, n * sizeof(float));
    }
    ~Heights() { cudaFree(meters_); }
    void raise(float by) {
        for_each_index<<<(n_ + 127) / 128, 128>>>(
            n_, [=, *this] __device__(int i) { meters_[i] += by; });
    }
    float first() const {
        float meters = 0;
        cudaMemcpy(&meters, meters_, sizeof meters, cudaMemcpyDeviceToHost);
        return meters;
    }

  private:
    float* meters_ = nullptr;
    int n_;
};

int main() {
    Heights heights(1000);
    heights.raise(1.5f);
    std::printf("%g\n", heights.first());
    return 0;
}
