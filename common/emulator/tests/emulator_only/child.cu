// settings_test.cu and host_calls_test.cu run this program to test what ends a whole program, or is
// decided once for it. Its argument says what to do.
#undef NDEBUG  // assert() is tested here, in every build
#include <assert.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <emulator/settings.hpp>

namespace {

__global__ void order_kernel(int* first) {
    if (atomicAdd(first, 1) == 0) first[1] = int(threadIdx.x);
}

__device__ int deep(int n) {
    volatile char local[1024];
    local[n % 1024] = char(n);
    return n == 0 ? 0 : deep(n - 1) + local[n % 1024];
}
__global__ void deep_kernel(int* out) { *out = deep(100); }  // about 100 KB of stack

__global__ void half_barrier_kernel() {
    if (threadIdx.x < 8) __syncthreads();  // the others return
}

__global__ void all_wait_kernel() {
    __syncthreads();  // each thread needs its stack until the last one arrives
}

__global__ void wait_kernel(volatile int* flag) {
    while (*flag == 0) __nanosleep(10);  // it is never set
}

const char* finished() { return cudaGetErrorName(cudaDeviceSynchronize()); }

void first_thread() {
    int* d_first = nullptr;
    int first[2] = {};
    cudaMalloc(&d_first, sizeof first);
    cudaMemset(d_first, 0, sizeof first);
    order_kernel<<<1, 32>>>(d_first);
    cudaMemcpy(first, d_first, sizeof first, cudaMemcpyDeviceToHost);
    cudaFree(d_first);
    std::printf("first thread %d, %d workers\n", first[1], emulator::workers());
}

void l2() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    std::printf("%d bytes of L2 cache\n", p.l2CacheSize);
}

void multiprocessors() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    std::printf("%d multiprocessors\n", p.multiProcessorCount);
}

void limits() {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    int all = 0, few = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&all, half_barrier_kernel, 256, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, half_barrier_kernel, 256, 40000);
    std::printf("%d.%d, %zu bytes of shared memory, %d and %d blocks\n", p.major, p.minor,
                p.sharedMemPerBlockOptin, all, few);
}

void deep_calls() {
    int* d_out = nullptr;
    cudaMalloc(&d_out, sizeof(int));
    deep_kernel<<<1, 1>>>(d_out);
    std::printf("deep: %s\n", finished());
}

void divergence() {
    half_barrier_kernel<<<1, 16>>>();
    std::printf("divergence: %s\n", finished());
}

void wait() {
    int* d_flag = nullptr;
    cudaMalloc(&d_flag, sizeof(int));
    cudaMemset(d_flag, 0, sizeof(int));
    wait_kernel<<<1, 1>>>(d_flag);
    std::printf("wait: %s\n", finished());
}

void all_wait() {
    all_wait_kernel<<<1, 8>>>();
    std::printf("few: %s\n", finished());
    cudaDeviceReset();
    all_wait_kernel<<<1, 1024>>>();
    std::printf("many: %s\n", finished());
}

}  // namespace

int main(int argc, char** argv) {
    const struct {
        const char* name;
        void (*run)();
    } actions[] = {
        {"first-thread", first_thread},
        {"multiprocessors", multiprocessors},
        {"l2", l2},
        {"limits", limits},
        {"deep", deep_calls},
        {"divergence", divergence},
        {"wait", wait},
        {"all-wait", all_wait},
        {"host-barrier", [] { __syncthreads(); }},
        {"host-shuffle", [] { __shfl_sync(0xffffffffu, 1, 0); }},
        {"host-sleep", [] { __nanosleep(5); }},
        {"host-assert", [] { assert(false && "on the host"); }},
    };
    for (const auto& action : actions) {
        if (argc == 2 && std::strcmp(argv[1], action.name) == 0) {
            action.run();
            return 0;
        }
    }
    std::fprintf(stderr, "emulator_child: the argument is one of");
    for (const auto& action : actions) std::fprintf(stderr, " %s", action.name);
    std::fprintf(stderr, "\n");
    return 3;
}
