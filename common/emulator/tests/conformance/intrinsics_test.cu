// Integer and conversion intrinsics, against slow definitions on the host; clocks.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

__global__ void bits32_kernel(const unsigned* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __popc(in[i]);
    out[n + i] = __clz(int(in[i]));
    out[2 * n + i] = __ffs(int(in[i]));
    out[3 * n + i] = int(__brev(in[i]));
}

__global__ void bits64_kernel(const unsigned long long* in, long long* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __popcll(in[i]);
    out[n + i] = __clzll((long long)(in[i]));
    out[2 * n + i] = __ffsll((long long)(in[i]));
    out[3 * n + i] = (long long)(__brevll(in[i]));
}

__global__ void products_kernel(const int* a, const int* b, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = __mulhi(a[i], b[i]);
    out[n + i] = int(__umulhi(unsigned(a[i]), unsigned(b[i])));
    out[2 * n + i] = __mul24(a[i], b[i]);
    out[3 * n + i] = int(__umul24(unsigned(a[i]), unsigned(b[i])));
}

__global__ void products64_kernel(const unsigned long long* a, const unsigned long long* b,
                                  unsigned long long* out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    out[i] = __umul64hi(a[i], b[i]);
    out[n + i] = (unsigned long long)(__mul64hi((long long)(a[i]), (long long)(b[i])));
}

__global__ void permute_kernel(const unsigned* a, const unsigned* b, unsigned* out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    out[i] = __byte_perm(a[i], b[i], 0x3610);
    out[n + i] = __funnelshift_l(a[i], b[i], i);
    out[2 * n + i] = __funnelshift_r(a[i], b[i], i);
    out[3 * n + i] = __sad(int(a[i]), int(b[i]), 5u);
    out[4 * n + i] = __usad(a[i], b[i], 5u);
}

__global__ void reinterpret_kernel(const float* f, const double* d, unsigned* words,
                                   long long* longs, int* same) {
    const int i = threadIdx.x;
    words[i] = __float_as_uint(f[i]);
    longs[i] = __double_as_longlong(d[i]);
    same[i] = __int_as_float(__float_as_int(f[i])) == f[i] &&
              __uint_as_float(__float_as_uint(f[i])) == f[i] &&
              __longlong_as_double(__double_as_longlong(d[i])) == d[i];
}

__global__ void conversions_kernel(const float* in, int* out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    out[i] = __float2int_rz(in[i]);
    out[n + i] = __float2int_rn(in[i]);
    out[2 * n + i] = __float2int_ru(in[i]);
    out[3 * n + i] = __float2int_rd(in[i]);
}

__global__ void to_float_kernel(const int* in, float* out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    out[i] = __int2float_rz(in[i]);
    out[n + i] = __int2float_ru(in[i]);
    out[2 * n + i] = __int2float_rd(in[i]);
    out[3 * n + i] = __uint2float_rz(static_cast<unsigned>(in[i]));
    out[4 * n + i] = __uint2float_ru(static_cast<unsigned>(in[i]));
    out[5 * n + i] = __double2float_rd(in[i] / 3.0);
    out[6 * n + i] = __double2float_ru(in[i] / 3.0);
}

__global__ void clock_kernel(long long* out) {
    const long long start = clock64();
    const clock_t start32 = clock();
    volatile int sink = 0;
    for (int i = 0; i < 2000; ++i) sink = sink + i;
    out[0] = sink;
    out[1] = clock64() - start;
    out[2] = unsigned(clock()) - unsigned(start32);
}

