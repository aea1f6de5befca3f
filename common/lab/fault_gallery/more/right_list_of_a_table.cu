// Correct: a thread that has just stored a pointer waits for a lock, and other blocks begin
// meanwhile.
#include <cuda_runtime.h>
#include <cstdio>

struct TableEntry {
    int key;
    TableEntry* next;
};

__global__ void insert_into_lists(TableEntry* pool, TableEntry** heads, int* locks, int lists,
                                  int count) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    for (int turn = 0; turn < 32 && i < count; ++turn) {
        if (i % 32 != turn) continue;  // one thread of a warp after the other
        pool[i].key = i;
        pool[i].next = nullptr;
        int* const lock = locks + i % lists;
        while (atomicCAS(lock, 0, 1) != 0) {
        }
        __threadfence();
        pool[i].next = heads[i % lists];
        heads[i % lists] = pool + i;
        __threadfence();
        atomicExch(lock, 0);
    }
}

int main() {
    constexpr int kCount = 256, kLists = 3;
    TableEntry *pool = nullptr, **heads = nullptr;
    int* locks = nullptr;
    cudaMalloc(&pool, kCount * sizeof(TableEntry));
    cudaMalloc(&heads, kLists * sizeof(TableEntry*));
    cudaMalloc(&locks, kLists * sizeof(int));
    cudaMemset(heads, 0, kLists * sizeof(TableEntry*));
    cudaMemset(locks, 0, kLists * sizeof(int));
    insert_into_lists<<<4, 64>>>(pool, heads, locks, kLists, kCount);
    TableEntry* first[kLists];
    cudaMemcpy(first, heads, sizeof first, cudaMemcpyDeviceToHost);
    std::printf("%s\n", first[0] != nullptr ? "filled" : "empty");
    cudaFree(pool);
    cudaFree(heads);
    cudaFree(locks);
    return 0;
}
