// Managed memory was left to a stream that has been destroyed since: all may use it again.
#include <cuda_runtime.h>

__global__ void halve_samples(float* samples) { samples[threadIdx.x] *= 0.5f; }

int main() {
    float* samples = nullptr;
    cudaStream_t stream;
    cudaMallocManaged(&samples, 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) samples[i] = 1.0f;
    cudaStreamCreate(&stream);
    cudaStreamAttachMemAsync(stream, samples, 0, cudaMemAttachSingle);
    halve_samples<<<1, 64, 0, stream>>>(samples);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    halve_samples<<<1, 64>>>(samples);
    cudaDeviceSynchronize();
    cudaFree(samples);
    return 0;
}
