// Right: the table is set again in the stream of the kernels that read it, and read back there.
#include <cuda_runtime.h>

__constant__ int shift_of[4];

__global__ void shift_kernel(int* data) { data[threadIdx.x] += shift_of[threadIdx.x % 4]; }

int main() {
    int* d_data = nullptr;
    int* h_table = nullptr;
    cudaMalloc(&d_data, 64 * sizeof(int));
    cudaMallocHost(&h_table, 8 * sizeof(int));
    for (int i = 0; i < 4; ++i) h_table[i] = i;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaMemsetAsync(d_data, 0, 64 * sizeof(int), stream);
    for (int round = 0; round < 2; ++round) {
        cudaMemcpyToSymbolAsync(shift_of, h_table, 4 * sizeof(int), 0, cudaMemcpyHostToDevice,
                                stream);
        shift_kernel<<<1, 64, 0, stream>>>(d_data);
    }
    cudaMemcpyFromSymbolAsync(h_table + 4, shift_of, 4 * sizeof(int), 0, cudaMemcpyDeviceToHost,
                              stream);
    cudaStreamSynchronize(stream);
    const bool is_right = h_table[7] == 3;
    cudaStreamDestroy(stream);
    cudaFreeHost(h_table);
    cudaFree(d_data);
    return is_right ? 0 : 1;
}
