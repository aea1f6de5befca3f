// The array behind a pointer in a struct was freed before the launch.
#include <cuda_runtime.h>

struct FreedView {
    int* data;
    int n;
};

__global__ void clear_freed(FreedView view) {
    if (static_cast<int>(threadIdx.x) < view.n) view.data[threadIdx.x] = 0;
}

int main() {
    FreedView view;
    cudaMalloc(&view.data, 32 * sizeof(int));
    view.n = 32;
    cudaFree(view.data);
    clear_freed<<<1, 32>>>(view);
    cudaDeviceSynchronize();
    return 0;
}
