// The copy of a struct to the device copies the host's pointer in it, not the samples
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Signal {
    int count;
    float* samples;
};

__global__ void amplify(Signal* signal, float gain) {
    const int i = static_cast<int>(threadIdx.x);
    if (i < signal->count) signal->samples[i] *= gain;
}

int main() {
    std::vector<float> samples(100, 0.5f);
    const Signal signal{100, samples.data()};
    Signal* d_signal = nullptr;
    cudaMalloc(&d_signal, sizeof(Signal));
    cudaMemcpy(d_signal, &signal, sizeof(Signal), cudaMemcpyHostToDevice);
    amplify<<<1, 128>>>(d_signal, 2.0f);
    cudaDeviceSynchronize();
    std::printf("%g\n", samples[99]);
    cudaFree(d_signal);
    return 0;
}
