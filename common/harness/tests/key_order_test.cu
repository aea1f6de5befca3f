// The order of keys: one to one, as verification orders them, and the same on the device.
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "../cuda_check.hpp"
#include "../device_buffer.hpp"
#include "../inputs.hpp"
#include "../key_order.hpp"
#include "../verify.hpp"

using namespace tutorial;

namespace {

float float_of(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/// Each of these and its neighbours: where the mapping takes another branch, or could wrap.
std::vector<float> float_edges() {
    std::vector<float> keys;
    for (const std::uint32_t edge :
         {0x00000000u, 0x007fffffu, 0x00800000u, 0x3f800000u, 0x7f7fffffu, 0x7f800000u, 0x7fc00000u,
          0x80000000u, 0x807fffffu, 0xbf800000u, 0xff7fffffu, 0xff800000u, 0xffc00000u}) {
        for (const std::uint32_t by : {~0u, 0u, 1u}) keys.push_back(float_of(edge + by));
    }
    return keys;
}

template <class Key>
__global__ void there_and_back_kernel(const Key* keys, int* orders, Key* back, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    orders[i] = ordered_int(keys[i]);
    back[i] = key_from_ordered_int<Key>(orders[i]);
}

template <class Key>
std::vector<Key> keys_to_try() {
    std::vector<Key> keys = make_input<Key>("special", 4096, 3);
    const std::vector<Key> random = make_input<Key>("random", 4096, 4);
    keys.insert(keys.end(), random.begin(), random.end());
    return keys;
}

template <>
std::vector<float> keys_to_try() {
    std::vector<float> keys = float_edges();
    for (std::size_t i = 0; i < 8192; ++i) {  // any bit pattern: half a per cent are NaN
        keys.push_back(float_of(static_cast<std::uint32_t>(random_bits(5, i))));
    }
    return keys;
}

}  // namespace

TEST_CASE("plain keys are those that < orders the same way: no NaN, no -0") {
    CHECK(is_plain(std::vector<float>{}));
    CHECK(is_plain(std::vector<float>{0.0f, -1.0f, 2.0f, std::numeric_limits<float>::infinity(),
                                      -std::numeric_limits<float>::infinity()}));
    CHECK_FALSE(is_plain(std::vector<float>{1.0f, -0.0f}));
    CHECK_FALSE(is_plain(std::vector<float>{float_of(0x7fc00000u)}));
    CHECK_FALSE(is_plain(std::vector<float>{0.0f, float_of(0xff800001u)}));
    CHECK_FALSE(is_plain(make_input<float>("special", 4096, 3)));
    CHECK(is_plain(make_input<float>("random", 4096, 3)));
    CHECK(is_plain(std::vector<int>{INT_MIN, 0}));
    CHECK(is_plain(std::vector<unsigned>{~0u, 0u}));
}

TEST_CASE_TEMPLATE("the order of keys is verification's order, and can be undone", Key, int,
                   unsigned, float) {
    const std::vector<Key> keys = sorted_copy(keys_to_try<Key>());
    std::vector<Key> back(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        back[i] = key_from_ordered_int<Key>(ordered_int(keys[i]));
        if (i == 0) continue;
        const bool same = std::memcmp(&keys[i - 1], &keys[i], sizeof(Key)) == 0;
        CHECK((ordered_int(keys[i - 1]) < ordered_int(keys[i]) || same));
    }
    const Verdict verdict = verify_equal(keys, back);
    CHECK_MESSAGE(verdict.ok, verdict.message);
}

TEST_CASE_TEMPLATE("every int is the order of one key", Key, int, unsigned, float) {
    std::vector<int> orders = {INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX - 1, INT_MAX};
    for (const float key : float_edges()) orders.push_back(ordered_int(key));
    for (std::size_t i = 0; i < 8192; ++i) orders.push_back(static_cast<int>(random_bits(6, i)));
    for (const int order : orders) CHECK(ordered_int(key_from_ordered_int<Key>(order)) == order);
}

TEST_CASE("the ends of the order") {
    CHECK(ordered_int(-std::numeric_limits<float>::infinity()) == INT_MIN);
    CHECK(ordered_int(-0.0f) + 1 == ordered_int(0.0f));
    CHECK(ordered_int(std::numeric_limits<float>::infinity()) < ordered_int(float_of(0x7f800001u)));
    CHECK(ordered_int(float_of(0xffffffffu)) == INT_MAX);
    CHECK(ordered_int(0u) == INT_MIN);
    CHECK(ordered_int(~0u) == INT_MAX);
    CHECK(ordered_int(-7) == -7);
}

TEST_CASE_TEMPLATE("the order of keys is the same on the device", Key, int, unsigned, float) {
    const std::vector<Key> keys = keys_to_try<Key>();
    const int n = static_cast<int>(keys.size());
    DeviceBuffer<Key> d_keys(keys.size());
    DeviceBuffer<Key> d_back(keys.size());
    DeviceBuffer<int> d_orders(keys.size());
    d_keys.upload(keys);
    there_and_back_kernel<<<(n + 255) / 256, 256>>>(d_keys.data(), d_orders.data(), d_back.data(),
                                                    n);
    CUDA_CHECK_LAUNCH();
    std::vector<int> expected(keys.size());
    std::transform(keys.begin(), keys.end(), expected.begin(),
                   [](Key key) { return ordered_int(key); });
    CHECK(verify_equal(expected, d_orders.download()).ok);
    CHECK(verify_equal(keys, d_back.download()).ok);
}
