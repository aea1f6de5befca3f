// Slices of pitched rows: a slice is as many rows as the height says.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Bricks {
    cudaPitchedPtr data;
    int width, height, depth;
    __device__ float* row(int y, int z) const {
        char* const slice = static_cast<char*>(data.ptr) + z * data.pitch * data.ysize;
        return reinterpret_cast<float*>(slice + y * data.pitch);
    }
};

__global__ void add_rows(Bricks box) {
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x < box.width) box.row(y, z)[x] += y;
}

int main() {
    Bricks box{{}, 20, 3, 4};
    const cudaExtent all = make_cudaExtent(box.width * sizeof(float), box.height, box.depth);
    cudaMalloc3D(&box.data, all);
    cudaMemset3D(box.data, 0, all);
    add_rows<<<dim3(box.height, box.depth), 32>>>(box);
    std::vector<float> sums(box.width * box.height * box.depth);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = box.data;
    copy.dstPtr = make_cudaPitchedPtr(sums.data(), all.width, box.width, box.height);
    copy.extent = all;
    copy.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&copy);
    std::printf("%g\n", sums.back());
    cudaFree(box.data.ptr);
    return 0;
}
