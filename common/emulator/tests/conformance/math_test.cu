// Mathematical functions as CUDA overloads them, with the error bounds that CUDA documents.
#include <cuda_runtime.h>

// Before any other header: what programs use without including limits.h and ctype.h.
static_assert(INT_MAX > SHRT_MAX && CHAR_BIT == 8, "limits.h");
inline bool is_a_digit(int c) { return isdigit(c) != 0; }

#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

__global__ void min_max_kernel(double* out) {
    out[0] = min(3, -4);
    out[1] = max(3, -4);
    out[2] = min(2.5f, 1.5f);
    out[3] = max(2.5, 1.5);
    out[4] = max(7u, 9u);
    out[5] = double(min(-5000000000LL, 1LL));
    out[6] = double(max(5000000000ULL, 1ULL));
    out[7] = max(-1, 1u) == 0xffffffffu;  // as for the operators, int becomes unsigned
    out[8] = min(1.5f, 1.0);              // float and double: double
    out[9] = umin(3u, 4u) + umax(3u, 4u);
}

__global__ void zeros_kernel(double* out, float zero) {
    // PTX defines their order, whichever comes first.
    out[0] = signbit(min(zero, -zero)) && signbit(min(-zero, zero));
    out[1] = signbit(max(zero, -zero)) || signbit(max(-zero, zero));
}

template <class T>
__global__ void not_a_number_kernel(T* out, T nan) {
    // fmin and fmax return the number if only one argument is a number.
    out[0] = fmin(nan, T(1));
    out[1] = fmax(T(2), nan);
    out[2] = isnan(fmax(nan, nan));
    out[3] = isinf(T(1) / (nan == nan ? T(1) : T(0)));
    out[4] = isfinite(nan);
    out[5] = signbit(T(-0.0));
}

__global__ void float_kernel(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    const float positive = fabsf(x) + 0.125f;
    float* const row = out + 20 * i;
    row[0] = sqrtf(positive);
    row[1] = rsqrtf(positive);
    row[2] = expf(x);
    row[3] = logf(positive);
    row[4] = sinf(x);
    row[5] = cosf(x);
    row[6] = powf(positive, x);
    row[7] = fmaf(x, 3.0f, 1.0f);
    row[8] = floorf(10 * x);
    row[9] = ceilf(10 * x);
    row[10] = rintf(10 * x);
    row[11] = truncf(10 * x);
    row[12] = roundf(10 * x);
    row[13] = fmodf(10 * x, 3.0f);
    row[14] = tanhf(x);
    row[15] = exp2f(x);
    row[16] = log2f(positive);
    row[17] = copysignf(positive, x);
    row[18] = ldexpf(x, 5);
    row[19] = hypotf(x, positive);
}

__global__ void double_kernel(const double* in, double* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double x = in[i];
    const double positive = fabs(x) + 0.125;
    double* const row = out + 10 * i;
    row[0] = sqrt(positive);
    row[1] = rsqrt(positive);
    row[2] = exp(x);
    row[3] = log(positive);
    row[4] = sin(x);
    row[5] = cos(x);
    row[6] = pow(positive, x);
    row[7] = fma(x, 3.0, 1.0);
    row[8] = floor(10 * x);
    row[9] = atan2(x, positive);
}

__global__ void fast_kernel(const float* in, float* out, int n) {
    const int i = threadIdx.x;
    if (i >= n) return;
    const float x = in[i];
    const float positive = fabsf(x) + 0.125f;
    float* const row = out + 9 * i;
    row[0] = __expf(x);
    row[1] = __logf(positive + 2);
    row[2] = __sinf(x);
    row[3] = __cosf(x);
    row[4] = __fdividef(x, positive);
    row[5] = __powf(positive, x);
    row[6] = __saturatef(2 * x);
    row[7] = __frsqrt_rn(positive);
    row[8] = __fmaf_rn(x, positive, __fadd_rn(x, __fmul_rn(positive, 2.0f)));
}

__global__ void absolute_kernel(double* out) {
    out[0] = abs(-3);
    out[1] = abs(-2.5f);
    out[2] = abs(-2.5);
    out[3] = double(abs(-5000000000LL));
    out[4] = double(llabs(-7LL));
    static_assert(std::is_same_v<decltype(abs(-2.5f)), float>, "abs(float) is a float");
    static_assert(std::is_same_v<decltype(max(1.0f, 2.0f)), float>, "max(float) is a float");
    static_assert(std::is_same_v<decltype(min(1, 2u)), unsigned>, "min(int, unsigned)");
}

__global__ void special_kernel(float* singles, double* doubles) {
    const float v[] = {2, 3, 6};
    singles[0] = norm3df(2, 3, 6);
    singles[1] = rnorm3df(1, 2, 2);
    singles[2] = norm4df(1, 1, 1, 1);
    singles[3] = rnorm4df(1, 1, 1, 1);
    singles[4] = normf(3, v);
    singles[5] = rnormf(3, v);
    singles[6] = rhypotf(3, 4);
    singles[7] = erfinvf(0.5f);
    singles[8] = erfcinvf(0.5f);
    singles[9] = erfcxf(30.0f);
    singles[10] = normcdfinvf(0.975f);
    singles[11] = cyl_bessel_i0f(2.0f);
    singles[12] = cyl_bessel_i1f(2.0f);
    sincospif(0.5f, singles + 13, singles + 14);
    doubles[0] = rnorm3d(1, 2, 2);
    doubles[1] = norm4d(1, 1, 1, 1);
    doubles[2] = rhypot(3.0, 4.0);
    doubles[3] = erfinv(0.75);
    doubles[4] = erfcinv(1e-200);
    doubles[5] = normcdfinv(1e-9);
    doubles[6] = erfcx(26.0);
    doubles[7] = erfinv(-0.1);
}

}  // namespace

