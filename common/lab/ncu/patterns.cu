// Patterns of access with a known answer, one kernel each, one warp each: for Nsight Compute on a
// GPU and for the lab on a CPU, which must agree. compare.py runs both.
//
// Most of them store in their pattern; their later loads only keep the stores alive.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#ifdef TUTORIAL_EMULATOR
#include "lab/lab.hpp"
#endif

namespace {

constexpr int kBytes = 32 * 1024;

/// Stores T at item `index` of global memory for the lanes for which `active` holds.
#define GLOBAL(name, T, active, index)                                \
    __global__ void name(void* out, const int zero) {                 \
        [[maybe_unused]] const int t = static_cast<int>(threadIdx.x); \
        T* const items = static_cast<T*>(out);                        \
        T value{};                                                    \
        if (active) items[(index) + zero] = value;                    \
    }

/// The same in shared memory.
#define SHARED(name, T, active, index)                                        \
    __global__ void name(void* out, const int zero) {                         \
        extern __shared__ int4 memory[];                                      \
        const int t = static_cast<int>(threadIdx.x);                          \
        T* const items = reinterpret_cast<T*>(memory);                        \
        T value{};                                                            \
        if (active) items[(index) + zero] = value;                            \
        __syncthreads(); /* all stores are done */                            \
        static_cast<int*>(out)[t] = reinterpret_cast<int*>(memory)[t * zero]; \
    }

/// A load from shared memory.
#define LOADED(name, T, active, index)                                    \
    __global__ void name(void* out, const int zero) {                     \
        extern __shared__ int4 memory[];                                  \
        const int t = static_cast<int>(threadIdx.x);                      \
        T value{};                                                        \
        if (active) value = reinterpret_cast<T*>(memory)[(index) + zero]; \
        static_cast<T*>(out)[t] = value;                                  \
    }

#define LOADS(X)                                                         \
    X(loaded_words_kernel, int, true, t)                                 \
    X(loaded_stride_2_kernel, int, true, 2 * t)                          \
    X(loaded_same_kernel, int, true, 3)                                  \
    X(loaded_8_bytes_kernel, double, true, t)                            \
    X(loaded_8_same_kernel, double, true, 3)                             \
    X(loaded_8_by_2_kernel, double, true, t / 2)                         \
    X(loaded_8_by_4_kernel, double, true, t / 4)                         \
    X(loaded_8_by_8_kernel, double, true, t / 8)                         \
    X(loaded_8_halves_kernel, double, true, t / 16)                      \
    X(loaded_8_halves_conflict_kernel, double, true, t / 16 * 16)        \
    X(loaded_8_modulo_2_kernel, double, true, t % 2)                     \
    X(loaded_8_modulo_4_kernel, double, true, t % 4)                     \
    X(loaded_8_modulo_8_kernel, double, true, t % 8)                     \
    X(loaded_8_modulo_16_kernel, double, true, t % 16)                   \
    X(loaded_8_modulo_16_stride_kernel, double, true, t % 16 * 2)        \
    X(loaded_8_swapped_kernel, double, true, (t % 16 / 2))               \
    X(loaded_8_cross_kernel, double, true, (t / 2) ^ (t % 2))            \
    X(loaded_8_one_differs_kernel, double, true, t == 31)                \
    X(loaded_8_half_differs_kernel, double, true, t < 16 ? 0 : t - 15)   \
    X(loaded_8_same_20_kernel, double, t < 20, 3)                        \
    X(loaded_8_same_17_kernel, double, t < 17, 3)                        \
    X(loaded_8_ends_kernel, double, t % 31 == 0, t)                      \
    X(loaded_8_17_kernel, double, t < 17, t)                             \
    X(loaded_8_even_kernel, double, t % 2 == 0, t / 2)                   \
    X(loaded_8_few_each_kernel, double, t % 16 < 4, t % 16 + t / 16 * 4) \
    X(loaded_16_bytes_kernel, int4, true, t)                             \
    X(loaded_16_same_kernel, int4, true, 3)                              \
    X(loaded_16_by_2_kernel, int4, true, t / 2)                          \
    X(loaded_16_by_4_kernel, int4, true, t / 4)                          \
    X(loaded_16_by_8_kernel, int4, true, t / 8)                          \
    X(loaded_16_halves_kernel, int4, true, t / 16)                       \
    X(loaded_16_modulo_2_kernel, int4, true, t % 2)                      \
    X(loaded_16_modulo_4_kernel, int4, true, t % 4)                      \
    X(loaded_16_modulo_8_kernel, int4, true, t % 8)                      \
    X(loaded_16_modulo_16_kernel, int4, true, t % 16)                    \
    X(loaded_16_same_20_kernel, int4, t < 20, 3)                         \
    X(loaded_16_same_12_kernel, int4, t < 12, 3)                         \
    X(loaded_16_same_7_kernel, int4, t < 7, 3)                           \
    X(loaded_16_every_8_kernel, int4, t % 8 == 0, t / 8)                 \
    X(loaded_16_every_4_kernel, int4, t % 4 == 0, t / 4)                 \
    X(loaded_16_spread_kernel, int4, t % 8 == 0, t)

LOADS(LOADED)

#define PATTERNS(X_GLOBAL, X_SHARED)                                 \
    X_GLOBAL(global_bytes_kernel, char, true, t)                     \
    X_GLOBAL(global_words_kernel, int, true, t)                      \
    X_GLOBAL(global_8_bytes_kernel, double, true, t)                 \
    X_GLOBAL(global_16_bytes_kernel, int4, true, t)                  \
    X_GLOBAL(global_offset_kernel, int, true, t + 1)                 \
    X_GLOBAL(global_stride_2_kernel, int, true, 2 * t)               \
    X_GLOBAL(global_stride_8_kernel, int, true, 8 * t)               \
    X_GLOBAL(global_column_kernel, int, true, 64 * t)                \
    X_GLOBAL(global_same_kernel, int, true, 3)                       \
    X_GLOBAL(global_few_kernel, int, t < 5, t)                       \
    X_GLOBAL(global_8_offset_kernel, double, true, t + 3)            \
    X_SHARED(shared_bytes_kernel, char, true, t)                     \
    X_SHARED(shared_halves_kernel, short, true, t)                   \
    X_SHARED(shared_words_kernel, int, true, t)                      \
    X_SHARED(shared_stride_2_kernel, int, true, 2 * t)               \
    X_SHARED(shared_stride_3_kernel, int, true, 3 * t)               \
    X_SHARED(shared_stride_8_kernel, int, true, 8 * t)               \
    X_SHARED(shared_stride_32_kernel, int, true, 32 * t)             \
    X_SHARED(shared_stride_33_kernel, int, true, 33 * t)             \
    X_SHARED(shared_same_kernel, int, true, 3)                       \
    X_SHARED(shared_half_warp_kernel, int, t < 16, 2 * t)            \
    X_SHARED(shared_8_bytes_kernel, double, true, t)                 \
    X_SHARED(shared_8_stride_2_kernel, double, true, 2 * t)          \
    X_SHARED(shared_8_stride_3_kernel, double, true, 3 * t)          \
    X_SHARED(shared_8_stride_16_kernel, double, true, 16 * t)        \
    X_SHARED(shared_8_same_kernel, double, true, 3)                  \
    X_SHARED(shared_8_half_warp_kernel, double, t < 16, t)           \
    X_SHARED(shared_8_even_kernel, double, t % 2 == 0, t)            \
    X_SHARED(shared_8_even_packed_kernel, double, t % 2 == 0, t / 2) \
    X_SHARED(shared_8_few_kernel, double, t < 4, t)                  \
    X_SHARED(shared_8_pairs_kernel, double, true, t / 2)             \
    X_SHARED(shared_16_bytes_kernel, int4, true, t)                  \
    X_SHARED(shared_16_stride_2_kernel, int4, true, 2 * t)           \
    X_SHARED(shared_16_stride_8_kernel, int4, true, 8 * t)           \
    X_SHARED(shared_16_same_kernel, int4, true, 3)                   \
    X_SHARED(shared_16_quarter_kernel, int4, t < 8, t)               \
    X_SHARED(shared_16_spread_kernel, int4, t % 4 == 0, t)           \
    X_SHARED(shared_16_packed_kernel, int4, t % 4 == 0, t / 4)       \
    X_SHARED(shared_16_few_kernel, int4, t % 16 == 0, t)

PATTERNS(GLOBAL, SHARED)

/// Lanes that add to the same word of shared memory, `apart` lanes to each.
template <int kApart>
__global__ void atomic_kernel(int* out) {
    __shared__ int sums[32];
    const int t = static_cast<int>(threadIdx.x);
    atomicAdd(&sums[t / kApart], t);
    __syncthreads();  // all sums are complete
    out[t] = sums[t];
}

constexpr int kScattered = 97;

/// A word for each lane: at most three lanes use a bank, and two different words in it.
__device__ int scattered(int t) { return (7 * t * t + 13 * t) % kScattered; }

/// Lanes that add different numbers to such words.
__global__ void scattered_kernel(int* out) {
    __shared__ int sums[kScattered];
    const int t = static_cast<int>(threadIdx.x);
    atomicAdd(&sums[scattered(t)], t);
    __syncthreads();  // all sums are complete
    out[t] = sums[t];
}

/// Lanes that count: each adds 1, and the old value is not used.
__global__ void counted_kernel(int* out) {
    __shared__ int counts[kScattered];
    const int t = static_cast<int>(threadIdx.x);
    atomicAdd(&counts[scattered(t)], 1);
    __syncthreads();  // all are counted
    out[t] = counts[t];
}

/// Lanes that add to one word of eight bytes.
__global__ void long_sum_kernel(int* out) {
    __shared__ unsigned long long sum;
    const int t = static_cast<int>(threadIdx.x);
    if (t == 0) sum = 0;
    __syncwarp();  // the sum is cleared
    atomicAdd(&sum, static_cast<unsigned long long>(t) + 1);
    __syncthreads();  // all have added
    out[t] = static_cast<int>(sum);
}

struct ThreeDoubles {
    double x, y, z;
};
struct TwoDoubles {
    double x, y;
};
struct SixFloats {
    float at[6];
};
struct TwoVectors {
    float4 low, high;
};

/// One struct per lane, copied as a whole: a request for each piece of the struct's alignment.
template <class T>
__global__ void struct_kernel(void* out) {
    T* const items = static_cast<T*>(out);
    items[threadIdx.x] = items[threadIdx.x + 32];
}

/// The same through memcpy.
template <class T>
__global__ void memcpy_kernel(void* out) {
    T* const items = static_cast<T*>(out);
    std::memcpy(&items[threadIdx.x], &items[threadIdx.x + 32], sizeof(T));
}

/// Lanes that add to the same word of global memory, `apart` lanes to each.
/// lts__d_atomic_input_cycles_active says how long the words are busy; the requests are those of
/// op_red or op_atom.
template <int kApart>
__global__ void global_atomic_kernel(void* out) {
    const int t = static_cast<int>(threadIdx.x);
    atomicAdd(static_cast<float*>(out) + t / kApart, 1.0f);
}

__constant__ float weights[32] = {1.0f};

/// Lanes that read `kWords` different words of constant memory: no global traffic.
template <int kWords>
__global__ void constant_kernel(void* out) {
    const int t = static_cast<int>(threadIdx.x);
    static_cast<float*>(out)[t] = weights[t % kWords];
}

void run_all(void* out) {
#define LAUNCH(name, T, active, index) name<<<1, 32, kBytes>>>(out, 0);
    PATTERNS(LAUNCH, LAUNCH)
    LOADS(LAUNCH)
    atomic_kernel<1><<<1, 32>>>(static_cast<int*>(out));
    atomic_kernel<4><<<1, 32>>>(static_cast<int*>(out));
    atomic_kernel<32><<<1, 32>>>(static_cast<int*>(out));
    scattered_kernel<<<1, 32>>>(static_cast<int*>(out));
    counted_kernel<<<1, 32>>>(static_cast<int*>(out));
    long_sum_kernel<<<1, 32>>>(static_cast<int*>(out));
    struct_kernel<ThreeDoubles><<<1, 32>>>(out);
    struct_kernel<TwoDoubles><<<1, 32>>>(out);
    struct_kernel<SixFloats><<<1, 32>>>(out);
    struct_kernel<TwoVectors><<<1, 32>>>(out);
    memcpy_kernel<int><<<1, 32>>>(out);
    memcpy_kernel<SixFloats><<<1, 32>>>(out);
    global_atomic_kernel<1><<<1, 32>>>(out);
    global_atomic_kernel<4><<<1, 32>>>(out);
    global_atomic_kernel<32><<<1, 32>>>(out);
    constant_kernel<1><<<1, 32>>>(out);
    constant_kernel<4><<<1, 32>>>(out);
    constant_kernel<32><<<1, 32>>>(out);
}

}  // namespace

int main() {
    void* out = nullptr;
    cudaMalloc(&out, kBytes);
#ifdef TUTORIAL_EMULATOR
    std::printf("%s\n", lab::json(lab::count([&] { run_all(out); })).c_str());
#else
    run_all(out);
#endif
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    cudaFree(out);
    return error == cudaSuccess ? 0 : 1;
}
