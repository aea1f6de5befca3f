// The reader waits for as many items as there are, and the writer sends one less.
#include <cuda_runtime.h>

#include <cstdio>

__device__ int place_in_queue(int* place) { return atomicAdd(place, 0); }

__global__ void pass_by_queue(int* head, int* tail, int* queue, int items, int* sum) {
    if (blockIdx.x == 0) {
        for (int i = 1; i < items; ++i) {
            queue[i - 1] = i;
            __threadfence();
            atomicAdd(head, 1);
        }
    } else {
        for (int i = 0; i < items; ++i) {
            while (place_in_queue(head) == place_in_queue(tail)) {
            }
            __threadfence();
            *sum += queue[i];
            atomicAdd(tail, 1);
        }
    }
}

int main() {
    constexpr int kItems = 20;
    int *places, *queue, total = 0;
    cudaMalloc(&places, 3 * sizeof(int));
    cudaMalloc(&queue, kItems * sizeof(int));
    cudaMemset(places, 0, 3 * sizeof(int));
    pass_by_queue<<<2, 1>>>(places, places + 1, queue, kItems, places + 2);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    cudaMemcpy(&total, places + 2, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("the sum is %d\n", total);
    cudaFree(places);
    cudaFree(queue);
    return 0;
}
