// Nodes of lists under locks: each is filled before its lock is taken, where other blocks may begin
#include <cuda_runtime.h>

struct ListNode {
    double value;
    ListNode* next;
};

__global__ void insert_nodes(const double* values, int n, ListNode** lists, int lists_count,
                             ListNode* pool, int* locks) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        for (int turn = 0; turn < 32; ++turn) {
            if (i % 32 != turn) continue;
            const int list = i % lists_count;
            ListNode* const mine = &pool[i];
            mine->value = values[i];
            while (atomicCAS(&locks[list], 0, 1) != 0) {
            }
            __threadfence();
            mine->next = lists[list];
            lists[list] = mine;
            __threadfence();
            atomicExch(&locks[list], 0);
        }
    }
}

int main() {
    constexpr int kNodes = 2048, kLists = 7;
    static double values[kNodes];
    for (int i = 0; i < kNodes; ++i) values[i] = i;
    double* d_values;
    ListNode **d_lists, *d_pool;
    int* d_locks;
    cudaMalloc(&d_values, sizeof values);
    cudaMalloc(&d_lists, kLists * sizeof(ListNode*));
    cudaMalloc(&d_pool, kNodes * sizeof(ListNode));
    cudaMalloc(&d_locks, kLists * sizeof(int));
    cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(d_lists, 0, kLists * sizeof(ListNode*));
    cudaMemset(d_locks, 0, kLists * sizeof(int));
    insert_nodes<<<8, 128>>>(d_values, kNodes, d_lists, kLists, d_pool, d_locks);
    cudaDeviceSynchronize();
    cudaFree(d_locks);
    cudaFree(d_pool);
    cudaFree(d_lists);
    cudaFree(d_values);
    return 0;
}
