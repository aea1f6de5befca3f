// Asynchronous copies with two stages: each thread commits, waits for all but the newest batch, and
// then passes a barrier. The same with a group's wait and with a cuda::barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cuda/barrier>

namespace {

namespace cg = cooperative_groups;

__global__ void reverse_all(const int* from, int* to, int rounds) {
    __shared__ int part[2][64];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&part[0][t], &from[t], sizeof(int));
    __pipeline_commit();
    for (int i = 0; i < rounds; ++i) {
        if (i + 1 < rounds) {
            __pipeline_memcpy_async(&part[(i + 1) & 1][t], &from[(i + 1) * 64 + t], sizeof(int));
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        to[i * 64 + t] = part[i & 1][63 - t];
        __syncthreads();
    }
}

__global__ void reverse_by_group(const int* from, int* to) {
    __shared__ int part[64];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, part, from, sizeof part);
    cg::wait(block);
    to[threadIdx.x] = part[63 - threadIdx.x];
}

__global__ void reverse_by_barrier(const int* from, int* to) {
    __shared__ cuda::barrier<cuda::thread_scope_block> landed;
    __shared__ int part[64];
    if (threadIdx.x == 0) init(&landed, 64);
    __syncthreads();
    cuda::memcpy_async(&part[threadIdx.x], &from[threadIdx.x], sizeof(int), landed);
    landed.arrive_and_wait();
    to[threadIdx.x] = part[63 - threadIdx.x];
}

}  // namespace

int main() {
    int *d_from = nullptr, *d_to = nullptr;
    cudaMalloc(&d_from, 256 * sizeof(int));
    cudaMalloc(&d_to, 256 * sizeof(int));
    cudaMemset(d_from, 0, 256 * sizeof(int));
    reverse_all<<<1, 64>>>(d_from, d_to, 4);
    reverse_by_group<<<1, 64>>>(d_from, d_to);
    reverse_by_barrier<<<1, 64>>>(d_from, d_to);
    cudaDeviceSynchronize();
    cudaFree(d_from);
    cudaFree(d_to);
    return 0;
}
