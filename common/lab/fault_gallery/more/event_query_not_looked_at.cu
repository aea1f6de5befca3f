// cudaEventQuery() is called once: the event may not have occurred, and the host goes on.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void number_for_event(int* items) { items[threadIdx.x] = static_cast<int>(threadIdx.x); }

int main() {
    int* items = nullptr;
    cudaMallocManaged(&items, 64 * sizeof(int));
    cudaEvent_t done = nullptr;
    cudaEventCreate(&done);
    number_for_event<<<1, 64>>>(items);
    cudaEventRecord(done);
    cudaEventQuery(done);
    if (items[63] != 63) std::puts("wrong");
    cudaEventSynchronize(done);
    cudaEventDestroy(done);
    cudaFree(items);
    return 0;
}
