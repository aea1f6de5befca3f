// The number of hits is not set back between frames, so later hits go past the end, member by
// member.
#include <cuda_runtime.h>

#include <cstdio>

struct FrameHit {
    unsigned short x, y;
    float value;
};

__global__ void collect_frame_hits(const float* frame, FrameHit* hits, unsigned* found) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (frame[i] < 0.5f) {
        const unsigned slot = atomicAdd(found, 1u);
        hits[slot].x = i % 16;
        hits[slot].y = i / 16;
        hits[slot].value = frame[i];
    }
}

int main() {
    constexpr int kPixels = 256;
    float* d_frame;
    FrameHit* d_hits;
    unsigned *d_found, found = 0;
    cudaMalloc(&d_frame, kPixels * sizeof(float));
    cudaMalloc(&d_hits, kPixels * sizeof(FrameHit));
    cudaMalloc(&d_found, sizeof(unsigned));
    cudaMemset(d_found, 0, sizeof(unsigned));
    cudaMemset(d_frame, 0, kPixels * sizeof(float));
    for (int frame = 0; frame < 2; ++frame) {
        collect_frame_hits<<<2, kPixels / 2>>>(d_frame, d_hits, d_found);
        cudaMemcpy(&found, d_found, sizeof found, cudaMemcpyDeviceToHost);
    }
    std::printf("%d\n", found != 0);
    cudaFree(d_frame);
    cudaFree(d_hits);
    cudaFree(d_found);
    return 0;
}
