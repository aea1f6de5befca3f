// Right: objects with virtual functions are made in a kernel, also in shared memory, and copied on
// the device; the address of a __device__ function comes from a variable of the device.
#include <cuda_runtime.h>
#include <cstdio>
#include <new>

struct AnyCounter {
    __device__ virtual int next(int x) const { return x; }
};
struct PlusCounter : AnyCounter {
    int step;
    __device__ explicit PlusCounter(int its_step) : step(its_step) {}
    __device__ int next(int x) const override { return x + step; }
};

using UnaryOfDevice = int (*)(int);
__device__ int triple_on_device(int x) { return 3 * x; }
__device__ UnaryOfDevice triple_address = triple_on_device;

__global__ void make_counter(PlusCounter* counter) { new (counter) PlusCounter(5); }

__global__ void use_counter(const AnyCounter* counter, const UnaryOfDevice* table, int* out) {
    __shared__ __align__(8) unsigned char room[sizeof(PlusCounter)];
    const AnyCounter* const own = new (room) PlusCounter(7);
    *out = counter->next(2) + table[0](10) + own->next(0);
}

int main() {
    PlusCounter *d_counter = nullptr, *d_copy = nullptr;
    UnaryOfDevice* d_table = nullptr;
    UnaryOfDevice address = nullptr;
    int *d_out = nullptr, out = 0;
    cudaMalloc(&d_counter, sizeof(PlusCounter));
    cudaMalloc(&d_copy, sizeof(PlusCounter));
    cudaMalloc(&d_table, sizeof address);
    cudaMalloc(&d_out, sizeof out);
    make_counter<<<1, 1>>>(d_counter);
    cudaMemcpy(d_copy, d_counter, sizeof(PlusCounter), cudaMemcpyDeviceToDevice);
    cudaMemcpyFromSymbol(&address, triple_address, sizeof address);
    cudaMemcpy(d_table, &address, sizeof address, cudaMemcpyHostToDevice);
    use_counter<<<1, 1>>>(d_copy, d_table, d_out);
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    std::printf("%d\n", out);
    cudaFree(d_counter);
    cudaFree(d_copy);
    cudaFree(d_table);
    cudaFree(d_out);
    return 0;
}
