// A coalesced group of every third lane exchanges values in shared memory without g.sync().
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void pass_to_next_rank(int* out) {
    __shared__ int values[32];
    const unsigned t = threadIdx.x;
    if (t % 3 == 0) {
        const cg::coalesced_group g = cg::coalesced_threads();
        values[g.thread_rank()] = static_cast<int>(t);
        out[t] = values[(g.thread_rank() + 1) % g.size()];
    }
}

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    pass_to_next_rank<<<1, 32>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
