// The fence before the flag is one for the device's threads, but the host reads the result.
#include <cuda_runtime.h>

#include <cstdio>

struct Progress {
    int done;
    float error;
};

__global__ void tell_the_progress(volatile Progress* progress, float error) {
    progress->error = error;
    __threadfence();
    progress->done = 1;
}

int main() {
    Progress* progress = nullptr;
    cudaHostAlloc(&progress, sizeof(Progress), cudaHostAllocMapped);
    *progress = {0, 0.0f};
    tell_the_progress<<<1, 1>>>(progress, 0.5f);
    const volatile Progress* const seen = progress;
    while (seen->done == 0) {
    }
    std::printf("error %g\n", seen->error);
    cudaDeviceSynchronize();
    cudaFreeHost(progress);
    return 0;
}
