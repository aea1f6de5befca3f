// Three streams take turns with two slots of memory: a slot is filled while it is still in use.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void double_slot(const float* slot, float* doubled) {
    doubled[threadIdx.x] = 2 * slot[threadIdx.x];
}

int main() {
    constexpr int kItems = 64, kParts = 6, kStreams = 3, kSlots = 2;
    float *input, *output, *slots, *doubled;
    cudaMallocHost(&input, kParts * kItems * sizeof(float));
    cudaMallocHost(&output, kParts * kItems * sizeof(float));
    cudaMalloc(&slots, kSlots * kItems * sizeof(float));
    cudaMalloc(&doubled, kSlots * kItems * sizeof(float));
    for (int i = 0; i < kParts * kItems; ++i) input[i] = static_cast<float>(i);
    cudaStream_t streams[kStreams];
    for (cudaStream_t& each : streams) cudaStreamCreate(&each);
    for (int part = 0; part < kParts; ++part) {
        cudaStream_t stream = streams[part % kStreams];
        float* const slot = slots + part % kSlots * kItems;
        float* const result = doubled + part % kSlots * kItems;
        const std::size_t bytes = kItems * sizeof(float);
        cudaMemcpyAsync(slot, input + part * kItems, bytes, cudaMemcpyHostToDevice, stream);
        double_slot<<<1, kItems, 0, stream>>>(slot, result);
        cudaMemcpyAsync(output + part * kItems, result, bytes, cudaMemcpyDeviceToHost, stream);
    }
    cudaDeviceSynchronize();
    std::printf("%d\n", output[kItems - 1] >= 0);
    for (cudaStream_t each : streams) cudaStreamDestroy(each);
    cudaFreeHost(input);
    cudaFreeHost(output);
    cudaFree(slots);
    cudaFree(doubled);
    return 0;
}
