// Right: pointers to local variables, used while these exist and by their own threads.
#include <cuda_runtime.h>
#include <cstdio>

struct IntRange {
    int *begin, *end;
};

__device__ void fill_range(IntRange range, int value) {
    for (int* at = range.begin; at != range.end; ++at) *at = value++;
}

__device__ int sum_of_range(const IntRange* range) {
    int local[8], sum = 0;
    for (int i = 0; i < 8; ++i) local[i] = range->begin[i % (range->end - range->begin)];
    const IntRange own{local, local + 8};
    fill_range({local, local + 4}, 1);
    for (const int* at = own.begin; at != own.end; ++at) sum += *at;
    return sum;
}

__device__ int depth_below(int* left, int depth) {
    int mine = *left - 1;
    return *left == 0 ? depth : depth_below(&mine, depth + 1);
}

__global__ void use_own_pointers(int* out) {
    __shared__ int* pointers[32];
    int numbers[4], left = static_cast<int>(threadIdx.x) % 5;
    pointers[threadIdx.x] = numbers;
    fill_range({numbers, numbers + 4}, left);
    const IntRange all{numbers, numbers + 4};
    out[threadIdx.x] = sum_of_range(&all) + depth_below(&left, 0) + *pointers[threadIdx.x];
}

int main() {
    int *d_out = nullptr, out[32];
    cudaMalloc(&d_out, sizeof out);
    use_own_pointers<<<1, 32>>>(d_out);
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    std::printf("%d\n", out[7]);
    cudaFree(d_out);
    return 0;
}
