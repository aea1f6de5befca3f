// Two extern __shared__ arrays begin at the same address; each line names both of them.
#include <cuda_runtime.h>

extern __shared__ float best_values[];
extern __shared__ int best_places[];

__global__ void largest_of_block(const float* in, float* value, int* place) {
    const unsigned t = threadIdx.x;
    best_values[t] = in[t], best_places[t] = static_cast<int>(t);
    __syncthreads();  // all items are there
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half && best_values[t] < best_values[t + half]) {
            best_values[t] = best_values[t + half];
            best_places[t] = best_places[t + half];
        }
        __syncthreads();  // this level is complete
    }
    if (t == 0) *value = best_values[0], *place = best_places[0];
}

int main() {
    constexpr int kItems = 64;
    float *d_in, *d_value;
    int* d_place;
    cudaMalloc(&d_in, kItems * sizeof(float));
    cudaMalloc(&d_value, sizeof(float));
    cudaMalloc(&d_place, sizeof(int));
    cudaMemset(d_in, 0, kItems * sizeof(float));
    largest_of_block<<<1, kItems, kItems*(sizeof(float) + sizeof(int))>>>(d_in, d_value, d_place);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_value);
    cudaFree(d_place);
    return 0;
}
