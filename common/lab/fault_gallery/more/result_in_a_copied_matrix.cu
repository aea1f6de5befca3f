// The kernel gets a deep copy of the matrix, which ends with the launch, and its result with it
#include <cuda_runtime.h>

#include <cstdio>

class SquareMatrix {
  public:
    explicit SquareMatrix(int n) : n_(n) {
        cudaMalloc(&items_, bytes());
        cudaMemset(items_, 0, bytes());
    }
    SquareMatrix(const SquareMatrix& other) : n_(other.n_) {
        cudaMalloc(&items_, bytes());
        cudaMemcpy(items_, other.items_, bytes(), cudaMemcpyDeviceToDevice);
    }
    SquareMatrix& operator=(const SquareMatrix&) = delete;
    ~SquareMatrix() { cudaFree(items_); }
    std::size_t bytes() const { return static_cast<std::size_t>(n_) * n_ * sizeof(float); }
    __device__ float& at(int row, int column) { return items_[row * n_ + column]; }
    const float* items() const { return items_; }

  private:
    float* items_ = nullptr;
    int n_;
};

__global__ void make_identity(SquareMatrix matrix) {
    const int i = static_cast<int>(threadIdx.x);
    matrix.at(i, i) = 1;
}

int main() {
    const SquareMatrix matrix(32);
    make_identity<<<1, 32>>>(matrix);
    float first = 0;
    cudaMemcpy(&first, matrix.items(), sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%g\n", first);
    return 0;
}
