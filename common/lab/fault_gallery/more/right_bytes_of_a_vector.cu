// Each thread stores its own byte of a uchar4; after a barrier others load all four.
#include <cuda_runtime.h>

__global__ void mark_by_byte(uchar4* out) {
    const unsigned t = threadIdx.x;
    reinterpret_cast<unsigned char*>(out)[t] = static_cast<unsigned char>(t + 1);
    __syncthreads();  // all bytes are written
    if (t < 16) out[t] = make_uchar4(out[t].w, out[t].z, out[t].y, out[t].x);
}

int main() {
    uchar4* d_out = nullptr;
    cudaMalloc(&d_out, 64);
    cudaMemset(d_out, 0, 64);
    mark_by_byte<<<1, 64>>>(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
