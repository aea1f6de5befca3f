// The object is a temporary: its destructor frees the memory at the end of the line.
#include <cuda_runtime.h>

class OwnedItems {
  public:
    explicit OwnedItems(int items) { cudaMalloc(&data_, items * sizeof(int)); }
    OwnedItems(const OwnedItems&) = delete;
    OwnedItems& operator=(const OwnedItems&) = delete;
    ~OwnedItems() { cudaFree(data_); }
    int* data() const { return data_; }

  private:
    int* data_ = nullptr;
};

__global__ void fill_items_of_temporary(int* items) { items[threadIdx.x] = 1; }

int main() {
    int* const items = OwnedItems(64).data();
    fill_items_of_temporary<<<1, 64>>>(items);
    cudaDeviceSynchronize();
    return 0;
}