__global__ void extremes_of_sums_kernel(unsigned* out, bool* is_first, double* rounded) {
    out[0] = static_cast<unsigned>(__viaddmax_s32(3, -5, 1));
    out[1] = static_cast<unsigned>(__viaddmin_s32_relu(-5, 1, 2));
    out[2] = static_cast<unsigned>(__vimax3_s32(1, 7, -2));
    out[3] = __vimin3_u32(4, 2, 9);
    out[4] = __viaddmax_s16x2(0x00010002u, 0x00030004u, 0x00100001u);
    out[5] = __vimin3_s16x2_relu(0xffff0005u, 0x00020003u, 0x00040009u);
    out[6] = static_cast<unsigned>(__vibmax_s32(4, 9, &is_first[0]));
    out[7] = __vibmin_u16x2(0x00010009u, 0x00020003u, &is_first[1], &is_first[2]);
    const unsigned long long large = (1ull << 63) + 1;
    rounded[0] = __ull2float_rd(large);
    rounded[1] = __ull2float_ru(large);
    rounded[2] = __ull2double_rz(large);
}

std::vector<unsigned> interesting_words() {
    std::vector<unsigned> words = conformance::random_values<unsigned>(64, 40);
    words[0] = 0;
    words[1] = 0xffffffffu;
    for (int bit = 0; bit < 32; ++bit) words.push_back(1u << bit);
    return words;
}

template <class Word>
int population(Word word) {
    int count = 0;
    for (; word != 0; word >>= 1) count += int(word & 1);
    return count;
}

template <class Word>
int leading_zeros(Word word) {
    int count = 0;
    for (int bit = int(sizeof(Word)) * 8 - 1; bit >= 0 && (word >> bit & 1) == 0; --bit) ++count;
    return count;
}

template <class Word>
int first_set(Word word) {
    for (int bit = 0; bit < int(sizeof(Word)) * 8; ++bit)
        if (word >> bit & 1) return bit + 1;
    return 0;
}

template <class Word>
Word reversed(Word word) {
    const int bits = int(sizeof(Word)) * 8;
    Word result = 0;
    for (int bit = 0; bit < bits; ++bit) result |= (word >> bit & 1) << (bits - 1 - bit);
    return result;
}

__global__ void packed_kernel(unsigned* out) {
    out[0] = __vadd4(0xff010203u, 0x01010101u);
    out[1] = __vaddss2(0x7fff0001u, 0x00010001u);
    out[2] = __vabsdiffu4(0x01020304u, 0x04030201u);
    out[3] = __vcmpgts2(0xffff0001u, 0x00000000u);
    out[4] = __vsadu4(0x01020304u, 0u);
    out[5] = __vavgu4(1u, 2u);
    out[6] = __vsetgeu4(1u, 2u);
    out[7] = __vneg2(0x00010002u);
    out[8] = __vmaxs2(0xffff0003u, 0x00010002u);
}

}  // namespace

