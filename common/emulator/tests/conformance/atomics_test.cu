// Atomic functions on global and shared memory: what is stored, and what is returned.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;

namespace {

template <class T>
__global__ void add_kernel(const T* in, T* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, in[i]);
}

template <class T>
__global__ void min_max_kernel(const T* in, T* least, T* most, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicMin(least, in[i]);
    atomicMax(most, in[i]);
}

template <class T>
__global__ void bits_kernel(const T* in, T* all, T* any, T* parity, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAnd(all, in[i]);
    atomicOr(any, in[i]);
    atomicXor(parity, in[i]);
}

__global__ void ticket_kernel(int* counter, int* tickets) {
    tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, 2);
}

__global__ void sub_kernel(int* number, unsigned* wrapped) {
    atomicSub(number, 3);
    atomicSub(wrapped, 5u);
}

__global__ void inc_dec_kernel(unsigned* up, unsigned* down, unsigned* up_old, unsigned* down_old) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    up_old[i] = atomicInc(up, 6);
    down_old[i] = atomicDec(down, 9);
}

template <class T>
__global__ void exchange_kernel(T* cell, T* old) {
    // No value is lost: the old values plus the last one are the start value plus all stored ones.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    old[i] = atomicExch(cell, T(i + 1));
}

template <class T>
__global__ void compare_and_swap_kernel(T* cell, T* old) {
    old[threadIdx.x] = atomicCAS(cell, T(5), T(threadIdx.x + 100));
}

template <class T>
__global__ void multiply_kernel(T* product, const T* factors, int n) {
    // Operations without an atomic function are made from compare-and-swap.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T seen = *product;
    T assumed;
    do {
        assumed = seen;
        seen = atomicCAS(product, assumed, assumed * factors[i]);
    } while (seen != assumed);
}

__global__ void float_max_kernel(const float* in, float* most, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* const bits = reinterpret_cast<int*>(most);
    int seen = *bits;
    while (in[i] > __int_as_float(seen)) {
        const int assumed = seen;
        seen = atomicCAS(bits, assumed, __float_as_int(in[i]));
        if (seen == assumed) break;
    }
}

__global__ void shared_kernel(const int* in, int* out, int n) {
    __shared__ int sum;
    __shared__ int least;
    __shared__ unsigned long long squares;
    __shared__ float halves;
    if (threadIdx.x == 0) {
        sum = 0;
        least = 0x7fffffff;
        squares = 0;
        halves = 0;
    }
    __syncthreads();  // the start values are there
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        atomicAdd(&sum, in[i]);
        atomicMin(&least, in[i]);
        atomicAdd(&squares, (unsigned long long)(in[i]) * in[i]);
        atomicAdd(&halves, in[i] * 0.5f);
    }
    __syncthreads();  // every item is counted
    if (threadIdx.x == 0) {
        out[0] = sum;
        out[1] = least;
        out[2] = int(squares);
        out[3] = int(2 * halves);
    }
}

__global__ void scopes_kernel(int* numbers) {
    atomicAdd_block(&numbers[0], 1);
    atomicAdd_system(&numbers[1], 2);
    atomicMax_block(&numbers[2], int(threadIdx.x));
    atomicCAS_system(&numbers[3], 0, 7);
    atomicOr_block(&numbers[4], 1 << (threadIdx.x % 8));
}

template <class T>
void check_add() {
    const int n = 3000;
    // Small integers: exact in every type, whatever the order.
    const std::vector<int> numbers = conformance::random_below<int>(n, 100, 20);
    std::vector<T> in(n);
    T sum = 0;
    for (int i = 0; i < n; ++i) sum += in[i] = T(numbers[i]);
    DeviceArray<T> d_in(in), d_sum(std::vector<T>{T(0)});
    add_kernel<T><<<(n + 255) / 256, 256>>>(d_in.data(), d_sum.data(), n);
    CHECK_SAME(d_sum.download(), std::vector<T>{sum});
}

