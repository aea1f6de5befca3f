// [=] in a member function captures `this`, and the lambda reads the host's object
#include <cuda_runtime.h>

template <class Function>
__global__ void apply_member_kernel(Function function, int* out) {
    out[threadIdx.x] = function(static_cast<int>(threadIdx.x));
}

struct ScaleByMember {
    int factor = 3;

    void run(int* d_out) {
        const auto scale = [=] __device__(int i) { return i * factor; };
        apply_member_kernel<<<1, 32>>>(scale, d_out);
    }
};

int main() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    ScaleByMember object;
    object.run(d_out);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