TEST_CASE("intrinsics: __popc, __clz, __ffs, __brev") {
    const std::vector<unsigned> in = interesting_words();
    const int n = int(in.size());
    DeviceArray<unsigned> d_in(in);
    DeviceArray<int> d_out(4 * n);
    bits32_kernel<<<2, 64>>>(d_in.data(), d_out.data(), n);
    std::vector<int> expected(4 * n);
    for (int i = 0; i < n; ++i) {
        expected[i] = population(in[i]);
        expected[n + i] = leading_zeros(in[i]);
        expected[2 * n + i] = first_set(in[i]);
        expected[3 * n + i] = int(reversed(in[i]));
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("intrinsics: __popcll, __clzll, __ffsll, __brevll") {
    std::vector<unsigned long long> in = conformance::random_values<unsigned long long>(50, 41);
    in[0] = 0;
    for (int bit = 0; bit < 64; ++bit) in.push_back(1ull << bit);
    const int n = int(in.size());
    DeviceArray<unsigned long long> d_in(in);
    DeviceArray<long long> d_out(4 * n);
    bits64_kernel<<<2, 64>>>(d_in.data(), d_out.data(), n);
    std::vector<long long> expected(4 * n);
    for (int i = 0; i < n; ++i) {
        expected[i] = population(in[i]);
        expected[n + i] = leading_zeros(in[i]);
        expected[2 * n + i] = first_set(in[i]);
        expected[3 * n + i] = (long long)(reversed(in[i]));
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("intrinsics: __mulhi, __umulhi, __mul24, __umul24, __mul64hi, __umul64hi") {
    const int n = 100;
    const std::vector<int> a = conformance::random_values<int>(n, 42);
    const std::vector<int> b = conformance::random_values<int>(n, 43);
    DeviceArray<int> d_a(a), d_b(b), d_out(4 * n);
    products_kernel<<<1, 128>>>(d_a.data(), d_b.data(), d_out.data(), n);
    const auto low24 = [](int value) { return int(unsigned(value) << 8) >> 8; };
    std::vector<int> expected(4 * n);
    for (int i = 0; i < n; ++i) {
        expected[i] = int((std::int64_t(a[i]) * b[i]) >> 32);
        expected[n + i] = int((std::uint64_t(unsigned(a[i])) * unsigned(b[i])) >> 32);
        expected[2 * n + i] = int(std::uint64_t(std::int64_t(low24(a[i])) * low24(b[i])));
        expected[3 * n + i] = int(std::uint64_t(a[i] & 0xffffff) * std::uint64_t(b[i] & 0xffffff));
    }
    CHECK_SAME(d_out.download(), expected);

    using Word = unsigned long long;
    const std::vector<Word> u = conformance::random_values<Word>(n, 44);
    const std::vector<Word> v = conformance::random_values<Word>(n, 45);
    DeviceArray<Word> d_u(u), d_v(v), d_high(2 * n);
    products64_kernel<<<1, 128>>>(d_u.data(), d_v.data(), d_high.data(), n);
    std::vector<Word> high(2 * n);
    for (int i = 0; i < n; ++i) {
        // Schoolbook multiplication with 32-bit digits.
        const Word a0 = u[i] & 0xffffffffu, a1 = u[i] >> 32;
        const Word b0 = v[i] & 0xffffffffu, b1 = v[i] >> 32;
        const Word middle = a1 * b0 + (a0 * b0 >> 32);
        const Word carry = a0 * b1 + (middle & 0xffffffffu);
        high[i] = a1 * b1 + (middle >> 32) + (carry >> 32);
        high[n + i] = high[i] - ((u[i] >> 63) ? v[i] : 0) - ((v[i] >> 63) ? u[i] : 0);
    }
    CHECK_SAME(d_high.download(), high);
}

TEST_CASE("intrinsics: __byte_perm, __funnelshift_l, __funnelshift_r, __sad, __usad") {
    const int n = 32;
    const std::vector<unsigned> a = conformance::random_values<unsigned>(n, 46);
    const std::vector<unsigned> b = conformance::random_values<unsigned>(n, 47);
    DeviceArray<unsigned> d_a(a), d_b(b), d_out(5 * n);
    permute_kernel<<<1, n>>>(d_a.data(), d_b.data(), d_out.data(), n);
    std::vector<unsigned> expected(5 * n);
    for (int i = 0; i < n; ++i) {
        // Selector 0x3610: bytes 0 and 1 of a, byte 2 of b, byte 3 of a.
        expected[i] = (a[i] & 0xff00ffffu) | (b[i] & 0x00ff0000u);
        const std::uint64_t both = std::uint64_t(b[i]) << 32 | a[i];
        expected[n + i] = unsigned((both << i) >> 32);
        expected[2 * n + i] = unsigned(both >> i);
        const std::int64_t difference = std::int64_t(int(a[i])) - int(b[i]);
        expected[3 * n + i] = unsigned(difference < 0 ? -difference : difference) + 5u;
        expected[4 * n + i] = (a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) + 5u;
    }
    CHECK_SAME(d_out.download(), expected);
}

TEST_CASE("intrinsics: numbers seen as bits and back") {
    const std::vector<float> f = conformance::random_values<float>(32, 48);
    const std::vector<double> d = conformance::random_values<double>(32, 49);
    DeviceArray<float> d_f(f);
    DeviceArray<double> d_d(d);
    DeviceArray<unsigned> d_words(32);
    DeviceArray<long long> d_longs(32);
    DeviceArray<int> d_same(32);
    reinterpret_kernel<<<1, 32>>>(d_f.data(), d_d.data(), d_words.data(), d_longs.data(),
                                  d_same.data());
    std::vector<unsigned> words(32);
    std::vector<long long> longs(32);
    std::memcpy(words.data(), f.data(), sizeof(float) * 32);
    std::memcpy(longs.data(), d.data(), sizeof(double) * 32);
    CHECK_SAME(d_words.download(), words);
    CHECK_SAME(d_longs.download(), longs);
    CHECK_SAME(d_same.download(), std::vector<int>(32, 1));
}

TEST_CASE("intrinsics: float to int, four ways to round") {
    const std::vector<float> in = {0.0f, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.7f, 2.7f, 1e6f + 0.25f};
    DeviceArray<float> d_in(in);
    DeviceArray<int> d_out(4 * in.size());
    conversions_kernel<<<1, 32>>>(d_in.data(), d_out.data(), int(in.size()));
    CHECK_SAME(d_out.download(),
               (std::vector<int>{0, 0, 1, 2, 0,  -1, -2, 2, 1000000,     // toward zero
                                 0, 0, 2, 2, 0,  -2, -3, 3, 1000000,     // to nearest even
                                 0, 1, 2, 3, 0,  -1, -2, 3, 1000001,     // up
                                 0, 0, 1, 2, -1, -2, -3, 2, 1000000}));  // down
}

TEST_CASE("intrinsics: numbers to float, down, up and towards zero") {
    const std::vector<int> in = {0, 3, 16777217, -16777217, -1};
    DeviceArray<int> d_in(in);
    DeviceArray<float> d_out(7 * in.size());
    to_float_kernel<<<1, 32>>>(d_in.data(), d_out.data(), int(in.size()));
    CHECK_SAME(d_out.download(),
               (std::vector<float>{
                   0, 3, 16777216.0f, -16777216.0f,  -1,               // int, towards zero
                   0, 3, 16777218.0f, -16777216.0f,  -1,               // up
                   0, 3, 16777216.0f, -16777218.0f,  -1,               // down
                   0, 3, 16777216.0f, 4278189824.0f, 4294967040.0f,    // unsigned, towards zero
                   0, 3, 16777218.0f, 4278190080.0f, 4294967296.0f,    // up
                   0, 1, 5592405.5f,  -5592406.0f,   -0x1.555556p-2f,  // thirds, down
                   0, 1, 5592406.0f,  -5592405.5f,   -0x1.555554p-2f   // up
               }));
}

TEST_CASE("intrinsics: clock64 and clock run forward") {
    DeviceArray<long long> d_out(3);
    clock_kernel<<<1, 1>>>(d_out.data());
    const std::vector<long long> out = d_out.download();
    CHECK(out[0] == 1999000);
    CHECK(out[1] > 0);
    CHECK(out[1] < 1000000000);
    CHECK(out[2] > 0);
}

TEST_CASE("intrinsics: two or four numbers in a word") {
    DeviceArray<unsigned> d_out(9);
    packed_kernel<<<1, 1>>>(d_out.data());
    CHECK_SAME(d_out.download(),
               (std::vector<unsigned>{0x00020304u, 0x7fff0002u, 0x03010103u, 0x0000ffffu, 10u, 2u,
                                      0x01010100u, 0xfffffffeu, 0x00010003u}));
}

TEST_CASE("intrinsics: largest and smallest of sums, and large numbers to float") {
    DeviceArray<unsigned> d_out(8);
    DeviceArray<bool> d_is_first(3);
    DeviceArray<double> d_rounded(3);
    extremes_of_sums_kernel<<<1, 1>>>(d_out.data(), d_is_first.data(), d_rounded.data());
    CHECK_SAME(d_out.download(),
               (std::vector<unsigned>{1, 0, 7, 2, 0x00100006u, 0x00000003u, 9, 0x00010003u}));
    bool is_first[3];
    cudaMemcpy(is_first, d_is_first.data(), sizeof is_first, cudaMemcpyDeviceToHost);
    CHECK((!is_first[0] && is_first[1] && !is_first[2]));
    CHECK_SAME(d_rounded.download(), (std::vector<double>{0x1p63, 0x1.000002p63, 0x1p63}));
}
