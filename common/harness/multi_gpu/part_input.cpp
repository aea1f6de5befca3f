#include "part_input.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <type_traits>

#include "../inputs.hpp"
#include "../key_order.hpp"
#include "../options.hpp"

namespace tutorial {

const std::vector<std::string>& part_input_kinds() {
    static const std::vector<std::string> kinds = {"random",   "sorted",  "reversed",
                                                   "equal",    "two",     "sixteen",
                                                   "extremes", "special", "large_first"};
    return kinds;
}

void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& work) {
    constexpr std::size_t kLeast = std::size_t{1} << 16;
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t pieces = std::clamp<std::size_t>(count / kLeast, 1, cores);
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < pieces; ++i) {
        threads.emplace_back([&, i] { work(count * i / pieces, count * (i + 1) / pieces); });
    }
    work(0, count / pieces);
    for (std::thread& thread : threads) thread.join();
}

std::uint64_t multiset_checksum(std::size_t count,
                                const std::function<std::uint64_t(std::size_t)>& value) {
    std::uint64_t sum = 0;
    std::mutex mutex;
    in_parallel(count, [&](std::size_t begin, std::size_t end) {
        std::uint64_t mine = 0;
        // A sum of mixed values: it changes if an item is lost, doubled or changed.
        for (std::size_t i = begin; i < end; ++i) mine += random_bits(0x6d736574, value(i));
        const std::lock_guard<std::mutex> lock(mutex);
        sum += mine;
    });
    return sum;
}

template <class T>
std::vector<T> make_part(const std::string& kind, std::size_t n, std::uint64_t seed, Share share) {
    std::vector<T> items(share.count);
    const auto fill = [&](const auto& item) {
        in_parallel(share.count, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) items[i] = item(share.begin + i);
        });
    };
    /// The i-th of n values that are evenly spaced over the type's range.
    const auto spaced = [n](std::size_t i) -> T {
        const double part = n < 2 ? 0.0 : static_cast<double>(i) / static_cast<double>(n - 1);
        if constexpr (std::is_floating_point_v<T>) {
            return static_cast<T>(2.0 * part - 1.0);
        } else {
            return key_from_ordered_int<T>(static_cast<int>(4294967295.0 * part - 2147483648.0));
        }
    };
    if (kind == "sorted") {
        fill(spaced);
    } else if (kind == "reversed") {
        fill([&](std::size_t i) { return spaced(n - 1 - i); });
    } else if (kind == "large_first") {
        fill([&](std::size_t i) {
            const std::size_t quarter = n / 4;
            const std::size_t place =
                static_cast<std::size_t>(random_bits(seed, i) % std::max<std::size_t>(n, 1));
            return i < quarter ? spaced(n - 1 - place / 8) : spaced(place / 2);
        });
    } else {
        in_parallel(share.count, [&](std::size_t begin, std::size_t end) {
            const std::vector<T> piece =
                make_input_part<T>(kind, seed, share.begin + begin, end - begin);
            std::copy(piece.begin(), piece.end(),
                      items.begin() + static_cast<std::ptrdiff_t>(begin));
        });
    }
    return items;
}

template std::vector<int> make_part(const std::string&, std::size_t, std::uint64_t, Share);
template std::vector<unsigned> make_part(const std::string&, std::size_t, std::uint64_t, Share);
template std::vector<float> make_part(const std::string&, std::size_t, std::uint64_t, Share);

}  // namespace tutorial
