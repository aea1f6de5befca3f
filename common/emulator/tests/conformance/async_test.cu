// cuda::barrier, cuda::pipeline and the copies that they wait for.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <doctest/doctest.h>
#include <utility>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

#ifdef __CUDACC__
#pragma nv_diag_suppress 20054  // a shared barrier is initialised by init(), not by its constructor
#endif

using conformance::DeviceArray;

namespace {

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void arrive_and_wait_kernel(int* out, int rounds) {
    __shared__ BlockBarrier meeting;
    __shared__ int items[256];
    const unsigned t = threadIdx.x;
    if (t == 0) init(&meeting, blockDim.x);
    items[t] = static_cast<int>(t);
    __syncthreads();  // the barrier is made
    for (int round = 0; round < rounds; ++round) {
        const int value = items[(t + 1) % blockDim.x] + 1;
        meeting.arrive_and_wait();  // all have read
        items[t] = value;
        meeting.arrive_and_wait();  // all have written
    }
    out[t] = items[t];
}

// Between arriving and waiting, a thread does work that depends on no other thread.
__global__ void split_kernel(const int* in, int* out, int n) {
    __shared__ BlockBarrier meeting;
    __shared__ int items[128];
    const int t = static_cast<int>(threadIdx.x);
    if (t == 0) init(&meeting, blockDim.x);
    __syncthreads();  // the barrier is made
    for (int begin = 0; begin < n; begin += static_cast<int>(blockDim.x)) {
        const int i = begin + t;
        items[t] = i < n ? in[i] : 0;
        BlockBarrier::arrival_token token = meeting.arrive();
        const int own = i < n ? in[i] * 2 : 0;
        meeting.wait(std::move(token));  // the items are there
        if (i < n) out[i] = own + items[blockDim.x - 1 - t];
        meeting.arrive_and_wait();  // all have read
    }
}

// Half the block leaves early; the barrier then waits only for the others.
__global__ void drop_kernel(int* out) {
    __shared__ BlockBarrier meeting;
    __shared__ int items[64];
    const int t = static_cast<int>(threadIdx.x);
    if (t == 0) init(&meeting, blockDim.x);
    items[t] = t;
    __syncthreads();  // the barrier is made
    if (t % 2 == 1) {
        meeting.arrive_and_drop();
        return;
    }
    meeting.arrive_and_wait();  // including those that drop out
    items[t] = items[t + 1] + 1;
    meeting.arrive_and_wait();  // without them
    out[t / 2] = items[(t + 2) % 64];
}

// One warp fills a buffer, the others use it: two barriers say whose turn it is.
__global__ void producer_kernel(const int* in, int* sums, int rounds) {
    __shared__ BlockBarrier is_full, is_empty;
    __shared__ int buffer[32];
    const int t = static_cast<int>(threadIdx.x);
    if (t == 0) {
        init(&is_full, blockDim.x);
        init(&is_empty, blockDim.x);
    }
    __syncthreads();  // the barriers are made
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
        if (t < 32) {
            buffer[t] = in[round * 32 + t];
            (void)is_full.arrive();
            is_empty.arrive_and_wait();
        } else {
            is_full.arrive_and_wait();
            for (int i = 0; i < 32; ++i) sum += buffer[i];
            (void)is_empty.arrive();
        }
    }
    if (t >= 32) sums[t - 32] = sum;
}

__global__ void copy_with_barrier_kernel(const int* in, int* out, int n) {
    __shared__ BlockBarrier meeting;
    __shared__ alignas(16) int items[1024];
    const cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0) init(&meeting, block.size());
    block.sync();  // the barrier is made
    cuda::memcpy_async(block, items, in, sizeof(int) * n, meeting);
    meeting.arrive_and_wait();  // the copy is there
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
        out[i] = items[n - 1 - i];
    }
}

template <int kStages>
__global__ void pipeline_kernel(const int* in, int* out, int batches) {
    constexpr int kItems = 64;  // a batch
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
    __shared__ alignas(16) int stages[kStages][kItems];
    const cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int filled = 0;
    for (int batch = 0; batch < batches; ++batch) {
        for (; filled < batches && filled < batch + kStages; ++filled) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages[filled % kStages], in + filled * kItems,
                               cuda::aligned_size_t<16>(sizeof(int) * kItems), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        const int* const items = stages[batch % kStages];
        for (int i = static_cast<int>(threadIdx.x); i < kItems; i += static_cast<int>(blockDim.x)) {
            out[batch * kItems + i] = items[kItems - 1 - i] + batch;
        }
        pipe.consumer_release();
    }
}

// The first warp copies, and the others compute.
__global__ void roles_kernel(const int* in, int* out, int batches) {
    constexpr int kItems = 32;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int stages[2][kItems];
    const cg::thread_block block = cg::this_thread_block();
    const int t = static_cast<int>(threadIdx.x);
    const auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);
    for (int batch = 0; batch < batches; ++batch) {
        if (role == cuda::pipeline_role::producer) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stages[batch % 2][t], &in[batch * kItems + t], sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            out[batch * kItems + t - 32] = 2 * stages[batch % 2][(t + 1) % kItems];
            pipe.consumer_release();
        }
    }
}

