#include "links.hpp"

#include <algorithm>
#include <vector>

#include "../backend.hpp"
#include "../cuda_check.hpp"
#include "../timer.hpp"
#include "nccl_check.hpp"
#include "ranks.hpp"
#include "registered_buffer.hpp"

namespace tutorial {

Quartiles time_together(Ranks& ranks, int samples, const std::function<void()>& reset,
                        const std::function<void()>& work) {
    std::vector<double> seconds;
    for (int i = 0; i < samples; ++i) {
        reset();
        ranks.wait();
        ranks.barrier();
        CudaEvent start, stop;
        ranks.meet();
        start.record();
        work();
        stop.record();
        ranks.wait();
        seconds.push_back(ranks.largest(stop.seconds_since(start)));
    }
    std::sort(seconds.begin(), seconds.end());
    const auto at = [&](double part) {
        return seconds[static_cast<std::size_t>(part * static_cast<double>(seconds.size() - 1))];
    };
    return {at(0.5), at(0.25), at(0.75), samples};
}

namespace {

/// The time of one swap of `bytes` with both neighbours in a ring, as the mean of `times` in a row.
double swap_seconds(Ranks& ranks, RegisteredBuffer<char>& from, RegisteredBuffer<char>& to,
                    std::size_t bytes, int times) {
    const int next = (ranks.rank() + 1) % ranks.size();
    const int before = (ranks.rank() + ranks.size() - 1) % ranks.size();
    const auto swap = [&] {
        for (int i = 0; i < times; ++i) {
            NCCL_CHECK(ncclGroupStart());
            NCCL_CHECK(ncclSend(from.data(), bytes, ncclChar, next, ranks.comm(), nullptr));
            NCCL_CHECK(ncclRecv(to.data(), bytes, ncclChar, before, ranks.comm(), nullptr));
            NCCL_CHECK(ncclGroupEnd());
        }
    };
    swap();  // NCCL makes the connections of this pair
    return time_together(
               ranks, 9, [] {}, swap)
               .median /
           times;
}

}  // namespace

Links measure_links(Ranks& ranks) {
    Links links;
    if (ranks.size() == 1 || on_emulator()) return links;
    constexpr std::size_t kLarge = std::size_t{1} << 28;
    RegisteredBuffer<char> from(kLarge, ranks), to(kLarge, ranks);
    links.latency = swap_seconds(ranks, from, to, 8, 20);
    const double large = swap_seconds(ranks, from, to, kLarge, 4);
    links.bandwidth = static_cast<double>(kLarge) / std::max(large - links.latency, 1e-9);
    const auto reduce = [&] {
        for (int i = 0; i < 20; ++i) {
            NCCL_CHECK(ncclAllReduce(from.data(), to.data(), 1, ncclUint64, ncclSum, ranks.comm(),
                                     nullptr));
        }
    };
    links.reduce_latency = time_together(
                               ranks, 9, [] {}, reduce)
                               .median /
                           20;
    return links;
}

}  // namespace tutorial
