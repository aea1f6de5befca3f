// Tests of chapter 6: every stage of its table, over sizes, questions and orders of the data that
// have broken such code.
#include <cuda_runtime.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "../common/harness/backend.hpp"
#include "../common/harness/chapter.hpp"
#include "../common/harness/cuda_check.hpp"
#include "../common/harness/device_buffer.hpp"
#include "../common/harness/device_info.hpp"
#include "../common/harness/inputs.hpp"
#include "../common/harness/known_devices.hpp"
#include "../common/harness/verify.hpp"

#define main chapter_main
#include "main.cu"
#undef main

namespace {

constexpr unsigned kFence = 8;  // places after the result, which must not change

/// One stage's buffers, made for a largest k, and reused as a caller would.
template <class Key>
struct Problem {
    explicit Problem(const std::vector<Key>& data)
        : keys(data),
          d_keys(data.size()),
          d_list(scratch_sizes(kMaxK, data.size()).list),
          d_next_list(scratch_sizes(kMaxK, data.size()).list),
          d_summaries(data.size() / kSegmentRow + 2 * kThreads),  // for the smallest segments
          d_control(1),
          d_result(std::max<std::size_t>(kMaxK, data.size()) + kFence),
          d_indices(std::max<std::size_t>(kMaxK, data.size()) + kFence),
          d_count(1) {
        d_keys.upload(data);
        d_summaries.fill_bytes(0);
        d_control.fill_bytes(0);
        d_list.fill_bytes(0xA5);
        d_next_list.fill_bytes(0xA5);
    }

    /// Runs the stage, and says what is wrong with what it wrote, or that it wrote elsewhere.
    Verdict answers(const Stage<TopK<Key>>& stage, unsigned k, bool distinct, bool smallest,
                    bool index = true) {
        const unsigned order_mask = KeyOrder<Key>::order_mask(!smallest);
        index = index && stage.launch.knows_indices && !stage.launch.is_plain;
        std::vector<KeyIndex> expected = reference(keys, k, order_mask, distinct);
        if (k > kMaxK) {  // in the order of the data
            std::sort(expected.begin(), expected.end(),
                      [](KeyIndex a, KeyIndex b) { return index_of(a) < index_of(b); });
        }
        d_result.fill_bytes(0xA5);
        d_indices.fill_bytes(0xA5);
        d_count.fill_bytes(0xA5);
        const std::vector<unsigned> before = d_indices.download();
        stage.launch.launch(
            {d_keys.data(),
             static_cast<unsigned>(keys.size()),
             k,
             order_mask,
             distinct,
             scratch(),
             {d_result.data(), index ? d_indices.data() : nullptr, d_count.data()}});
        CUDA_CHECK(cudaDeviceSynchronize());
        const auto all = static_cast<unsigned>(std::min<std::size_t>(k, keys.size()));
        const unsigned count = stage.launch.is_plain ? all : d_count.download()[0];
        if (count != expected.size()) {
            return {false, std::to_string(count) + " keys found, expected " +
                               std::to_string(expected.size())};
        }
        std::vector<unsigned> result(before.size());  // bits, so that the fence compares too
        std::vector<unsigned> wanted = before;
        std::vector<unsigned> wanted_indices = before;
        const std::vector<Key> written = d_result.download();
        std::memcpy(result.data(), written.data(), result.size() * sizeof(Key));
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const Key key = keys[index_of(expected[i])];
            std::memcpy(&wanted[i], &key, sizeof key);
            if (index) wanted_indices[i] = index_of(expected[i]);
        }
        Verdict verdict = verify_equal(wanted, result);
        if (!verdict.ok) return verdict;
        verdict = verify_equal(wanted_indices, d_indices.download());
        if (!verdict.ok) verdict.message = "indices: " + verdict.message;
        return verdict;
    }

    /// The 20 largest of the keys from this one on.
    void run(const Stage<TopK<Key>>& stage, std::size_t offset) {
        stage.launch.launch(params(20, offset));
    }

    /// The k largest of the keys from this one on.
    TopKParams<Key> params(unsigned k, std::size_t offset = 0) {
        return {d_keys.data() + offset,
                static_cast<unsigned>(keys.size() - offset),
                k,
                KeyOrder<Key>::order_mask(true),
                false,
                scratch(),
                {d_result.data(), d_indices.data(), d_count.data()}};
    }

    void set_highest(int key) {
        Control control{};
        control.highest = radix_key(key);
        d_control.upload({control});
    }

    Scratch scratch() {
        return {d_list.data(), d_next_list.data(), d_summaries.data(), d_control.data()};
    }

    std::vector<Key> keys;
    DeviceBuffer<Key> d_keys;
    DeviceBuffer<KeyIndex> d_list;
    DeviceBuffer<KeyIndex> d_next_list;
    DeviceBuffer<KeyIndex> d_summaries;
    DeviceBuffer<Control> d_control;
    DeviceBuffer<Key> d_result;
    DeviceBuffer<unsigned> d_indices;
    DeviceBuffer<unsigned> d_count;
};

/// Does the stage support this question?
template <class Key>
bool takes(const Stage<TopK<Key>>& stage, unsigned k, bool distinct = false,
           bool smallest = false) {
    return stage.launch.refuses(k, distinct, smallest, false).empty();
}

/// Which questions to ask of one input.
struct Questions {
    std::vector<unsigned> ks;
    std::vector<bool> distinct = {false, true};
    std::vector<bool> smallest = {false, true};
};

