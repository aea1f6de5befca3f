// A pointer in a struct that was never set.
#include <cuda_runtime.h>

struct WildView {
    int* data;
    int n;
};

__global__ void clear_view(WildView view) {
    if (static_cast<int>(threadIdx.x) < view.n) view.data[threadIdx.x] = 0;
}

int main() {
    WildView view;
    view.data = reinterpret_cast<int*>(0x123456789000);
    view.n = 32;
    clear_view<<<1, 32>>>(view);
    cudaDeviceSynchronize();
    return 0;
}
