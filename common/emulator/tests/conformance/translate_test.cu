// Source text that a rewriter could get wrong: launches and shared arrays in odd layouts, and text
// that only looks like one. The layouts are the test, so clang-format must not touch them.
// clang-format off
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"

using conformance::DeviceArray;

// A comment may say kernel<<<1, 2>>>(x) and __shared__ int s[4]; without effect.
/* So may this one: add_kernel<int><<<grid,
   block>>>(a); extern __shared__ float s[]; */

namespace {

template <class T, int kAmount>
__global__ void add_kernel(T* data) {
    data[threadIdx.x] += kAmount;
}

template <class T>
struct Wrapped {
    T value;
};

template <class T>
__global__ void wrapped_kernel(T* data, int amount) {
    data[threadIdx.x].value += amount;
}

__global__ void plain_kernel(int* data, int amount) { data[threadIdx.x] += amount; }

__device__ int touched;
__global__ void touch_kernel() { touched = 77; }

__global__ void odd_shared_kernel(int* out) {
    __shared__ int /* a comment inside */ a[4 * (2 + 6)];
    __shared__
        int b
            [8]
            [4];
    int __shared__ c[32];
    __shared__ int d[sizeof(int) * 8], e;
    const int t = threadIdx.x;
    a[t] = t;
    b[t / 4][t % 4] = 10 * t;
    c[t] = 100 * t;
    d[t] = 1000 * t;
    if (t == 0) e = 5;
    __syncthreads();  // all arrays are complete
    const int u = 31 - t;
    out[t] = a[u] + b[u / 4][u % 4] + c[u] + d[u] + e;
}

constexpr int kExtent = 32;
__global__ void extents_kernel(int* out) {
#define EXTENT (kExtent > 1 ? 32 : 1)
    __shared__ int a[kExtent > 16 ? kExtent : 16], b[EXTENT >> 1 > 4 ? EXTENT : 4][2 > 1 ? 1 : 2];
#define LATER \
    32
    __shared__ int c[LATER];
    const int t = threadIdx.x;
    a[t] = t;
    b[t][0] = 10 * t;
    c[t] = 100 * t;
    __syncthreads();  // all arrays are complete
    out[t] = a[31 - t] + b[31 - t][0] + c[31 - t];
}

template <class T>
__global__ void dependent_shared_kernel(T* out) {
    __shared__ typename Wrapped<T>::Inner* unused_pointer;
    __shared__ Wrapped<T> s[32];
    s[threadIdx.x].value = T(threadIdx.x);
    if (threadIdx.x == 0) unused_pointer = nullptr;
    __syncthreads();  // s is complete
    out[threadIdx.x] = s[31 - threadIdx.x].value + (unused_pointer == nullptr ? 0 : 1);
}

template <>
struct Wrapped<double> {
    struct Inner {};
    double value;
};

int shifts(int value) {
    // Shifts and nested templates hold << and >> too.
    const std::vector<std::vector<int>> nested = {{1, 2}, {3}};
    const std::map<int, std::pair<int, std::vector<int>>> map = {{1, {2, {3}}}};
    return (value << 3 >> 1) + nested[0][1] + map.at(1).first + (1 << (2 << 1));
}

struct Launcher {
    int* d_data;
    void operator()(int amount) const { plain_kernel<<<1, 4>>>(d_data, amount); }
    template <int kAmount>
    void add() const {
        add_kernel<int, kAmount><<<1, 4>>>(d_data);
    }
};

std::vector<int> all(int value) { return std::vector<int>(4, value); }

}  // namespace

TEST_CASE("rewrite: launch syntax in odd layouts") {
    DeviceArray<int> d_data(all(0));
    int* const data = d_data.data();
    plain_kernel<<<1, 4>>>(data, 1);
    CHECK_SAME(d_data.download(), all(1));
    plain_kernel <<< 1 , 4 >>> ( data , 1 ) ;
    CHECK_SAME(d_data.download(), all(2));
    plain_kernel
        <<<
        1,  // one block: <<<
        4   /* four threads: >>> */
        >>>
        (
            data,
            1
        );
    CHECK_SAME(d_data.download(), all(3));
    plain_kernel<<<dim3(1, 1, 1), dim3((2 > 1) ? 4 : 8), (1 >> 1), nullptr>>>(data, (7 >> 1) - 2);
    CHECK_SAME(d_data.download(), all(4));
    add_kernel<int, (3 > 2)><<<1, 4>>>(data);
    CHECK_SAME(d_data.download(), all(5));
    add_kernel<int, (8 >> 3)><<<1, 4>>>(data);
    CHECK_SAME(d_data.download(), all(6));
    add_kernel < int, 1 > <<<1, 4>>>(data);
    CHECK_SAME(d_data.download(), all(7));
    (plain_kernel)<<<1, 4>>>(data, 1);
    CHECK_SAME(d_data.download(), all(8));
    if (data != nullptr) plain_kernel<<<1, 4>>>(data, 1); else plain_kernel<<<1, 4>>>(data, 50);
    CHECK_SAME(d_data.download(), all(9));
    for (int i = 0; i < 3; ++i) plain_kernel<<<1, 4>>>(data, i), (void)0;
    CHECK_SAME(d_data.download(), all(12));
    plain_kernel<<<1, 4>>>(data, 1); plain_kernel<<<1, 4>>>(data, 2);
    CHECK_SAME(d_data.download(), all(15));
    data == nullptr ? touch_kernel<<<1, 1>>>() : plain_kernel<<<1, 4>>>(data, 1);
    CHECK_SAME(d_data.download(), all(16));
    switch (4) {
        case 4: plain_kernel<<<1, 4>>>(data, 1); break;
        default: plain_kernel<<<1, 4>>>(data, 9);
    }
    CHECK_SAME(d_data.download(), all(17));
}

