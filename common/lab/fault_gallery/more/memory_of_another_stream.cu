// Managed memory is left to one stream, and a kernel in another one uses it.
#include <cuda_runtime.h>

__global__ void scale_samples(float* samples, float factor) { samples[threadIdx.x] *= factor; }

int main() {
    float* samples = nullptr;
    cudaStream_t first, second;
    cudaEvent_t scaled;
    cudaMallocManaged(&samples, 64 * sizeof(float));
    for (int i = 0; i < 64; ++i) samples[i] = 1.0f;
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    cudaEventCreateWithFlags(&scaled, cudaEventDisableTiming);
    cudaStreamAttachMemAsync(first, samples, 0, cudaMemAttachSingle);
    scale_samples<<<1, 64, 0, first>>>(samples, 2.0f);
    cudaEventRecord(scaled, first);
    cudaStreamWaitEvent(second, scaled, 0);
    scale_samples<<<1, 64, 0, second>>>(samples, 3.0f);
    cudaDeviceSynchronize();
    cudaEventDestroy(scaled);
    cudaStreamDestroy(second);
    cudaStreamDestroy(first);
    cudaFree(samples);
    return 0;
}
