// Two arrays are parts of one allocation, and the second one's offset counts items, not bytes.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void set_both(int* rising, int* falling, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    rising[i] = i;
    falling[i] = -i;
}

int main() {
    constexpr int kItems = 512;
    char* room;
    cudaMalloc(&room, 2 * kItems * sizeof(int));
    int* const rising = reinterpret_cast<int*>(room);
    int* const falling = reinterpret_cast<int*>(room + kItems);
    set_both<<<kItems / 64, 64>>>(rising, falling, kItems);
    int last = 0;
    cudaMemcpy(&last, rising + kItems - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d\n", last);
    cudaFree(room);
    return 0;
}
