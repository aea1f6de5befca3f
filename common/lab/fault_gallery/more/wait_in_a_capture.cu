// The host waits for a stream that only records what it is given.
#include <cuda_runtime.h>

__global__ void add_step(int* items) { items[threadIdx.x] += 1; }

int main() {
    int* d_items = nullptr;
    cudaMalloc(&d_items, 32 * sizeof(int));
    cudaMemset(d_items, 0, 32 * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaGraph_t graph = nullptr;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int step = 0; step < 3; ++step) {
        add_step<<<1, 32, 0, stream>>>(d_items);
        cudaStreamSynchronize(stream);
    }
    cudaStreamEndCapture(stream, &graph);
    cudaStreamDestroy(stream);
    cudaFree(d_items);
    return 0;
}