TEST_CASE("math: min and max of every mixture") {
    DeviceArray<double> d_out(10);
    min_max_kernel<<<1, 1>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<double>{-4, 3, 1.5, 2.5, 9, -5e9, 5e9, 1, 1.0, 7}));
}

TEST_CASE("math: of two zeros max() takes the positive one, min() the other") {
    DeviceArray<double> d_out(2);
    zeros_kernel<<<1, 1>>>(d_out.data(), 0.0f);
    CHECK_SAME(d_out.download(), (std::vector<double>{1, 0}));
}

TEST_CASE_TEMPLATE("math: not a number, infinity, signs", T, float, double) {
    DeviceArray<T> d_out(6);
    not_a_number_kernel<T><<<1, 1>>>(d_out.data(), std::numeric_limits<T>::quiet_NaN());
    CHECK_SAME(d_out.download(), (std::vector<T>{1, 2, 1, 1, 0, 1}));
}

TEST_CASE("math: float functions") {
    const int n = 257;
    const std::vector<float> in = conformance::random_values<float>(n, 50);
    DeviceArray<float> d_in(in), d_out(20 * n);
    float_kernel<<<3, 128>>>(d_in.data(), d_out.data(), n);
    std::vector<float> expected;
    for (const float x : in) {
        const double positive = double(std::fabs(x) + 0.125f);
        const float ten = 10 * x;
        for (const double value : {std::sqrt(positive),
                                   1 / std::sqrt(positive),
                                   std::exp(double(x)),
                                   std::log(positive),
                                   std::sin(double(x)),
                                   std::cos(double(x)),
                                   std::pow(positive, double(x)),
                                   double(std::fma(x, 3.0f, 1.0f)),
                                   double(std::floor(ten)),
                                   double(std::ceil(ten)),
                                   double(std::rint(ten)),
                                   double(std::trunc(ten)),
                                   double(std::round(ten)),
                                   double(std::fmod(ten, 3.0f)),
                                   std::tanh(double(x)),
                                   std::exp2(double(x)),
                                   std::log2(positive),
                                   std::copysign(positive, double(x)),
                                   double(x) * 32,
                                   std::hypot(double(x), positive)})
            expected.push_back(float(value));
    }
    // The least accurate of these is powf: 4 ulp.
    CHECK_NEAR(d_out.download(), expected, 5e-7, 1e-7);
}

TEST_CASE("math: double functions") {
    const int n = 100;
    const std::vector<double> in = conformance::random_values<double>(n, 51);
    DeviceArray<double> d_in(in), d_out(10 * n);
    double_kernel<<<1, 128>>>(d_in.data(), d_out.data(), n);
    std::vector<double> expected;
    for (const double x : in) {
        const double positive = std::fabs(x) + 0.125;
        for (const double value :
             {std::sqrt(positive), 1 / std::sqrt(positive), std::exp(x), std::log(positive),
              std::sin(x), std::cos(x), std::pow(positive, x), std::fma(x, 3.0, 1.0),
              std::floor(10 * x), std::atan2(x, positive)})
            expected.push_back(value);
    }
    CHECK_NEAR(d_out.download(), expected, 1e-15, 2e-16);
}

TEST_CASE("math: fast float functions stay within their documented error") {
    const int n = 128;
    const std::vector<float> in = conformance::random_values<float>(n, 52);
    DeviceArray<float> d_in(in), d_out(9 * n);
    fast_kernel<<<1, 128>>>(d_in.data(), d_out.data(), n);
    std::vector<float> expected;
    for (const float x : in) {
        const float positive = std::fabs(x) + 0.125f;
        const float twice = 2 * x;
        for (const float value :
             {std::exp(x), std::log(positive + 2), std::sin(x), std::cos(x), x / positive,
              std::pow(positive, x),
              twice < 0   ? 0.0f
              : twice > 1 ? 1.0f
                          : twice,
              float(1 / std::sqrt(double(positive))), std::fma(x, positive, x + positive * 2.0f)})
            expected.push_back(value);
    }
    // Source: CUDA C++ Programming Guide, intrinsic functions: __sinf 2^-21.41 absolute in
    // [-pi, pi], __logf 3 ulp outside [0.5, 2], __powf a few times that.
    CHECK_NEAR(d_out.download(), expected, 2e-6, 5e-7);
}

TEST_CASE("math: abs of every type, and the types of results") {
    DeviceArray<double> d_out(5);
    absolute_kernel<<<1, 1>>>(d_out.data());
    CHECK_SAME(d_out.download(), (std::vector<double>{3, 2.5, 2.5, 5e9, 7}));
}

TEST_CASE("math: norms, inverse error functions, Bessel functions") {
    DeviceArray<float> d_singles(15);
    DeviceArray<double> d_doubles(8);
    special_kernel<<<1, 1>>>(d_singles.data(), d_doubles.data());
    const std::vector<float> singles{7.0f,        1.0f / 3.0f,  2.0f,       0.5f,
                                     7.0f,        1.0f / 7.0f,  0.2f,       0.47693628f,
                                     0.47693628f, 0.018795889f, 1.9599640f, 2.2795853f,
                                     1.5906369f,  1.0f,         0.0f};
    CHECK_NEAR(d_singles.download(), singles, 1e-6, 1e-7);
    const std::vector<double> doubles{1.0 / 3.0,
                                      2.0,
                                      0.2,
                                      0.8134198475976185,
                                      21.374783049026256,
                                      -5.9978070150076865,
                                      0.021683584850562907,
                                      -0.088855990494257691};
    CHECK_NEAR(d_doubles.download(), doubles, 1e-12, 1e-14);
}
