// cuda::atomic and cuda::atomic_ref.
#include <cuda_runtime.h>
#include <cuda/atomic>

#include <doctest/doctest.h>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

using Counter = cuda::atomic<int, cuda::thread_scope_device>;

__device__ Counter total{0};

__global__ void sum_kernel(const int* in, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) total.fetch_add(in[i], cuda::memory_order_relaxed);
}

__global__ void read_kernel(int* out) { *out = total.load(); }

// out: sum, minimum, maximum, or, and, xor, sum of floats, number of exchanges seen.
__global__ void fetch_kernel(int* out, float* sum) {
    const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    using Ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
    Ref(out[0]).fetch_add(t);
    Ref(out[1]).fetch_min(t - 7);
    Ref(out[2]).fetch_max(t + 7);
    Ref(out[3]).fetch_or(1 << t % 16);
    Ref(out[4]).fetch_and(~(1 << t % 8));
    Ref(out[5]).fetch_xor(t + 1);
    Ref(out[6]) += 2;
    Ref(out[7])--;
    cuda::atomic_ref<float, cuda::thread_scope_device>(*sum).fetch_add(0.5f);
}

// Block scope: a lock, a maximum by compare-and-exchange.
__global__ void lock_kernel(const int* in, int* out) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> lock, largest;
    __shared__ int counted;
    const unsigned t = threadIdx.x;
    if (t == 0) {
        lock.store(0);
        largest.store(in[0], cuda::std::memory_order_relaxed);
        counted = 0;
    }
    __syncthreads();  // the variables are set
    int known = largest.load(cuda::memory_order_relaxed);
    while (known < in[t] && !largest.compare_exchange_weak(known, in[t])) {
    }
    for (bool is_done = false; !is_done;) {
        if (lock.exchange(1, cuda::memory_order_acquire) == 0) {
            ++counted;
            lock.store(0, cuda::memory_order_release);
            is_done = true;
        }
    }
    __syncthreads();  // all have counted
    if (t == 0) {
        out[0] = largest.load();
        out[1] = counted;
        out[2] = lock;
    }
}

// Blocks pass a value on from one to the next; each waits for its turn.
__global__ void turns_kernel(int* value, Counter* turn) {
    if (threadIdx.x != 0) return;
    while (turn->load(cuda::memory_order_acquire) != static_cast<int>(blockIdx.x)) {
    }
    *value = *value * 2 + 1;
    turn->fetch_add(1, cuda::memory_order_release);
}

}  // namespace

TEST_CASE("cuda_atomic: a variable of the device") {
    const std::vector<int> in(1000, 3);
    DeviceArray<int> d_in(in), d_out(1);
    sum_kernel<<<8, 128>>>(d_in.data(), 1000);
    read_kernel<<<1, 1>>>(d_out.data());
    CHECK_SAME(d_out.download(), std::vector<int>{3000});
}

TEST_CASE("cuda_atomic: operations on a plain variable") {
    DeviceArray<int> d_out(std::vector<int>{0, 1000, -1000, 0, 0xffff, 0, 0, 0});
    DeviceArray<float> d_sum(std::vector<float>{0.0f});
    fetch_kernel<<<3, 100>>>(d_out.data(), d_sum.data());
    CHECK_SAME(d_out.download(),
               (std::vector<int>{44850, -7, 306, 0xffff, 0xff00, 300, 600, -300}));
    CHECK_SAME(d_sum.download(), std::vector<float>{150.0f});
}

TEST_CASE("cuda_atomic: a lock, and compare-and-exchange, in a block") {
    std::vector<int> in;
    for (int i = 0; i < 96; ++i) in.push_back(i * 37 % 101);
    DeviceArray<int> d_in(in), d_out(3);
    lock_kernel<<<1, 96>>>(d_in.data(), d_out.data());
    int largest = 0;
    for (const int each : in) largest = each > largest ? each : largest;
    CHECK_SAME(d_out.download(), (std::vector<int>{largest, 96, 0}));
}

TEST_CASE("cuda_atomic: blocks that wait for their turn") {
    DeviceArray<int> d_value(std::vector<int>{0}), d_turn(std::vector<int>{0});
    turns_kernel<<<8, 32>>>(d_value.data(), reinterpret_cast<Counter*>(d_turn.data()));
    CHECK_SAME(d_value.download(), std::vector<int>{255});
}
