// Features of courses' programs that the examples do not use: for build_llvm.mjs.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = call;                                                    \
        if (error != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            exit(EXIT_FAILURE);                                                            \
        }                                                                                  \
    } while (0)

namespace cg = cooperative_groups;

typedef float (*Binary)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float multiply(float a, float b) { return a * b; }
__device__ Binary binaries[2] = {add, multiply};
__constant__ float factors[3][3];
__device__ unsigned long long sum;

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Circle : Shape {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.14f * radius * radius; }
};

union Word {
    unsigned u;
    float f;
    uchar4 c;
};
struct Bits {
    unsigned low : 3, high : 5;
};

__device__ int bits_of(int a, int b) {
    Word word;
    word.u = __byte_perm(a, b, 0x5410);
    word.c.y ^= 0xff;
    Bits bits = {(unsigned)a, 3u * b};
    return __clz(a) + __brev(b) + __popcll(a) + __ffsll(b) + __umulhi(a, b) + __mul24(a, b) +
           __funnelshift_l(a, b, 3) + __dp4a(a, b, (int)word.u) + bits.low + bits.high;
}

__device__ float functions_of(float x, double y) {
    return fmaf(x, x, 1) + powf(x, 2) + rsqrtf(x + 1) + erff(x) + exp2f(x) + fmodf(x, 3) +
           hypot(y, 4.0) + tgamma(y + 1) + sinpif(x) + roundf(x) + copysignf(x, -2) + log1pf(x) +
           cbrtf(x) + norm3df(x, 2, 2) + __saturatef(x) + __fdividef(x, 2) + isnan(x) + fabsf(x) +
           abs((int)x) + fmax(y, 1.0);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ void sort(int* a, int low, int high) {
    int i = low, j = high;
    const int middle = a[(low + high) / 2];
    while (i <= j) {
        while (a[i] < middle) i++;
        while (a[j] > middle) j--;
        if (i <= j) {
            const int t = a[i];
            a[i++] = a[j];
            a[j--] = t;
        }
    }
    if (low < j) sort(a, low, j);
    if (i < high) sort(a, i, high);
}

__global__ void mixed(double* a, half* h, int* out, int n) {
    extern __shared__ char room[];
    double* const doubles = (double*)room;
    float* const floats = (float*)&doubles[blockDim.x];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    doubles[t] = i < n ? sin(a[i]) * cos(a[i]) : 0;
    floats[t] = binaries[t % 2](factors[t % 3][1], 2.0f);
    __syncthreads();
    const unsigned even = __ballot_sync(0xffffffff, floats[t] > 0),
                   same = __match_any_sync(0xffffffff, t % 5);
    const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int total = cg::reduce(tile, __popc(even) + __ffs(same), cg::plus<int>());
    atomicAdd(&sum, (unsigned long long)total);
    if (i < n) {
        h[i] = __hadd(__float2half((float)doubles[t]), h[i]);
        floats[t] = functions_of(floats[t], doubles[t]);
        out[i] = fibonacci(t % 8) + bits_of(i, t) + (int)((long long)i * total >> 3);
    }
    __syncthreads();
    if (t == 0) {
        sort(out + i, 0, 3);
        Shape* const shape = new Circle(2);
        printf("%d %f\n", blockIdx.x, shape->area());
        delete shape;
    }
}

int main() {
    const int n = 200, bytes = n * sizeof(double);
    double* const h = (double*)malloc(bytes);
    float table[3][3];
    memset(table, 0, sizeof table);
    for (int i = 0; i < n; i++) h[i] = sin(i) * sin(i) + rand() / (RAND_MAX + 1.0);
    double* a;
    half* b;
    int* out;
    CHECK(cudaMalloc((void**)&a, bytes));
    CHECK(cudaMalloc((void**)&b, n * sizeof(half)));
    CHECK(cudaMallocManaged(&out, n * sizeof(int)));
    CHECK(cudaMemset(b, 0, n * sizeof(half)));
    CHECK(cudaMemcpyToSymbol(factors, table, sizeof table));
    CHECK(cudaMemcpy(a, h, bytes, cudaMemcpyHostToDevice));
    dim3 block(64), grid((int)ceil((float)n / block.x));
    mixed<<<grid, block, block.x*(sizeof(double) + sizeof(float))>>>(a, b, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    free(h);
    return 0;
}
