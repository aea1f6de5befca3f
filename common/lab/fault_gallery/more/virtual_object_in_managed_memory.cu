// An object with virtual functions, made by the host in managed memory: its table is the host's.
#include <cuda_runtime.h>

#include <new>

struct WeightOfDistance {
    __host__ __device__ virtual ~WeightOfDistance() {}
    __host__ __device__ virtual float weight(int i) const = 0;
};

struct WeightOfTriangle : WeightOfDistance {
    __host__ __device__ float weight(int i) const override { return 1.0f - 0.1f * i; }
};

__global__ void weigh_by_filter(const WeightOfDistance* filter, float* weights) {
    weights[threadIdx.x] = filter->weight(threadIdx.x);
}

int main() {
    void* place = nullptr;
    float* weights = nullptr;
    cudaMallocManaged(&place, sizeof(WeightOfTriangle));
    cudaMallocManaged(&weights, 8 * sizeof(float));
    const WeightOfDistance* const filter = new (place) WeightOfTriangle;
    weigh_by_filter<<<1, 8>>>(filter, weights);
    cudaDeviceSynchronize();
    cudaFree(weights);
    cudaFree(place);
    return 0;
}
