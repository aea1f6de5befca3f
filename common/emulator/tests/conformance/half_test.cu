// Half precision and bfloat16, and arithmetic with a rounding mode.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cmath>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

namespace {

__global__ void half_kernel(float* out) {
    const __half third = __float2half(1.0f / 3.0f);
    out[0] = __half2float(third);
    out[1] = __half2float(__hadd(third, third));
    out[2] = __half2float(__hmul(third, __float2half(3.0f)));
    out[3] = __half2float(__hfma(third, __float2half(3.0f), __float2half(-1.0f)));
    out[4] = __half2float(__float2half(65519.0f));
    out[5] = __half2float(__float2half(65520.0f));
    out[6] = __half2float(__float2half(6e-8f));
    const __half2 pair = __hadd2(__floats2half2_rn(1.0f, 2.0f), __float2half2_rn(0.5f));
    out[7] = __low2float(pair);
    out[8] = __high2float(pair);
    out[9] = __half2float(__float2half(0.0f));
}

__global__ void pairs_kernel(float* out, unsigned* masks) {
    const __half one = __float2half(1.0f), two = __float2half(2.0f);
    const __half2 pair = __halves2half2(one, two);
    const __half2 ones = __lows2half2(pair, pair), twos = __highs2half2(pair, pair);
    out[0] = __low2float(pair);
    out[1] = __high2float(pair);
    out[2] = __high2float(ones);
    out[3] = __low2float(twos);
    out[4] = __low2float(__hlt2(pair, twos)) + 10 * __high2float(__hlt2(pair, twos));
    out[5] = __half2float(__hfma_relu(two, __hneg(two), one));
    out[6] = __half2float(__hfma_sat(two, two, one));
    out[7] = __half2float(__short2half_rn(-3));
    masks[0] = __hlt2_mask(pair, twos);
    masks[1] = __hbeq2(ones, pair);
    masks[2] = static_cast<unsigned>(__half2short_rz(__float2half(-3.75f)) + 4);
}

__global__ void bfloat_kernel(float* out) {
    const __nv_bfloat16 third = __float2bfloat16(1.0f / 3.0f);
    out[0] = __bfloat162float(third);
    out[1] = __bfloat162float(__hadd(third, __float2bfloat16(1.0f)));
    out[2] = __bfloat162float(__float2bfloat16(3.4e38f));
    const __nv_bfloat16 two = __float2bfloat16(2.0f);
    out[3] = __bfloat162float(__hfma_relu(two, __hneg(two), two));
    out[4] = __low2float(__hlt2(__halves2bfloat162(third, two), __bfloat162bfloat162(two)));
    out[5] = __bfloat162float(hexp10(two));
}

__global__ void rounding_kernel(float* out) {
    const float tiny = ldexpf(1.0f, -60);
    out[0] = __fadd_rd(1.0f, tiny);
    out[1] = __fadd_ru(1.0f, tiny);
    out[2] = __fadd_rz(-1.0f, tiny);
    out[3] = __fdiv_rd(1.0f, 3.0f);
    out[4] = __fdiv_ru(1.0f, 3.0f);
    out[5] = float(__dp4a(0x01020304, 0x01010101, 100));
}

}  // namespace

TEST_CASE("half: arithmetic is rounded to the nearest even") {
    DeviceArray<float> d_out(10);
    half_kernel<<<1, 1>>>(d_out.data());
    const float third = 1365.0f / 4096.0f;
    CHECK_SAME(d_out.download(),
               (std::vector<float>{third, 2 * third, 1.0f, -1.0f / 4096.0f, 65504.0f, INFINITY,
                                   std::ldexp(1.0f, -24), 1.5f, 2.5f, 0.0f}));
}

TEST_CASE("half: pairs are made, taken apart and compared") {
    DeviceArray<float> d_out(8);
    DeviceArray<unsigned> d_masks(3);
    pairs_kernel<<<1, 1>>>(d_out.data(), d_masks.data());
    CHECK_SAME(d_out.download(), (std::vector<float>{1, 2, 1, 2, 1, 0, 1, -3}));
    CHECK_SAME(d_masks.download(), (std::vector<unsigned>{0xffffu, 0u, 1u}));
}

TEST_CASE("half: bfloat16 has the range of float and eight bits") {
    DeviceArray<float> d_out(6);
    bfloat_kernel<<<1, 1>>>(d_out.data());
    const std::vector<float> out = d_out.download();
    CHECK(out[0] == 171.0f / 512.0f);
    CHECK(out[1] == 171.0f / 128.0f);
    CHECK(out[2] == INFINITY);
    CHECK(out[3] == 0.0f);
    CHECK(out[4] == 1.0f);
    CHECK(out[5] == 100.0f);
}

TEST_CASE("half: rounding modes, and sums of products of bytes") {
    DeviceArray<float> d_out(6);
    rounding_kernel<<<1, 1>>>(d_out.data());
    const std::vector<float> out = d_out.download();
    CHECK(out[0] == 1.0f);
    CHECK(out[1] == std::nextafter(1.0f, 2.0f));
    CHECK(out[2] == -std::nextafter(1.0f, 0.0f));
    CHECK(out[4] == std::nextafter(out[3], 1.0f));
    CHECK(out[5] == 110.0f);
}
