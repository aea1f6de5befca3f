// cuRAND's device functions. The numbers expected here are those of the real library, taken from
// its own functions compiled for the host.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <doctest/doctest.h>
#include <cmath>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

template <class State>
__global__ void bits_kernel(unsigned* out, unsigned long long seed, unsigned long long sequence,
                            unsigned long long offset) {
    State state;
    curand_init(seed, sequence, offset, &state);
    for (int i = 0; i < 4; ++i) out[i] = curand(&state);
}

template <class State>
__global__ void numbers_kernel(float* out, int count) {
    State state;
    curand_init(7, threadIdx.x, 0, &state);
    for (int i = 0; i < count; ++i) {
        out[(2 * threadIdx.x) * count + i] = curand_uniform(&state);
        out[(2 * threadIdx.x + 1) * count + i] = curand_normal(&state);
    }
}

template <class State>
std::vector<unsigned> bits(unsigned long long seed, unsigned long long sequence,
                           unsigned long long offset) {
    DeviceArray<unsigned> d_out(4);
    bits_kernel<State><<<1, 1>>>(d_out.data(), seed, sequence, offset);
    return d_out.download();
}

}  // namespace

TEST_CASE("random: the bits of XORWOW, from the start and far into a subsequence") {
    CHECK_SAME(bits<curandStateXORWOW_t>(0, 0, 0),
               (std::vector<unsigned>{3179217846u, 1883133293u, 2220552389u, 674260989u}));
    CHECK_SAME(bits<curandStateXORWOW_t>(1234, 0, 0),
               (std::vector<unsigned>{624778773u, 1867875844u, 3739671282u, 1954919316u}));
    CHECK_SAME(bits<curandStateXORWOW_t>(1234, 1, 0),
               (std::vector<unsigned>{3522650202u, 3978931785u, 2198015705u, 2308946676u}));
    CHECK_SAME(bits<curandStateXORWOW_t>(42, 7, 5),
               (std::vector<unsigned>{2362980919u, 2698626076u, 3571566824u, 610470631u}));
    CHECK_SAME(bits<curandStateXORWOW_t>(0x123456789abcdefull, 1000000, 12345678901ull),
               (std::vector<unsigned>{2170296075u, 3137168097u, 291197102u, 3220646522u}));
    CHECK_SAME(bits<curandStateXORWOW_t>(5, 4095, 3),
               (std::vector<unsigned>{452059348u, 3211114285u, 3516699742u, 2016247069u}));
}

TEST_CASE("random: the bits of Philox4_32_10, from the start and far into a subsequence") {
    CHECK_SAME(bits<curandStatePhilox4_32_10_t>(0, 0, 0),
               (std::vector<unsigned>{1713891541u, 3781805453u, 3159862348u, 2600524760u}));
    CHECK_SAME(bits<curandStatePhilox4_32_10_t>(1234, 0, 0),
               (std::vector<unsigned>{546353992u, 3665621163u, 1140953199u, 3419031310u}));
    CHECK_SAME(bits<curandStatePhilox4_32_10_t>(1234, 1, 0),
               (std::vector<unsigned>{3507855656u, 1392278645u, 3354607383u, 253049307u}));
    CHECK_SAME(bits<curandStatePhilox4_32_10_t>(42, 7, 5),
               (std::vector<unsigned>{1611620758u, 2412640497u, 747558969u, 619510894u}));
    CHECK_SAME(bits<curandStatePhilox4_32_10_t>(0x123456789abcdefull, 1000000, 12345678901ull),
               (std::vector<unsigned>{2552527024u, 3421854107u, 4059998148u, 71154053u}));
    CHECK_SAME(bits<curandStatePhilox4_32_10_t>(5, 4095, 3),
               (std::vector<unsigned>{1719997972u, 3319090206u, 1446282425u, 2548000865u}));
}

TEST_CASE_TEMPLATE("random: uniform and normal numbers have the moments that they should", State,
                   curandStateXORWOW_t, curandStatePhilox4_32_10_t) {
    constexpr int kThreads = 32, kCount = 512;
    DeviceArray<float> d_out(2 * kThreads * kCount);
    numbers_kernel<State><<<1, kThreads>>>(d_out.data(), kCount);
    const std::vector<float> out = d_out.download();
    double uniform = 0, normal = 0, square = 0;
    for (int t = 0; t < kThreads; ++t) {
        for (int i = 0; i < kCount; ++i) {
            const float u = out[(2 * t) * kCount + i], v = out[(2 * t + 1) * kCount + i];
            CHECK_UNARY(u > 0.0f && u <= 1.0f);
            uniform += double(u);
            normal += double(v);
            square += double(v) * double(v);
        }
    }
    const double n = kThreads * kCount;
    // Five standard deviations of each mean.
    CHECK(std::abs(uniform / n - 0.5) < 5 * std::sqrt(1.0 / 12.0 / n));
    CHECK(std::abs(normal / n) < 5 / std::sqrt(n));
    CHECK(std::abs(square / n - 1.0) < 5 * std::sqrt(2.0 / n));
}