TEST_CASE("rewrite: calls, strings and braces among the arguments") {
    DeviceArray<int> d_data(all(0));
    int* const data = d_data.data();
    plain_kernel<<<std::min(1, 2), int(std::string("<<<>").size())>>>(
        data, int(std::string(">>>(\"a\", ')')").size()));
    CHECK_SAME(d_data.download(), all(13));
    plain_kernel<<<1, 4>>>(data, [](int a) { return a << 2; }(3));
    CHECK_SAME(d_data.download(), all(25));
    plain_kernel<<<1, 4>>>(data, std::vector<int>{1, 2, 3}[2]);
    CHECK_SAME(d_data.download(), all(28));
    plain_kernel<<<1, 4>>>(data, ')' - '(');
    CHECK_SAME(d_data.download(), all(29));
}

TEST_CASE("rewrite: nested template arguments") {
    const std::vector<Wrapped<Wrapped<int>>> start(4, Wrapped<Wrapped<int>>{{3}});
    DeviceArray<Wrapped<int>> d_data(4);
    REQUIRE_OK(cudaMemset(d_data.data(), 0, d_data.bytes()));
    wrapped_kernel<Wrapped<int>><<<1, 4>>>(d_data.data(), 6);
    wrapped_kernel<Wrapped<int> ><<<1, 4>>>(d_data.data(), int(start.size()));
    wrapped_kernel<<<1, 4>>>(d_data.data(), 1);
    const std::vector<Wrapped<int>> data = d_data.download();
    for (int i = 0; i < 4; ++i) CHECK(data[i].value == 11);
}

TEST_CASE("rewrite: launches in a lambda, a method and a template method") {
    DeviceArray<int> d_data(all(0));
    const Launcher launcher = {d_data.data()};
    launcher(4);
    CHECK_SAME(d_data.download(), all(4));
    launcher.add<5>();
    CHECK_SAME(d_data.download(), all(9));
    const auto launch = [&](int amount) { plain_kernel<<<1, 4>>>(d_data.data(), amount); };
    launch(6);
    CHECK_SAME(d_data.download(), all(15));
}

TEST_CASE("rewrite: a kernel without arguments") {
    const int zero = 0;
    REQUIRE_OK(cudaMemcpyToSymbol(touched, &zero, sizeof(int)));
    touch_kernel<<<1, 1>>>();
    int value = 0;
    REQUIRE_OK(cudaMemcpyFromSymbol(&value, touched, sizeof(int)));
    CHECK(value == 77);
}

TEST_CASE("rewrite: shared arrays in odd layouts") {
    DeviceArray<int> d_out(32);
    odd_shared_kernel<<<1, 32>>>(d_out.data());
    std::vector<int> expected(32);
    for (int t = 0; t < 32; ++t) expected[t] = 1111 * (31 - t) + 5;
    CHECK_SAME(d_out.download(), expected);
    DeviceArray<double> d_doubles(32);
    dependent_shared_kernel<<<1, 32>>>(d_doubles.data());
    std::vector<double> doubles(32);
    for (int t = 0; t < 32; ++t) doubles[t] = 31 - t;
    CHECK_SAME(d_doubles.download(), doubles);
}

TEST_CASE("rewrite: text that only looks like a launch stays as it is") {
    const std::string text = "kernel<<<1, 2>>>(x); __shared__ int s[4];";
    CHECK(text.size() == 41);
    const std::string raw = R"(a "quoted" kernel<<<1, 2>>>(x) and __shared__ int s[4];)";
    CHECK(raw.find("<<<1, 2>>>") == 17);
    CHECK(raw.find("__shared__ int s[4];") == 35);
    CHECK(std::string("// no comment <<<").size() == 17);
    CHECK('"' + std::string("<<<") + '"' == "\"<<<\"");
    CHECK(shifts(5) == 20 + 2 + 2 + 16);
    const int millions = 1'000'000;  // a digit separator does not open a character literal <<<
    CHECK(millions == 1000000);
    // The line number of the original file is kept.
    CHECK(__LINE__ == 226);
    CHECK(std::string(__FILE__).find("translate_test.cu") != std::string::npos);
}

namespace {

// nvcc joins lines at a backslash even if a comment follows.
__global__ void joined_kernel(int* out) {
    *out = 1 + \ // one
        2 + \ /* and two */
        3;
}

}

TEST_CASE("rewrite: a backslash before a comment") {
    DeviceArray<int> d_out(1);
    joined_kernel<<<1, \ // a block
                    1>>>(d_out.data());
    CHECK_SAME(d_out.download(), std::vector<int>{6});
}

TEST_CASE("translate: extents with > in them, and #define before a declaration") {
    DeviceArray<int> d_out(32);
    extents_kernel<<<1, 32>>>(d_out.data());
    const std::vector<int> out = d_out.download();
    for (int i = 0; i < 32; ++i) CHECK(out[i] == 111 * (31 - i));
}
