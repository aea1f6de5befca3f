// The first thread clears the flag for the next round before others have read it.
#include <cuda_runtime.h>

__global__ void spread_labels(const int* row, int* labels) {
    __shared__ int label[128];
    __shared__ bool changed;
    const int t = static_cast<int>(threadIdx.x);
    label[t] = t;
    do {
        if (t == 0) changed = false;
        __syncthreads();
        const int mine = label[t];
        const int left = t > 0 && row[t] == row[t - 1] ? label[t - 1] : mine;
        __syncthreads();
        if (left < mine) {
            label[t] = left;
            changed = true;
        }
        __syncthreads();
    } while (changed);
    labels[t] = label[t];
}

int main() {
    int h_row[128];
    for (int i = 0; i < 128; ++i) h_row[i] = i / 9;
    int *d_row = nullptr, *d_labels = nullptr;
    cudaMalloc(&d_row, sizeof h_row);
    cudaMalloc(&d_labels, sizeof h_row);
    cudaMemcpy(d_row, h_row, sizeof h_row, cudaMemcpyHostToDevice);
    spread_labels<<<1, 128>>>(d_row, d_labels);
    cudaDeviceSynchronize();
    cudaFree(d_row);
    cudaFree(d_labels);
    return 0;
}