/// Every stage that takes such a k answers every question about the keys.
template <class Key>
void check_stages(const std::vector<Key>& keys, const Questions& questions) {
    if (keys.empty()) return;  // no stage is launched then
    Problem<Key> problem(keys);
    for (const Stage<TopK<Key>>& stage : stages<Key>()) {
        for (const unsigned k : questions.ks) {
            for (const bool distinct : questions.distinct) {
                for (bool smallest : questions.smallest) {
                    smallest = smallest && !stage.launch.is_plain;
                    if (!takes(stage, k, distinct, smallest)) continue;
                    INFO(stage.name << ", n = " << keys.size() << ", k = " << k
                                    << (distinct ? ", distinct" : "")
                                    << (smallest ? ", smallest" : ""));
                    const Verdict verdict = problem.answers(stage, k, distinct, smallest);
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    }
}

int run_chapter(std::vector<std::string> words) {
    words.insert(words.begin(), "ch06_topk");
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return chapter_main(static_cast<int>(arguments.size()), arguments.data());
}

/// The last of the first stages: for small k, and as fast as the later ones on the emulator.
bool reads_vectors(const std::string& stage) {
    return stage == "vector_queue" || stage == "shared_threshold" || stage == "one_launch";
}
bool reads_segments(const std::string& stage) {
    return stage == "segment_maxima" || stage == "segment_lead";
}

/// The emulator asks each question with one of the two types, in turn; a GPU asks it with both.
template <class Key>
bool asks(std::size_t question) {
    return !on_emulator() || (question % 2 == 0) == std::is_same_v<Key, int>;
}

const std::vector<unsigned> kSomeK = {1, 2, 20, 31, 32, 33, 127, 128, 129, 500, 1000, 1023, 1024};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

}  // namespace

TEST_CASE("ch06: radix keys order ints and floats, and go back") {
    const std::vector<int> ints = {INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX - 1, INT_MAX};
    const std::vector<float> floats = {-kInf, -1e30f, -1.0f, -1e-45f, -0.0f,
                                       0.0f,  1e-45f, 1.0f,  1e30f,   kInf};
    for (const bool largest : {false, true}) {
        const auto check = [&](const auto& values) {
            using Key = std::decay_t<decltype(values[0])>;
            const unsigned order_mask = KeyOrder<Key>::order_mask(largest);
            for (std::size_t i = 0; i < values.size(); ++i) {
                const unsigned radix_key = KeyOrder<Key>::radix_key(values[i], order_mask);
                const Key back = KeyOrder<Key>::key(radix_key, order_mask);
                CHECK(std::memcmp(&back, &values[i], sizeof back) == 0);
                CHECK(key_index_of(values[i], 7, order_mask) != 0);
                CHECK(key_index_of(values[i], 7, order_mask) >
                      key_index_of(values[i], 8, order_mask));
                if (i == 0) continue;
                const unsigned before = KeyOrder<Key>::radix_key(values[i - 1], order_mask);
                CHECK((largest ? before < radix_key : before > radix_key));
            }
        };
        check(ints);
        check(floats);
        CHECK(key_index_of(kNan, 0, KeyOrder<float>::order_mask(largest)) == 0);
        CHECK(key_index_of(-kNan, 0, KeyOrder<float>::order_mask(largest)) == 0);
    }
}

TEST_CASE("ch06: the reference is what sorting everything gives") {
    for (const bool distinct : {false, true}) {
        for (const unsigned k : {0u, 1u, 3u, 20u, 700u, 5000u}) {
            for (const int values : {1, 5, 100, 1000000}) {
                std::vector<int> keys(3001);
                for (std::size_t i = 0; i < keys.size(); ++i) {
                    keys[i] = static_cast<int>(random_bits(k, i) % values) - values / 2;
                }
                std::vector<std::size_t> order(keys.size());
                for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
                std::stable_sort(order.begin(), order.end(),
                                 [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
                std::vector<KeyIndex> expected;
                for (std::size_t i = 0; i < order.size() && expected.size() < k; ++i) {
                    if (distinct && i > 0 && keys[order[i]] == keys[order[i - 1]]) continue;
                    expected.push_back(key_index_of(keys[order[i]], static_cast<unsigned>(order[i]),
                                                    KeyOrder<int>::order_mask(true)));
                }
                CHECK(reference(keys, k, KeyOrder<int>::order_mask(true), distinct) == expected);
            }
        }
    }
}

TEST_CASE("ch06: insert_value keeps the k largest, every one as often as it is there") {
    const std::vector<int> keys = {3, INT_MIN, 3, 9, -5, 9, 9, INT_MIN, 4, 3, 10, INT_MAX};
    for (unsigned k = 1; k <= 15; ++k) {
        std::vector<int> top(k, kEmpty);
        for (const int key : keys) insert_value(top.data(), k, key);
        std::vector<int> expected = keys;
        std::sort(expected.begin(), expected.end(), std::greater<>());
        expected.resize(k, kEmpty);
        CHECK(top == expected);
    }
}

TEST_CASE("ch06: what a stage does not take, it refuses with its reason") {
    const Stage<TopK<int>>& insert_row = stages<int>().front();
    CHECK(insert_row.launch.refuses(32, false, false, false).empty());
    CHECK(insert_row.launch.refuses(33, false, false, false) == "k up to 32");
    CHECK(insert_row.launch.refuses(20, true, false, false) == "no --distinct");
    CHECK(insert_row.launch.refuses(20, false, true, false) == "no --smallest");
    CHECK(insert_row.launch.refuses(20, false, false, true) == "no --index");
    CHECK(stages<float>().front().launch.refuses(20, false, false, false) == "ints only");
    const auto takes_all = [](unsigned k) {
        return stages<float>().back().launch.refuses(k, true, true, true);
    };
    CHECK(takes_all(kMaxK).empty());
    CHECK(takes_all(kMaxK + 1) == "k up to 1024");
}

TEST_CASE("ch06: the list on the host keeps the k best, and of equal values the first") {
    const unsigned order_mask = KeyOrder<int>::order_mask(true);
    const std::vector<int> keys = {3, INT_MIN, 3, 9, -5, 9, 9, INT_MIN, 4, 3, 10};
    for (const bool distinct : {false, true}) {
        for (unsigned k = 1; k <= 12; ++k) {
            std::vector<KeyIndex> top(k, 0);
            for (std::size_t i = keys.size(); i-- > 0;) {  // in reverse: the first comes last
                insert_on_host(top.data(), k,
                               key_index_of(keys[i], static_cast<unsigned>(i), order_mask),
                               distinct);
            }
            top.erase(std::find(top.begin(), top.end(), KeyIndex{0}), top.end());
            CHECK(top == reference(keys, k, order_mask, distinct));
        }
    }
}

TEST_CASE_TEMPLATE("ch06: every size at the edges of warps, blocks and tiles", Key, int, float) {
    for (const std::size_t n : {1, 2, 3, 4, 5, 31, 32, 33, 128, 255, 256, 257, 1023, 1024, 1025,
                                8191, 8192, 8193, 8197}) {
        const std::string kind = std::is_same_v<Key, float> ? "special" : "random";
        // A CPU tries a part of the options for each n, a GPU all of them.
        Questions questions = {{1, 20, 32, 33, 1000}};
        if (on_emulator()) questions.smallest = {n % 2 == 0};
        if (on_emulator() && n > 1000) questions.ks = {n % 3 == 0 ? 20u : 32u, 1000};
        check_stages(make_input<Key>(kind, n, n), questions);
    }
}

TEST_CASE_TEMPLATE("ch06: every k", Key, int, float) {
    if (asks<Key>(0)) {
        check_stages(make_input<Key>("random", 20011, 5), {kSomeK, {false, true}, {false}});
    }
    if (asks<Key>(1)) {
        check_stages(make_input<Key>("special", 9001, 6), {kSomeK, {false, true}, {true}});
    }
}

TEST_CASE_TEMPLATE("ch06: every kind of input", Key, int, float) {
    std::size_t turn = 0;
    for (const std::string& kind : input_kinds()) {
        INFO(kind);
        // Some kinds in reverse order.
        const bool smallest = ++turn / 2 % 2 == 0;
        if (asks<Key>(turn)) {
            check_stages(make_input<Key>(kind, 9001, 2), {{20}, {false, true}, {smallest}});
        }
        if (asks<Key>(turn + 1)) {
            check_stages(make_input<Key>(kind, 8999, 3), {{300}, {false, true}, {!smallest}});
        }
    }
}

TEST_CASE_TEMPLATE("ch06: orders that are bad for some stage", Key, int, float) {
    std::size_t turn = 0;
    for (const std::string& kind : adversarial_kinds()) {
        if (kind == "none") continue;
        INFO(kind);
        const std::vector<Key> keys = adversarial_input<Key>(kind, 20011, 3);
        if (asks<Key>(++turn)) check_stages(keys, {{20}, {false, true}, {false}});
        if (asks<Key>(turn + 1)) check_stages(keys, {{1000}, {false, true}, {true}});
    }
    CHECK_THROWS_AS(adversarial_input<Key>("nasty", 10, 1), UsageError);
}

// More than one tile per block: the last stage takes a sample, and blocks share their thresholds.
TEST_CASE("ch06: large inputs, in every order") {
    const auto check = [](const std::vector<int>& keys, const std::vector<unsigned>& ks,
                          const std::vector<bool>& distincts,
                          const std::vector<std::string>& without = {}) {
        Problem<int> problem(keys);
        for (const Stage<TopK<int>>& stage : stages<int>()) {
            if (stage.launch.max_k < kMaxK && !reads_vectors(stage.name) &&
                !reads_segments(stage.name)) {
                continue;
            }
            if (std::count(without.begin(), without.end(), stage.name) > 0) continue;
            for (const unsigned k : ks) {
                for (const bool distinct : distincts) {
                    if (!takes(stage, k, distinct, k == 129)) continue;
                    INFO(stage.name << ", k = " << k << (distinct ? ", distinct" : ""));
                    const Verdict verdict = problem.answers(stage, k, distinct, k == 129);
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    };
    const std::vector<bool> both = {false, true};
    std::vector<unsigned> ks = {1, 20, 128, 129, 1000};
    for (const std::string kind : {"random", "sixteen", "sorted", "reversed"}) {
        INFO(kind);
        check(make_input<int>(kind, 150001, 11), ks, both);
        if (on_emulator()) ks = {20, 129};
    }
    // Its blocks share nothing: 20011 keys have shown what an order does to it.
    std::vector<std::string> without;
    if (on_emulator()) without = {"vector_queue"};
    for (const std::string& kind : adversarial_kinds()) {
        if (kind == "none") continue;
        INFO(kind);
        check(adversarial_input<int>(kind, 150001, 3), {20}, both, without);
    }
    // Enough keys for a block to take several tiles at a time, in the stages that do so: on the
    // emulator, where a grid has 8 blocks, 171 tiles.
    std::size_t n = 1100003;
    if (on_emulator()) {
        n = 171 * kTile;
        without = {"vector_queue", "shared_threshold", "one_launch", "radix_select", "best"};
    }
    check(make_input<int>("random", n, 4), {20}, on_emulator() ? std::vector<bool>{false} : both,
          without);
    check(adversarial_input<int>("giants", n, 4), {20},
          on_emulator() ? std::vector<bool>{true} : both, without);
}

TEST_CASE("ch06: as many groups as k needs") {
    const unsigned max_blocks = kBlocksPerSm * static_cast<unsigned>(device_info().sm_count);
    for (unsigned blocks = 1; blocks <= max_blocks; ++blocks) {
        for (const unsigned k : kSomeK) {
            INFO("k = " << k << ", " << blocks << " blocks");
            const unsigned groups = blocks * groups_per_block(k, blocks);
            CHECK(groups >= std::min(8 * k, blocks * kVectors * kThreads));
        }
    }
}

// A few tiles: groups are parts of warps, down to single threads. And the last stage on both sides
// of each of its choices.
TEST_CASE_TEMPLATE("ch06: few tiles, and k of all sizes", Key, int, float) {
    for (const std::size_t n : {8193, 16384, 24581, 65536, 65537, 98305}) {
        for (const std::string kind : {"random", "sixteen", "sorted"}) {
            if (on_emulator() && n > 30000 && kind != "random") continue;
            INFO(kind << ", n = " << n);
            Problem<Key> problem(make_input<Key>(kind, n, n));
            for (const Stage<TopK<Key>>& stage : stages<Key>()) {
                if (stage.name != "sample_threshold" && stage.name != "best") continue;
                std::size_t turn = n;
                for (const unsigned k : {32u, 33u, 100u, 128u, 129u, 250u, 500u, 1000u, 1024u}) {
                    if (!asks<Key>(turn++)) continue;
                    for (const bool distinct : {false, true}) {
                        INFO(stage.name << ", k = " << k << (distinct ? ", distinct" : ""));
                        const Verdict verdict = problem.answers(stage, k, distinct, false);
                        CHECK_MESSAGE(verdict.ok, verdict.message);
                    }
                }
            }
        }
    }
}

TEST_CASE("ch06: few different values, and k more than there are") {
    for (const int values : {1, 2, 19, 20, 21, 40}) {
        std::vector<int> keys(10011);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = static_cast<int>(random_bits(9, i) % values) - 3;
        }
        INFO(values << " values");
        const unsigned more = values % 3 == 0 ? 32 : 200;
        check_stages(keys, {{20, more}, {false, true}, {values % 2 == 0}});
    }
    check_stages(make_input<int>("random", 77, 1), {{77, 78, 500, 1024}});
    check_stages(make_input<float>("special", 700, 1), {{32, 700, 1024}});
}

TEST_CASE("ch06: different values that a table would look for in the same place") {
    unsigned inverse =
        1;  // of the hash function's factor; each step doubles the bits that are right
    for (int i = 0; i < 5; ++i) inverse *= 2 - kHashFactor * inverse;
    const unsigned order_mask = KeyOrder<int>::order_mask(true);
    for (const unsigned place : {0u, 5u}) {
        for (const unsigned values : {2u, 16u, 40u, 90u}) {
            // At most the upper 12 bits of the product select the place. 0 and 1 mark a free place.
            std::vector<int> different = {KeyOrder<int>::key(0, order_mask),
                                          KeyOrder<int>::key(1, order_mask)};
            for (unsigned i = 1; i < values; ++i) {
                different.push_back(KeyOrder<int>::key(inverse * (place << 20 | i), order_mask));
            }
            std::vector<int> keys(on_emulator() ? 20003 : 80003);
            for (std::size_t i = 0; i < keys.size(); ++i) {
                keys[i] = different[random_bits(values, i) % different.size()];
            }
            Problem<int> problem(keys);
            for (const Stage<TopK<int>>& stage : stages<int>()) {
                if (!takes(stage, kMaxK, true)) continue;  // it has no table
                for (const unsigned k : {20u, 100u, 500u}) {
                    INFO(stage.name << ", place " << place << ", " << values
                                    << " values, k = " << k);
                    const Verdict verdict = problem.answers(stage, k, true, false);
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    }
}

TEST_CASE("ch06: equal values of any radix key: the lowest indices, in order") {
    for (const int value : {INT_MIN, -1, INT_MAX}) {
        INFO(value);
        check_stages(std::vector<int>(9001, value), {{1, 20, 1000}, {false, true}, {value == -1}});
    }
}

TEST_CASE("ch06: the best keys at the ends, at seams, and all in one place") {
    const std::size_t n = 20009;
    for (const std::size_t at : {std::size_t{0}, std::size_t{8180}, n - 20}) {
        std::vector<int> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = -static_cast<int>(i % 1000) - 1;
        for (std::size_t i = 0; i < 20; ++i) keys[at + i] = static_cast<int>(i * 7 % 20);
        INFO("at " << at);
        check_stages(keys, {{1, 20, 150}, {false, true}, {false}});
    }
}

TEST_CASE("ch06: NaN is not a value; -0 and +0 are two; infinities are values") {
    std::vector<float> keys(9001, kNan);
    check_stages(keys, {{1, 20, 1000}});
    keys[17] = -kInf;
    keys[8999] = kInf;
    keys[31] = -0.0f;
    keys[32] = 0.0f;
    keys[33] = -0.0f;
    check_stages(keys, {{1, 2, 3, 4, 5, 6, 1000}});
    for (std::size_t i = 0; i < keys.size(); ++i)
        keys[i] = i % 3 == 0 ? -kNan : i % 3 == 1 ? -0.0f : 0.0f;
    check_stages(keys, {{1, 2, 3, 20, 1000}});
}

// Above kMaxK: in the order of the data. The median is the last of them.
TEST_CASE_TEMPLATE("ch06: any k up to n, and beyond", Key, int, float) {
    for (const std::size_t n : {1, 33, 1025, 2048, 2049, 8193, 20011}) {
        const auto half = static_cast<unsigned>((n + 1) / 2);
        const auto all = static_cast<unsigned>(n);
        const std::string kind = n % 2 == 0 ? "sixteen" : "special";
        const std::string of_key = std::is_same_v<Key, float> ? kind : "random";
        Questions questions = {{1025, 1500, half, all - 1, all, all + 1}, {false}, {n % 4 == 1}};
        if (n == 1) questions.ks = {1, 2, 1025};
        check_stages(make_input<Key>(of_key, n, n), questions);
    }
    std::size_t turn = 0;
    for (const std::string& kind : input_kinds()) {
        if (!asks<Key>(turn++)) continue;
        INFO(kind);
        check_stages(make_input<Key>(kind, 9001, 2), {{1025, 4501, 8999}, {false}, {true}});
    }
    for (const std::string& kind : adversarial_kinds()) {
        if (kind == "none" || !asks<Key>(turn++)) continue;
        INFO(kind);
        check_stages(adversarial_input<Key>(kind, 40013, 3), {{1026, 20007}, {false}, {false}});
    }
}

// Every digit decides once: keys that differ in one digit only, and ties across blocks.
TEST_CASE("ch06: the digits of a radix key, one after the other") {
    for (const int shift : {0, 1, 9, 10, 11, 20, 21, 22}) {
        std::vector<int> keys(30011);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            keys[i] = static_cast<int>(random_bits(shift, i) % 700) << shift;
        }
        INFO("values " << shift << " bits up");
        Questions questions = {{1, 20, 1024, 1025, 15006, 30010}, {false}, {shift % 2 == 0}};
        if (on_emulator()) questions.ks = {shift % 2 == 0 ? 20u : 1024u, 1025, 15006};
        check_stages(keys, questions);
    }
}

TEST_CASE("ch06: without indices the keys are the same") {
    const std::vector<int> keys = make_input<int>("sixteen", 20011, 8);
    Problem<int> problem(keys);
    for (const Stage<TopK<int>>& stage : stages<int>()) {
        INFO(stage.name);
        for (const bool distinct : {false, true}) {
            if (!takes(stage, 20, distinct)) continue;
            const Verdict verdict = problem.answers(stage, 20, distinct, false, false);
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    }
}

TEST_CASE("ch06: again and again, in whatever order the threads come") {
    const std::vector<int> keys = adversarial_input<int>("top", 70001, 9);
    Problem<int> problem(keys);
    const char* const orders[] = {"forward", "reverse", "shuffle"};
    for (const Stage<TopK<int>>& stage : stages<int>()) {
        INFO(stage.name);
        for (int run = 0; run < (on_emulator() ? 6 : 100); ++run) {
            set_thread_order(orders[run % 3], run);
            const bool distinct = run % 2 == 0 && takes(stage, 20, true);
            const bool smallest = run % 4 < 2 && !stage.launch.is_plain;
            const Verdict verdict = problem.answers(stage, 20, distinct, smallest);
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    }
    set_thread_order("forward", 0);
}

// On a CPU it is skipped, not passed: the sizes that a CPU can do are in the cases above.
TEST_CASE("ch06: more than the L2 cache holds" * doctest::skip(on_emulator())) {
    // Above 4 M keys everywhere, and twice the cache of this device.
    const std::size_t n =
        std::max<std::size_t>(std::size_t{1} << 23, device_info().l2_bytes / sizeof(int) * 2) + 3;
    const std::vector<std::string> slow = {"insert", "parallel_output", "multi_pass", "threshold"};
    for (const char* kind : {"none", "descending", "repeats", "top"}) {
        const std::vector<int> keys = std::string(kind) == "none"
                                          ? make_input<int>("random", n, 1)
                                          : adversarial_input<int>(kind, n, 1);
        Problem<int> problem(keys);
        for (const Stage<TopK<int>>& stage : stages<int>()) {
            if (std::count(slow.begin(), slow.end(), stage.name) > 0) continue;
            for (const unsigned k : {20u, 1000u, static_cast<unsigned>(n / 2)}) {
                for (const bool distinct : {false, true}) {
                    if (!takes(stage, k, distinct) || (distinct && k != 20)) continue;
                    INFO(stage.name << ", " << kind << ", n = " << n << ", k = " << k
                                    << (distinct ? ", distinct" : ""));
                    const Verdict verdict = problem.answers(stage, k, distinct, false);
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    }
}

TEST_CASE("ch06: keys at an address that is not a multiple of 16 are refused, in one line") {
    const std::vector<int> keys = make_input<int>("random", 5000, 1);
    Problem<int> problem(keys);
    for (const char* name : {"vector_queue", "shared_threshold", "one_launch", "candidate_set",
                             "next_tile", "one_read", "sample_threshold", "digit_passes",
                             "radix_select", "segment_maxima", "segment_lead", "best"}) {
        for (const Stage<TopK<int>>& stage : stages<int>()) {
            if (stage.name != name) continue;
            for (const std::size_t offset : {1, 2, 3}) {
                INFO(stage.name << ", " << offset);
                CHECK_THROWS_AS(problem.run(stage, offset), std::invalid_argument);
            }
            problem.run(stage, 4);  // 16 bytes further on: just another aligned address
            CUDA_CHECK(cudaDeviceSynchronize());
        }
    }
}

// Several tiles per block, and a last one of each length that a vector or a warp may end in.
TEST_CASE("ch06: the last keys of a tile of vectors") {
    for (const std::size_t tiles : {std::size_t{1}, std::size_t{3}}) {
        for (const std::size_t rest : {0, 1, 2, 3, 4, 5, 127, 128, 1023}) {
            const std::size_t n = tiles * kVectorTile + rest;
            std::vector<int> keys = make_input<int>("random", n, n);
            for (std::size_t i = n - 5; i < n; ++i) keys[i] = INT_MAX - static_cast<int>(n - i);
            Problem<int> problem(keys);
            for (const Stage<TopK<int>>& stage : stages<int>()) {
                if (!reads_vectors(stage.name)) continue;
                INFO(stage.name << ", n = " << n);
                const Verdict verdict = problem.answers(stage, 20, false, false);
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    }
}

TEST_CASE("ch06: warps publish their thresholds, and use those of others") {
    constexpr unsigned kK = 20;
    const std::vector<int> keys = make_input<int>("random", 100003, 7);
    std::vector<int> expected = keys;
    std::sort(expected.begin(), expected.end(), std::greater<>());
    expected.resize(kK);
    Problem<int> problem(keys);
    const auto n = static_cast<unsigned>(keys.size());
    const unsigned blocks = vector_blocks(n);
    const ListScratch scratch = list_scratch(problem.scratch());
    const auto launch = [&] {
        problem.d_list.fill_bytes(0xA5);
        shared_threshold_kernel<<<blocks, kQueueThreads>>>(problem.d_keys.data(), n, kK,
                                                           scratch.highest, scratch.lists);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaDeviceSynchronize());
        const std::vector<KeyIndex> words = problem.d_list.download();
        std::vector<int> lists(std::size_t{blocks} * kK);
        std::memcpy(lists.data(), words.data(), lists.size() * sizeof(int));
        std::sort(lists.begin(), lists.end(), std::greater<>());
        return lists;
    };
    // The published key is the k-th of some warp's keys, of which there are thousands: it is in the
    // upper half.
    std::vector<int> lists = launch();
    const int published = from_radix_key(problem.d_control.download()[0].highest);
    CHECK(published <= expected[kK - 1]);
    CHECK(published > 0);
    CHECK(std::equal(expected.begin(), expected.end(), lists.begin()));
    // As if another warp had found the eleventh already: keys that are not above it are not kept at
    // all, except those after the last whole vector.
    problem.set_highest(expected[10]);
    lists = launch();
    CHECK(std::equal(expected.begin(), expected.begin() + 10, lists.begin()));
    CHECK(std::count(lists.begin(), lists.end(), kEmpty) >=
          static_cast<std::ptrdiff_t>(lists.size()) - 13);
    problem.set_highest(kEmpty);
}

TEST_CASE("ch06: every stage leaves what blocks share as it was") {
    const std::vector<int> keys = make_input<int>("random", 60001, 5);
    Problem<int> problem(keys);
    for (const Stage<TopK<int>>& stage : stages<int>()) {
        INFO(stage.name);
        problem.run(stage, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        const Control control = problem.d_control.download()[0];
        CHECK(control.highest == 0);
        CHECK(control.finished == 0);
        CHECK(control.prefix == 0);
        CHECK(control.left == 0);
        CHECK(control.equal == 0);
        CHECK(control.listed == 0);
        CHECK(control.threshold == 0);
        CHECK(control.progress == 0);
        CHECK(control.taken == 0);
        const auto is_zero = [](unsigned word) { return word == 0; };
        for (const auto& digits : control.digits) {
            CHECK(std::all_of(std::begin(digits), std::end(digits), is_zero));
        }
        for (const auto& bests : control.bests) {
            CHECK(std::all_of(std::begin(bests), std::end(bests), is_zero));
        }
        const std::vector<KeyIndex> summaries = problem.d_summaries.download();
        CHECK(std::all_of(summaries.begin(), summaries.end(), [](KeyIndex s) { return s == 0; }));
    }
}

TEST_CASE("ch06: sizes that fill a GPU" * doctest::skip(on_emulator())) {
    for (const std::size_t n : {std::size_t{1000000}, (std::size_t{1} << 22) + 3}) {
        for (const std::string& kind : adversarial_kinds()) {
            const std::vector<int> keys = kind == "none" ? make_input<int>("random", n, 1)
                                                         : adversarial_input<int>(kind, n, 1);
            Problem<int> problem(keys);
            for (const Stage<TopK<int>>& stage : stages<int>()) {
                for (const unsigned k : {20u, 1000u}) {
                    for (const bool distinct : {false, true}) {
                        if (!takes(stage, k, distinct)) continue;
                        INFO(stage.name << ", " << kind << ", n = " << n << ", k = " << k
                                        << (distinct ? ", distinct" : ""));
                        const Verdict verdict = problem.answers(stage, k, distinct, false);
                        CHECK_MESSAGE(verdict.ok, verdict.message);
                    }
                }
            }
        }
    }
}

TEST_CASE("ch06: a result that no kernel wrote is wrong, in every row") {
    for (const bool distinct : {false, true}) {
        Options options;
        options.n = 5000;
        Question question;
        question.distinct = distinct;
        question.index = true;
        TopKExperiment<int> chapter(options, question, stages<int>(), scratch_sizes,
                                    {threshold_blocks, kThresholdThreads});
        chapter.prepare(options);
        for (std::size_t row = 0; row < chapter.rows().size(); ++row) {
            INFO(chapter.rows()[row].name);
            chapter.reset(0);
            CHECK_FALSE(chapter.check(row, 0).ok);
            chapter.run(row, 0);
            const Verdict verdict = chapter.check(row, 0);
            CHECK_MESSAGE(verdict.ok, verdict.message);
        }
    }
}

TEST_CASE("ch06: k = 0 and n = 0 are answered") {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1000}}) {
        for (const std::size_t k : {std::size_t{0}, std::size_t{20}}) {
            if (n > 0 && k > 0) continue;
            Options options;
            options.n = n;
            Question question;
            question.k = k;
            TopKExperiment<float> chapter(options, question, stages<float>(), scratch_sizes,
                                          {threshold_blocks, kThresholdThreads});
            chapter.prepare(options);
            for (std::size_t row = 0; row < chapter.rows().size(); ++row) {
                INFO(chapter.rows()[row].name << ", n = " << n << ", k = " << k);
                chapter.reset(0);
                chapter.run(row, 0);
                const Verdict verdict = chapter.check(row, 0);
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    }
}

TEST_CASE("ch06: about k(1 + ln(n/k)) keys pass in random order") {
    CHECK(expected_passes(10, 20, 1) == 10);
    CHECK(expected_passes(1e6, 20, 1) == doctest::Approx(236.4).epsilon(0.001));
    CHECK(expected_passes(1000, 20, 256) == doctest::Approx(256 + 20 + 10 + 232 * 20 / 768.0));
    const std::size_t n = 100003;
    double counted = 0;
    constexpr int kRuns = 20;
    for (int run = 0; run < kRuns; ++run) {
        std::vector<KeyIndex> top(20, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto key = static_cast<int>(random_bits(run + 100, i) >> 32);
            counted += insert_on_host(top.data(), 20,
                                      key_index_of(key, i, KeyOrder<int>::order_mask(true)), false);
        }
    }
    // About as many as a Poisson number of that mean: four standard errors of the mean of 20.
    const double expected = expected_passes(n, 20, 1);
    CHECK(std::abs(counted / kRuns - expected) < 4 * std::sqrt(expected / kRuns));
}

TEST_CASE("ch06: every device holds a block with each of the sets that it uses") {
    std::vector<DeviceInfo> devices = known_devices();
    devices.push_back(device_info());
    for (const DeviceInfo& device : devices) {
        INFO(device.name);
        const auto blocks = [&](auto set) {
            return blocks_held(device, kThreads, decltype(set)::kBytes + sizeof(BlockState));
        };
        CHECK(blocks(CandidateSet<false, kSlotsForSmallK>{}) >= kBlocksPerSm);
        CHECK(blocks(CandidateSet<true, kSlotsForSmallK>{}) >= kBlocksPerSm);
        CHECK(blocks(CandidateSet<false, kSlotsForLargeK>{}) >= 1);
        CHECK(blocks(CandidateSet<true, kSlotsForLargeK>{}) >= 1);
        CHECK(kListThreads * kMaxListK * sizeof(KeyIndex) <= 48 * 1024);  // without a request
    }
}

TEST_CASE_TEMPLATE("ch06: segments of every size", Key, int, float) {
    // Fewer keys than best() cuts in this way: the emulator is slow.
    const auto check = [](auto reads, auto warps_per_segment) {
        constexpr unsigned kReads = decltype(reads)::value;
        constexpr unsigned kWarpsPerSegment = decltype(warps_per_segment)::value;
        const unsigned part = kReads * kSegmentRow;  // of a warp
        const TopK<Key> launcher = {
            [](const TopKParams<Key>& params) {
                segment_lead_kernel<Key, kReads, kWarpsPerSegment>
                    <<<(params.n - 1) / (kWarps * kReads * kSegmentRow) + 1, kThreads>>>(params);
                CUDA_CHECK_LAUNCH();
            },
            kMaxSegmentK};
        for (const char* kind :
             {"random", "sorted", "reversed", "equal", "sixteen", "extremes", "special"}) {
            for (const unsigned n : {1u, 33u, part - 1, part, part + 1, kWarps * part + 5,
                                     2 * kWarps * part, 5 * kWarps * part - 1}) {
                Problem<Key> problem(make_input<Key>(kind, n, n));
                for (const unsigned k : {1u, 20u, kMaxSegmentK}) {
                    for (const bool smallest : {false, true}) {
                        if (!asks<Key>(smallest + k)) continue;
                        INFO(kReads << " reads, " << kWarpsPerSegment << " warps, " << kind
                                    << ", n = " << n << ", k = " << k
                                    << (smallest ? ", smallest" : ""));
                        const Verdict verdict =
                            problem.answers({{"segments", ""}, launcher}, k, false, smallest);
                        CHECK_MESSAGE(verdict.ok, verdict.message);
                    }
                }
            }
        }
    };
    const std::integral_constant<unsigned, 1> one;
    check(one, one);
    check(std::integral_constant<unsigned, 2>(), one);
    check(std::integral_constant<unsigned, 4>(), one);
    const std::integral_constant<unsigned, kMaxReads> eight;
    check(eight, one);
    check(eight, std::integral_constant<unsigned, kMaxWarpsPerSegment>());
}

TEST_CASE("ch06: segments that are read whole, of every size") {
    const auto check = [](auto reads) {
        constexpr unsigned kReads = decltype(reads)::value;
        const unsigned segment = kMaxWarpsPerSegment * kReads * kSegmentRow;
        const TopK<int> launcher = {
            [](const TopKParams<int>& params) {
                segment_maxima_kernel<int, kReads>
                    <<<(params.n - 1) / (kWarps * kReads * kSegmentRow) + 1, kThreads>>>(params);
                CUDA_CHECK_LAUNCH();
            },
            kMaxSegmentK};
        for (const char* kind : {"random", "sorted", "equal", "extremes"}) {
            for (const unsigned n :
                 {1u, 33u, segment - 1, segment, segment + 1, 4 * segment + 5, 20 * segment - 1}) {
                Problem<int> problem(make_input<int>(kind, n, n));
                for (const unsigned k : {1u, 20u, kMaxSegmentK}) {
                    INFO(kReads << " reads, " << kind << ", n = " << n << ", k = " << k);
                    const Verdict verdict =
                        problem.answers({{"segments", ""}, launcher}, k, false, k == 20);
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    };
    check(std::integral_constant<unsigned, 1>());
    check(std::integral_constant<unsigned, 2>());
    check(std::integral_constant<unsigned, 4>());
    check(std::integral_constant<unsigned, kMaxReads>());
}

TEST_CASE("ch06: more summaries than a block asks for at once") {
    const TopK<int> launcher = {
        [](const TopKParams<int>& params) {
            const unsigned blocks = (params.n - 1) / (kWarps * kSegmentRow) + 1;
            segment_lead_kernel<int, 1, kMaxWarpsPerSegment><<<blocks, kThreads>>>(params);
            CUDA_CHECK_LAUNCH();
        },
        kMaxSegmentK};
    const unsigned n = 300 * kWarps * kSegmentRow - 77;
    for (const char* kind : {"random", "sorted", "reversed", "equal", "sixteen"}) {
        Problem<int> problem(make_input<int>(kind, n, n));
        for (const unsigned k : {1u, 20u, kMaxSegmentK}) {
            INFO(kind << ", k = " << k);
            for (int run = 0; run < 2; ++run) {  // the first leaves the summaries as it found them
                const Verdict verdict =
                    problem.answers({{"segments", ""}, launcher}, k, false, false);
                CHECK_MESSAGE(verdict.ok, verdict.message);
            }
        }
    }
}

// Key i of n, where a segment has `segment` keys.
// A thread of block 0 takes every kThreads-th summary, and its neighbours are in its group. Here
// only a few neighbours have the best segments, and their groups give block 0 too low a threshold.
int in_few_groups(unsigned i, unsigned segment) {
    return (512 - static_cast<int>(i / segment % kThreads)) * 1000 +
           static_cast<int>(i * 7919u % 1000);
}
// The best value is in every segment, but only in a few rows: too few for a threshold at once.
int in_every_segment(unsigned i, unsigned /*segment*/) {
    return i % 251 == 17 ? 1000000 : static_cast<int>(i * 7919u % 1000003);
}
// The same, but each of these is better than the one before, and only the last segments count.
int rising_in_every_segment(unsigned i, unsigned /*segment*/) {
    return i % 251 == 17 ? 1000000 + static_cast<int>(i) : static_cast<int>(i * 7919u % 1000003);
}

TEST_CASE("ch06: segments whose best keys are in unfavourable places") {
    const auto check = [](auto reads, auto warps_per_segment, unsigned blocks) {
        constexpr unsigned kReads = decltype(reads)::value;
        constexpr unsigned kWarpsPerSegment = decltype(warps_per_segment)::value;
        const TopK<int> launcher = {
            [](const TopKParams<int>& params) {
                segment_lead_kernel<int, kReads, kWarpsPerSegment>
                    <<<(params.n - 1) / (kWarps * kReads * kSegmentRow) + 1, kThreads>>>(params);
                CUDA_CHECK_LAUNCH();
            },
            kMaxSegmentK};
        for (const auto key : {in_few_groups, in_every_segment, rising_in_every_segment}) {
            std::vector<int> keys(blocks * kWarps * kReads * kSegmentRow);
            for (unsigned i = 0; i < keys.size(); ++i) {
                keys[i] = key(i, kWarpsPerSegment * kReads * kSegmentRow);
            }
            Problem<int> problem(keys);
            for (const unsigned k : {1u, 20u, kMaxSegmentK}) {
                INFO(kReads << " reads, " << kWarpsPerSegment << " warps, k = " << k);
                for (int run = 0; run < 2;
                     ++run) {  // the first leaves the summaries as it found them
                    const Verdict verdict =
                        problem.answers({{"segments", ""}, launcher}, k, false, false);
                    CHECK_MESSAGE(verdict.ok, verdict.message);
                }
            }
        }
    };
    const std::integral_constant<unsigned, 1> one;
    const std::integral_constant<unsigned, kMaxReads> eight;
    const std::integral_constant<unsigned, kMaxWarpsPerSegment> four;
    check(one, one, 32);
    check(one, four, 200);
    check(eight, one, 32);
    check(eight, four, 40);
}

TEST_CASE("ch06: the chapter's own options") {
    CHECK(run_chapter({"--n", "3000", "--k", "5", "--distinct", "--index"}) == 0);
    CHECK(run_chapter({"--n", "3000", "--type", "float", "--smallest", "--input", "special"}) == 0);
    CHECK(run_chapter({"--n", "3000", "--k", "1024", "--adversarial", "giants"}) == 0);
    CHECK(run_chapter({"--n", "0"}) == 0);
    CHECK(run_chapter({"--n", "10", "--k", "0"}) == 0);
    CHECK(run_chapter({"--n", "10", "--k", "20", "--distinct", "--input", "two"}) == 0);
    CHECK(run_chapter({"--list"}) == 0);
    CHECK(run_chapter({"--n", "3001", "--k", "1501", "--index"}) == 0);
    CHECK(run_chapter({"--n", "3000", "--k", "5000", "--smallest", "--type", "float"}) == 0);
    CHECK(run_chapter({"--n", "3000", "--k", "1025", "--distinct"}) == 2);
    CHECK(run_chapter({"--n", "3000", "--distinct", "--stage", "radix_select"}) == 2);
    CHECK(run_chapter({"--n", "3000", "--k", "1025", "--stage", "one_read"}) == 2);
    CHECK(run_chapter({"--k", "-1"}) == 2);
    CHECK(run_chapter({"--adversarial", "nasty"}) == 2);
    CHECK(run_chapter({"--type", "double"}) == 2);
    CHECK(run_chapter({"--n", "1000", "--k", "33", "--stage", "insert"}) == 2);
    CHECK(run_chapter({"--n", "1000", "--type", "float", "--stage", "one_launch"}) == 2);
    CHECK(run_chapter({"--n", "1000", "--index", "--stage", "digit_passes"}) == 2);
}
