// The lock's functions are elsewhere, and no fence is in them: the next owner may see old values.
#include <cuda_runtime.h>

class SpinLock {
  public:
    __device__ explicit SpinLock(int* word) : word_(word) {
        while (atomicCAS(word_, 0, 1) != 0) {
        }
    }
    __device__ ~SpinLock() { atomicExch(word_, 0); }

  private:
    int* word_;
};

__global__ void append_block(int* word, volatile int* list, volatile int* length) {
    if (threadIdx.x != 0) return;
    const SpinLock lock(word);
    const int at = *length;
    list[at] = static_cast<int>(blockIdx.x);
    *length = at + 1;
}

int main() {
    int* d_words = nullptr;
    cudaMalloc(&d_words, 18 * sizeof(int));
    cudaMemset(d_words, 0, 18 * sizeof(int));
    append_block<<<16, 32>>>(d_words, d_words + 2, d_words + 1);
    cudaDeviceSynchronize();
    cudaFree(d_words);
    return 0;
}
