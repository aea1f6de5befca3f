// cudaMemcpy3D from rows with a pitch: the width of its extent is in bytes, and is given in items.
#include <cuda_runtime.h>

__global__ void ramp_of_slices(cudaPitchedPtr volume) {
    char* const slice = static_cast<char*>(volume.ptr) + blockIdx.y * volume.pitch * gridDim.x;
    float* const row = reinterpret_cast<float*>(slice + blockIdx.x * volume.pitch);
    row[threadIdx.x] = threadIdx.x;
}

int main() {
    constexpr int kWidth = 20, kRows = 4, kSlices = 3;
    static float h_volume[kSlices][kRows][kWidth];
    cudaPitchedPtr volume = {};
    cudaMalloc3D(&volume, make_cudaExtent(kWidth * sizeof(float), kRows, kSlices));
    ramp_of_slices<<<dim3(kRows, kSlices), kWidth>>>(volume);
    cudaMemcpy3DParms parameters = {};
    parameters.srcPtr = volume;
    parameters.dstPtr = make_cudaPitchedPtr(h_volume, kWidth * sizeof(float), kWidth, kRows);
    parameters.extent = make_cudaExtent(kWidth, kRows, kSlices);
    parameters.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&parameters);
    cudaFree(volume.ptr);
    return 0;
}