template <class T>
void check_min_max() {
    const int n = 2000;
    const std::vector<T> in = conformance::random_values<T>(n, 21);
    DeviceArray<T> d_in(in), d_least(std::vector<T>{std::numeric_limits<T>::max()}),
        d_most(std::vector<T>{std::numeric_limits<T>::min()});
    min_max_kernel<T><<<(n + 127) / 128, 128>>>(d_in.data(), d_least.data(), d_most.data(), n);
    CHECK_SAME(d_least.download(), std::vector<T>{*std::min_element(in.begin(), in.end())});
    CHECK_SAME(d_most.download(), std::vector<T>{*std::max_element(in.begin(), in.end())});
}

template <class T>
void check_bits() {
    const int n = 333;
    std::vector<T> in = conformance::random_values<T>(n, 22);
    for (T& value : in) value = (value | T(0x0ff0)) & T(~T(0x8));
    DeviceArray<T> d_in(in), d_all(std::vector<T>{T(-1)}), d_any(std::vector<T>{T(0)}),
        d_parity(std::vector<T>{T(0)});
    bits_kernel<T><<<3, 128>>>(d_in.data(), d_all.data(), d_any.data(), d_parity.data(), n);
    T all = T(-1), any = 0, parity = 0;
    for (const T value : in) {
        all &= value;
        any |= value;
        parity ^= value;
    }
    CHECK_SAME(d_all.download(), std::vector<T>{all});
    CHECK_SAME(d_any.download(), std::vector<T>{any});
    CHECK_SAME(d_parity.download(), std::vector<T>{parity});
}

template <class T>
void check_exchange() {
    const int n = 640;
    DeviceArray<T> d_cell(std::vector<T>{T(0)}), d_old(n);
    exchange_kernel<T><<<5, 128>>>(d_cell.data(), d_old.data());
    std::vector<T> values = d_old.download(), expected(n + 1);
    values.push_back(d_cell.download()[0]);
    std::sort(values.begin(), values.end());
    std::iota(expected.begin(), expected.end(), T(0));
    CHECK_SAME(values, expected);
}

template <class T>
void check_compare_and_swap() {
    // One thread finds the 5; each of the others finds the winner's value.
    DeviceArray<T> d_cell(std::vector<T>{T(5)}), d_old(128);
    compare_and_swap_kernel<T><<<1, 128>>>(d_cell.data(), d_old.data());
    const std::vector<T> old = d_old.download();
    const T winner = d_cell.download()[0];
    CHECK(std::count(old.begin(), old.end(), T(5)) == 1);
    CHECK(std::count(old.begin(), old.end(), winner) == 127);
    CHECK(old.at(std::size_t(winner) - 100) == T(5));
}

}  // namespace

TEST_CASE("atomics: add") {
    check_add<int>();
    check_add<unsigned>();
    check_add<unsigned long long>();
    check_add<float>();
    check_add<double>();
}

TEST_CASE("atomics: add returns the old value, each once") {
    const int n = 10 * 96;
    DeviceArray<int> d_counter(std::vector<int>{-50}), d_tickets(n);
    ticket_kernel<<<10, 96>>>(d_counter.data(), d_tickets.data());
    std::vector<int> tickets = d_tickets.download(), expected(n);
    std::sort(tickets.begin(), tickets.end());
    for (int i = 0; i < n; ++i) expected[i] = -50 + 2 * i;
    CHECK_SAME(tickets, expected);
    CHECK_SAME(d_counter.download(), std::vector<int>{-50 + 2 * n});
}

TEST_CASE("atomics: sub, wrapping below zero") {
    DeviceArray<int> d_number(std::vector<int>{100});
    DeviceArray<unsigned> d_wrapped(std::vector<unsigned>{7});
    sub_kernel<<<2, 64>>>(d_number.data(), d_wrapped.data());
    CHECK_SAME(d_number.download(), std::vector<int>{100 - 3 * 128});
    CHECK_SAME(d_wrapped.download(), std::vector<unsigned>{7u - 5u * 128u});
}

