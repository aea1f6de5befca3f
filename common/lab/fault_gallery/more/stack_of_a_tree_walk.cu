// A walk of a tree keeps the nodes to come on a stack of 4 items, and more of them wait.
#include <cuda_runtime.h>

__global__ void sum_of_subtree(const int* values, int nodes, int* sums) {
    int waiting[4], top = 0, sum = 0;
    waiting[top++] = threadIdx.x;
    while (top > 0) {
        const int node = waiting[--top];
        sum += values[node];
        for (int child = 4 * node + 1; child <= 4 * node + 4; ++child) {
            if (child < nodes) waiting[top++] = child;
        }
    }
    sums[threadIdx.x] = sum;
}

int main() {
    constexpr int kNodes = 85;
    int* d_values = nullptr;
    int* d_sums = nullptr;
    cudaMalloc(&d_values, kNodes * sizeof(int));
    cudaMalloc(&d_sums, 2 * sizeof(int));
    cudaMemset(d_values, 0, kNodes * sizeof(int));
    sum_of_subtree<<<1, 2>>>(d_values, kNodes, d_sums);
    cudaDeviceSynchronize();
    cudaFree(d_values);
    cudaFree(d_sums);
    return 0;
}
