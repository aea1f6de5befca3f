// Each node holds the address of a local variable of the kernel that made it.
#include <cuda_runtime.h>
#include <cstdio>

struct Locker {
    const int* content;
    int number;
};

__global__ void fill_boxes(Locker* boxes) {
    const int content = 10 * static_cast<int>(threadIdx.x);
    boxes[threadIdx.x].content = &content;
    boxes[threadIdx.x].number = content;
}

__global__ void open_boxes(const Locker* boxes, int* out) {
    out[threadIdx.x] = *boxes[threadIdx.x].content;
}

int main() {
    Locker* d_boxes = nullptr;
    int* d_out = nullptr;
    cudaMalloc(&d_boxes, 32 * sizeof(Locker));
    cudaMalloc(&d_out, 32 * sizeof(int));
    fill_boxes<<<1, 32>>>(d_boxes);
    open_boxes<<<1, 32>>>(d_boxes, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_boxes);
    cudaFree(d_out);
    return 0;
}