TEST_CASE("atomics: min and max") {
    check_min_max<int>();
    check_min_max<unsigned>();
    check_min_max<long long>();
    check_min_max<unsigned long long>();
}

TEST_CASE("atomics: and, or, xor") {
    check_bits<int>();
    check_bits<unsigned>();
    check_bits<unsigned long long>();
}

TEST_CASE("atomics: inc wraps to zero, dec wraps to the limit") {
    const int n = 3 * 70;
    DeviceArray<unsigned> d_up(std::vector<unsigned>{2}), d_down(std::vector<unsigned>{4});
    DeviceArray<unsigned> d_up_old(n), d_down_old(n);
    inc_dec_kernel<<<3, 70>>>(d_up.data(), d_down.data(), d_up_old.data(), d_down_old.data());
    std::vector<unsigned> up_old = d_up_old.download(), down_old = d_down_old.download();
    std::vector<unsigned> up(n), down(n);
    unsigned u = 2, d = 4;
    for (int i = 0; i < n; ++i) {
        up[i] = u;
        down[i] = d;
        u = u >= 6 ? 0 : u + 1;
        d = d == 0 || d > 9 ? 9 : d - 1;
    }
    for (auto* list : {&up_old, &down_old, &up, &down}) std::sort(list->begin(), list->end());
    CHECK_SAME(up_old, up);
    CHECK_SAME(down_old, down);
    CHECK_SAME(d_up.download(), std::vector<unsigned>{u});
    CHECK_SAME(d_down.download(), std::vector<unsigned>{d});
}

TEST_CASE("atomics: exchange") {
    check_exchange<int>();
    check_exchange<unsigned>();
    check_exchange<unsigned long long>();
    check_exchange<float>();
}

TEST_CASE("atomics: compare and swap") {
    check_compare_and_swap<int>();
    check_compare_and_swap<unsigned>();
    check_compare_and_swap<unsigned long long>();
    check_compare_and_swap<unsigned short>();
}

TEST_CASE("atomics: other operations made from compare and swap") {
    const int n = 500;
    std::vector<unsigned> factors = conformance::random_values<unsigned>(n, 24);
    for (unsigned& factor : factors) factor |= 1;
    unsigned product = 1;
    for (const unsigned factor : factors) product *= factor;
    DeviceArray<unsigned> d_factors(factors), d_product(std::vector<unsigned>{1});
    multiply_kernel<unsigned><<<4, 128>>>(d_product.data(), d_factors.data(), n);
    CHECK_SAME(d_product.download(), std::vector<unsigned>{product});

    const std::vector<float> floats = conformance::random_values<float>(n, 25);
    DeviceArray<float> d_floats(floats), d_most(std::vector<float>{-2.0f});
    float_max_kernel<<<4, 128>>>(d_floats.data(), d_most.data(), n);
    CHECK_SAME(d_most.download(),
               std::vector<float>{*std::max_element(floats.begin(), floats.end())});
}

TEST_CASE("atomics: on shared memory") {
    for (const int n : {1, 31, 1000}) {
        CAPTURE(n);
        const std::vector<int> in = conformance::random_below<int>(n, 500, n);
        DeviceArray<int> d_in(in), d_out(4);
        shared_kernel<<<1, 128>>>(d_in.data(), d_out.data(), n);
        int sum = 0, least = in[0], squares = 0;
        for (const int value : in) {
            sum += value;
            least = std::min(least, value);
            squares += value * value;
        }
        CHECK_SAME(d_out.download(), (std::vector<int>{sum, least, squares, sum}));
    }
}

TEST_CASE("atomics: the scopes of a block and of the system") {
    DeviceArray<int> d_numbers(std::vector<int>(5, 0));
    scopes_kernel<<<1, 50>>>(d_numbers.data());
    CHECK_SAME(d_numbers.download(), (std::vector<int>{50, 100, 49, 7, 255}));
}
