// A slice of the memory of cudaMalloc3D has as many rows as its height says, not its depth.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Volume {
    cudaPitchedPtr data;
    int width, height, depth;
    __device__ float* row(int y, int z) const {
        char* const slice = static_cast<char*>(data.ptr) + z * data.pitch * depth;
        return reinterpret_cast<float*>(slice + y * data.pitch);
    }
};

__global__ void add_heights(Volume volume) {
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < volume.width) volume.row(y, z)[x] += y;
}

int main() {
    Volume volume{{}, 20, 3, 4};
    const cudaExtent all =
        make_cudaExtent(volume.width * sizeof(float), volume.height, volume.depth);
    cudaMalloc3D(&volume.data, all);
    cudaMemset3D(volume.data, 0, all);
    add_heights<<<dim3(volume.height, volume.depth), 32>>>(volume);
    std::vector<float> sums(volume.width * volume.height * volume.depth);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = volume.data;
    copy.dstPtr = make_cudaPitchedPtr(sums.data(), all.width, volume.width, volume.height);
    copy.extent = all;
    copy.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&copy);
    std::printf("%g\n", sums.back());
    cudaFree(volume.data.ptr);
    return 0;
}
