// Vector types: layout, construction, and wide loads and stores through them.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <type_traits>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

// Source of sizes and alignments: CUDA C++ Programming Guide, built-in vector types.
#define LAYOUT(type, size, alignment) \
    static_assert(sizeof(type) == size && alignof(type) == alignment, #type)
LAYOUT(char1, 1, 1);
LAYOUT(char2, 2, 2);
LAYOUT(char3, 3, 1);
LAYOUT(char4, 4, 4);
LAYOUT(uchar1, 1, 1);
LAYOUT(uchar2, 2, 2);
LAYOUT(uchar3, 3, 1);
LAYOUT(uchar4, 4, 4);
LAYOUT(short1, 2, 2);
LAYOUT(short2, 4, 4);
LAYOUT(short3, 6, 2);
LAYOUT(short4, 8, 8);
LAYOUT(ushort1, 2, 2);
LAYOUT(ushort2, 4, 4);
LAYOUT(ushort3, 6, 2);
LAYOUT(ushort4, 8, 8);
LAYOUT(int1, 4, 4);
LAYOUT(int2, 8, 8);
LAYOUT(int3, 12, 4);
LAYOUT(int4, 16, 16);
LAYOUT(uint1, 4, 4);
LAYOUT(uint2, 8, 8);
LAYOUT(uint3, 12, 4);
LAYOUT(uint4, 16, 16);
LAYOUT(longlong1, 8, 8);
LAYOUT(longlong2, 16, 16);
LAYOUT(longlong3, 24, 8);
LAYOUT(ulonglong1, 8, 8);
LAYOUT(ulonglong2, 16, 16);
LAYOUT(ulonglong3, 24, 8);
LAYOUT(float1, 4, 4);
LAYOUT(float2, 8, 8);
LAYOUT(float3, 12, 4);
LAYOUT(float4, 16, 16);
LAYOUT(double1, 8, 8);
LAYOUT(double2, 16, 16);
LAYOUT(double3, 24, 8);
#undef LAYOUT
static_assert(std::is_same_v<decltype(float4::w), float>, "float4 holds floats");
static_assert(std::is_same_v<decltype(uchar4::x), unsigned char>, "uchar4 holds bytes");
static_assert(std::is_same_v<decltype(longlong2::y), long long int>, "longlong2 holds long long");

namespace {

__global__ void make_kernel(double* out) {
    const char4 c = make_char4(1, -2, 3, -4);
    const uchar3 uc = make_uchar3(250, 251, 252);
    const short2 s = make_short2(-30000, 30000);
    const ushort4 us = make_ushort4(1, 2, 3, 65535);
    const int3 i = make_int3(-1, -2, -3);
    const uint2 u = make_uint2(4000000000u, 1u);
    const longlong2 l = make_longlong2(-5000000000LL, 6);
    const ulonglong1 ul = make_ulonglong1(7000000000ULL);
    const float4 f = make_float4(0.5f, 1.5f, 2.5f, 3.5f);
    const double2 d = make_double2(0.1, 0.2);
    const float1 f1 = make_float1(9.0f);
    out[0] = c.x + 10 * c.y + 100 * c.z + 1000 * c.w;
    out[1] = uc.x + uc.y + uc.z;
    out[2] = s.x + 2.0 * s.y;
    out[3] = us.x + us.y + us.z + us.w;
    out[4] = i.x + 10 * i.y + 100 * i.z;
    out[5] = double(u.x) + u.y;
    out[6] = double(l.x) + l.y;
    out[7] = double(ul.x);
    out[8] = f.x + f.y + f.z + f.w;
    out[9] = d.x + d.y;
    out[10] = f1.x;
}

__global__ void quads_kernel(const float* in, float* out, int quads) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    float4 q = reinterpret_cast<const float4*>(in)[i];
    const float first = q.x;
    q.x = q.y + 1;
    q.y = q.z + 1;
    q.z = q.w + 1;
    q.w = first + 1;
    reinterpret_cast<float4*>(out)[i] = q;
}

__global__ void pairs_kernel(const int2* in, int2* out, int n) {
    __shared__ int2 s[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[threadIdx.x] = in[i];
    __syncthreads();  // s is complete
    if (i < n) {
        const int2 p = s[threadIdx.x];
        out[i] = make_int2(p.y, p.x);
    }
}

__global__ void aggregate_kernel(uint4* out) {
    // Brace initialisation, copies, members by reference, arrays of vectors.
    uint4 a = {1, 2, 3, 4};
    uint4 b{5, 6, 7, 8};
    uint4 both[2] = {a, b};
    unsigned& member = both[1].z;
    member += 100;
    a = both[1];
    out[0] = a;
    out[1] = both[0];
}

__global__ void cached_loads_kernel(const int* a, const float4* b, const double* c, int* out_a,
                                    float4* out_b, double* out_c) {
    const int t = threadIdx.x;
    out_a[t] = __ldg(&a[t]) + __ldcs(&a[t]) + __ldcg(&a[t]) + __ldca(&a[t]);
    const float4 q = __ldg(&b[t]);
    const float4 r = __ldcs(&b[t]);
    __stcs(&out_b[t], make_float4(q.w, r.z, q.y, r.x));
    __stcg(&out_c[t], __ldg(&c[t]) * 2);
}

__global__ void converting_stores_kernel(float* out, const int* in) {
    const int t = threadIdx.x;
    __builtin_assume(t < 32);
    __stcs(out + 4 * t, in[t]);
    __stcg(out + 4 * t + 1, 2 * in[t]);
    __stwb(out + 4 * t + 2, 3u);
    __stwt(out + 4 * t + 3, -1);
}

}  // namespace

TEST_CASE("vector types: make_ functions keep their values") {
    DeviceArray<double> d_out(11);
    make_kernel<<<1, 1>>>(d_out.data());
    CHECK_NEAR(d_out.download(),
               (std::vector<double>{1 - 20 + 300 - 4000, 753, 30000, 65541, -321, 4000000001.0,
                                    -4999999994.0, 7000000000.0, 8, 0.3, 9}),
               1e-15, 0);
}

TEST_CASE("vector types: float4 loads and stores") {
    for (const int quads : {1, 31, 32, 33, 257}) {
        CAPTURE(quads);
        const std::vector<float> in = conformance::random_values<float>(4 * quads, 30);
        DeviceArray<float> d_in(in), d_out(in.size());
        quads_kernel<<<(quads + 63) / 64, 64>>>(d_in.data(), d_out.data(), quads);
        std::vector<float> expected(in.size());
        for (int i = 0; i < 4 * quads; ++i) expected[i] = in[i / 4 * 4 + (i + 1) % 4] + 1;
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("vector types: int2 through shared memory") {
    const int n = 300;
    std::vector<int2> in(n);
    for (int i = 0; i < n; ++i) in[i] = make_int2(i, -i);
    DeviceArray<int2> d_in(in), d_out(n);
    pairs_kernel<<<3, 128>>>(d_in.data(), d_out.data(), n);
    const std::vector<int2> out = d_out.download();
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += out[i].x != -i || out[i].y != i;
    CHECK(wrong == 0);
}

TEST_CASE("vector types: aggregates") {
    DeviceArray<uint4> d_out(2);
    aggregate_kernel<<<1, 1>>>(d_out.data());
    const std::vector<uint4> out = d_out.download();
    CHECK(out[0].x == 5);
    CHECK(out[0].z == 107);
    CHECK(out[1].x == 1);
    CHECK(out[1].w == 4);
}

TEST_CASE("vector types: loads and stores with cache hints move the same values") {
    const std::vector<int> a = conformance::random_below<int>(32, 1000, 31);
    const std::vector<double> c = conformance::random_values<double>(32, 32);
    std::vector<float4> b(32);
    for (int i = 0; i < 32; ++i) b[i] = make_float4(i, i + 0.25f, i + 0.5f, i + 0.75f);
    DeviceArray<int> d_a(a), d_out_a(32);
    DeviceArray<float4> d_b(b), d_out_b(32);
    DeviceArray<double> d_c(c), d_out_c(32);
    cached_loads_kernel<<<1, 32>>>(d_a.data(), d_b.data(), d_c.data(), d_out_a.data(),
                                   d_out_b.data(), d_out_c.data());
    std::vector<int> expected_a(32);
    std::vector<double> expected_c(32);
    int wrong = 0;
    const std::vector<float4> out_b = d_out_b.download();
    for (int i = 0; i < 32; ++i) {
        expected_a[i] = 4 * a[i];
        expected_c[i] = 2 * c[i];
        wrong += out_b[i].x != i + 0.75f || out_b[i].y != i + 0.5f || out_b[i].z != i + 0.25f ||
                 out_b[i].w != float(i);
    }
    CHECK_SAME(d_out_a.download(), expected_a);
    CHECK_SAME(d_out_c.download(), expected_c);
    CHECK(wrong == 0);
}

TEST_CASE("vector types: dim3 defaults and conversions") {
    const dim3 none;
    const dim3 one(7);
    const dim3 two(7, 8);
    const dim3 three = {2, 3, 4};
    CHECK(none.x * none.y * none.z == 1);
    CHECK(one.x + one.y + one.z == 9);
    CHECK(two.x + two.y + two.z == 16);
    CHECK(three.x * 100 + three.y * 10 + three.z == 234);
    const uint3 u = {5, 6, 7};
    const dim3 from_uint3(u);
    const uint3 back = from_uint3;
    CHECK(back.x * 100 + back.y * 10 + back.z == 567);
}

TEST_CASE("vector types: stores with cache hints convert what they are given") {
    const std::vector<int> in = conformance::random_below<int>(32, 1000, 33);
    DeviceArray<int> d_in(in);
    DeviceArray<float> d_out(128);
    converting_stores_kernel<<<1, 32>>>(d_out.data(), d_in.data());
    std::vector<float> expected;
    for (const int value : in)
        for (const int item : {value, 2 * value, 3, -1}) expected.push_back(float(item));
    CHECK_SAME(d_out.download(), expected);
}