// A thread's own copies: it waits for them, and a barrier shows them to the others.
__global__ void own_pipeline_kernel(const float4* in, float* out) {
    __shared__ float4 items[64];
    const unsigned t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&items[t], &in[t], cuda::aligned_size_t<alignof(float4)>(sizeof(float4)),
                       pipe);
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();  // the items of all threads are there
    const float4 other = items[63 - t];
    out[t] = other.x + other.y + other.z + other.w;
    pipe.consumer_release();
}

}  // namespace

TEST_CASE("async: a barrier that is passed many times") {
    for (const int threads : {1, 31, 32, 33, 255, 256}) {
        CAPTURE(threads);
        DeviceArray<int> d_out(threads);
        arrive_and_wait_kernel<<<1, threads>>>(d_out.data(), 5);
        std::vector<int> expected;
        for (int t = 0; t < threads; ++t) expected.push_back((t + 5) % threads + 5);
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("async: arriving and waiting at different places") {
    const int n = 1000;
    const std::vector<int> in = conformance::random_below<int>(n, 1000, 17);
    DeviceArray<int> d_in(in), d_out(n);
    split_kernel<<<1, 128>>>(d_in.data(), d_out.data(), n);
    std::vector<int> expected;
    for (int i = 0; i < n; ++i) {
        const int other = i / 128 * 128 + 127 - i % 128;
        expected.push_back(2 * in[i] + (other < n ? in[other] : 0));
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("async: threads that drop out") {
    DeviceArray<int> d_out(32);
    drop_kernel<<<1, 64>>>(d_out.data());
    std::vector<int> expected;
    for (int t = 0; t < 64; t += 2) expected.push_back((t + 2) % 64 + 2);
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("async: a warp that fills and warps that use") {
    const int rounds = 9;
    const std::vector<int> in = conformance::random_below<int>(32 * rounds, 1000, 18);
    DeviceArray<int> d_in(in), d_sums(96);
    producer_kernel<<<1, 128>>>(d_in.data(), d_sums.data(), rounds);
    int sum = 0;
    for (const int each : in) sum += each;
    CHECK_SAME(d_sums.download(), std::vector<int>(96, sum));
}

TEST_CASE("async: a copy by a block that a barrier waits for") {
    for (const int n : {1, 31, 32, 33, 255, 257, 1023, 1024}) {
        CAPTURE(n);
        const std::vector<int> in = conformance::random_below<int>(n, 1000, 19);
        DeviceArray<int> d_in(in), d_out(n);
        copy_with_barrier_kernel<<<1, 96>>>(d_in.data(), d_out.data(), n);
        CHECK_SAME(d_out.download(), std::vector<int>(in.rbegin(), in.rend()));
    }
}

TEST_CASE("async: a pipeline of a block") {
    const int batches = 11;
    const std::vector<int> in = conformance::random_below<int>(64 * batches, 1000, 20);
    std::vector<int> expected;
    for (int i = 0; i < 64 * batches; ++i) {
        expected.push_back(in[i / 64 * 64 + 63 - i % 64] + i / 64);
    }
    DeviceArray<int> d_in(in), d_out(64 * batches);
    pipeline_kernel<1><<<1, 64>>>(d_in.data(), d_out.data(), batches);
    CHECK_SAME(d_out.download(), expected);
    DeviceArray<int> d_two(64 * batches), d_three(64 * batches);
    pipeline_kernel<2><<<1, 32>>>(d_in.data(), d_two.data(), batches);
    CHECK_SAME(d_two.download(), expected);
    pipeline_kernel<3><<<1, 128>>>(d_in.data(), d_three.data(), batches);
    CHECK_SAME(d_three.download(), expected);
}

TEST_CASE("async: producers and consumers") {
    const int batches = 7;
    const std::vector<int> in = conformance::random_below<int>(32 * batches, 1000, 21);
    DeviceArray<int> d_in(in), d_out(32 * batches);
    roles_kernel<<<1, 64>>>(d_in.data(), d_out.data(), batches);
    std::vector<int> expected;
    for (int i = 0; i < 32 * batches; ++i) {
        expected.push_back(2 * in[i / 32 * 32 + (i + 1) % 32]);
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("async: a thread's own pipeline") {
    std::vector<float4> in;
    for (int i = 0; i < 64; ++i) in.push_back(make_float4(static_cast<float>(i), 1.0f, 2.0f, 0.5f));
    DeviceArray<float4> d_in(in);
    DeviceArray<float> d_out(64);
    own_pipeline_kernel<<<1, 64>>>(d_in.data(), d_out.data());
    std::vector<float> expected;
    for (int i = 0; i < 64; ++i) expected.push_back(static_cast<float>(63 - i) + 3.5f);
    CHECK_SAME(d_out.download(), expected);
}
