// Two threads take 5 MB each from a heap of 8 MB, but a barrier lies between the two
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void use_in_turns(int* out, int items) {
    for (int turn = 0; turn < 2; ++turn) {
        if (static_cast<int>(threadIdx.x) == turn) {
            int* const scratch = static_cast<int*>(malloc(items * sizeof(int)));
            if (scratch != nullptr) {
                scratch[items - 1] = turn;
                out[turn] = scratch[items - 1];
            }
            free(scratch);
        }
        __syncthreads();  // the memory is free again
    }
}

int main() {
    int *d_out = nullptr, out[2] = {};
    cudaMalloc(&d_out, sizeof out);
    use_in_turns<<<1, 32>>>(d_out, 1250000);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    return out[1] - 1;
}
