#include "counts.hpp"

#if GRADING_HAS_LAB

#include <algorithm>
#include <cmath>
#include <set>

#include "../../harness/fmt.hpp"
#include "machine.hpp"

namespace grading {
namespace {

double ratio(std::uint64_t sum, std::uint64_t count) {
    return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
}

/// An atomic operation reads and writes: it does not evade a bar on loads or on stores.
lab::Traffic total(const lab::Report& report, lab::Space space, lab::Operation operation) {
    lab::Traffic sum;
    for (const lab::KernelReport& kernel : report.kernels) {
        sum += kernel.total(space, operation);
        if (operation != lab::Operation::atomic) {
            sum += kernel.total(space, lab::Operation::atomic);
        }
    }
    return sum;
}

double sum_of(const lab::Report& report, std::uint64_t lab::KernelReport::*member) {
    std::uint64_t sum = 0;
    for (const lab::KernelReport& kernel : report.kernels) sum += kernel.*member;
    return static_cast<double>(sum);
}

double most_of(const lab::Report& report, std::uint64_t lab::KernelReport::*member) {
    std::uint64_t most = 0;
    for (const lab::KernelReport& kernel : report.kernels) most = std::max(most, kernel.*member);
    return static_cast<double>(most);
}

/// Whole numbers as they are, others with two digits.
std::string number(double value) {
    return value == std::floor(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
}

/// What is moved in all launches: the maximum of each launch, summed.
lab::Moved moved_in_all(const lab::Report& report, int move) {
    lab::Moved sum;
    for (const lab::KernelReport& kernel : report.kernels) {
        sum.most += kernel.moved[move].most;
        sum.threads += kernel.moved[move].threads;
        sum.bytes += kernel.moved[move].bytes;
    }
    return sum;
}

/// What the busiest thread has moved, divided by what the average one has, in launches of equally
/// many threads.
double evenness(const lab::Moved& moved, const lab::Report& report) {
    return static_cast<double>(moved.most) * threads(report) /
           std::max(1.0, launches(report) * static_cast<double>(moved.bytes));
}

constexpr double kSector = 32.0;

}  // namespace

lab::Report Counts::count(const std::function<void()>& run, const std::function<void()>& reset) {
    require_compared();
    // The lab either looks for faults or counts, and code may be right only at other sizes.
    run();
    step();
    if (reset) reset();
    lab::Report report = detail::machine().count(run, reset, followed_, followed_bytes_);
    are_values_compared_ = false;
    step();
    if (report.kernels.empty()) fail("count", "No kernel was launched.");
    for (const lab::KernelReport& kernel : report.kernels) {
        if (!kernel.notice.empty()) {
            fail("count", fmt::format("{} could not be counted: {}", kernel.name, kernel.notice));
        }
    }
    return report;
}

void Counts::end() {
    require_compared();
    Checks::end();
}

void Counts::require_compared() const {
    if (!are_values_compared_) throw detail::GraderError{"it counts what it does not compare"};
}

void Counts::hold(const Bar& bar, const std::string& wrong, const std::string& think) {
    measured();
    const auto is_same = [&](const Bar& each) { return each.what == bar.what; };
    const auto before = std::find_if(bars_.begin(), bars_.end(), is_same);
    if (before == bars_.end()) {
        bars_.push_back(bar);
    } else {
        *before = bar;
    }
    if (bar.is_met) return;
    fail("count", fmt::format("{}: {}; {}.\n{}", bar.what, number(bar.measured), wrong, think));
}

void Counts::at_most(const std::string& what, double measured, double bar,
                     const std::string& think) {
    hold({what, measured, "at most", bar, measured <= bar},
         fmt::format("at most {} is allowed", number(bar)), think);
}

void Counts::at_least(const std::string& what, double measured, double bar,
                      const std::string& think) {
    hold({what, measured, "at least", bar, measured >= bar},
         fmt::format("at least {} is required", number(bar)), think);
}

void Counts::exactly(const std::string& what, double measured, double bar,
                     const std::string& think) {
    hold({what, measured, "exactly", bar, measured == bar},
         fmt::format("{} is required", number(bar)), think);
}

void Counts::shares(const lab::Report& report, const Share& share, const std::string& think) {
    const bool is_load = share.operation == lab::Operation::load;
    const std::string memory = share.followed ? fmt::format("{} the array", is_load ? "from" : "in")
                                              : fmt::format("{} {} memory", is_load ? "from" : "in",
                                                            lab::text(share.space));
    const std::string verb = is_load ? "load" : "store";
    const std::string items =
        share.bytes == 1 ? "bytes" : fmt::format("items of {:.0f} bytes", share.bytes);
    const lab::Moved moved =
        moved_in_all(report, share.followed ? lab::move_of_followed(share.operation)
                                            : lab::move_of(share.space, share.operation));
    at_most(fmt::format("{} that the busiest thread {}s {}", items, verb, memory),
            static_cast<double>(moved.most) / share.bytes, share.each, think);
    at_least(fmt::format("{} that all threads {} {}", items, verb, memory),
             static_cast<double>(moved.bytes) / share.bytes, share.all, think);
    at_least(fmt::format("threads that {} {}", verb, memory), static_cast<double>(moved.threads),
             share.threads, think);
}

void Counts::even_shares(const lab::Report& report, double most, const std::string& think) {
    at_most(
        "bytes of the array that the busiest thread loads, divided by those of the average thread",
        evenness(moved_in_all(report, lab::move_of_followed(lab::Operation::load)), report), most,
        think);
}

void Counts::even_loads(const lab::Report& report, lab::Space space, double most,
                        const std::string& think) {
    at_most(fmt::format("bytes that the busiest thread loads from {} memory, divided by those of "
                        "the average thread",
                        lab::text(space)),
            evenness(moved_in_all(report, lab::move_of(space, lab::Operation::load)), report), most,
            think);
}

lab::Report only(const lab::Report& report, const std::string& kernel) {
    lab::Report part;
    for (const lab::KernelReport& each : report.kernels) {
        if (each.name.rfind(kernel, 0) == 0) part.kernels.push_back(each);
    }
    return part;
}

double sectors_per_request(const lab::Report& report) {
    const lab::Traffic all = report.total(lab::Space::global);
    return ratio(all.sectors, all.requests);
}

double sectors_per_request(const lab::Report& report, lab::Operation operation) {
    const lab::Traffic all = total(report, lab::Space::global, operation);
    return ratio(all.sectors, all.requests);
}

double wavefronts_per_request(const lab::Report& report) {
    const lab::Traffic all = report.total(lab::Space::shared);
    return ratio(all.wavefronts, all.requests);
}

double wavefronts_per_request(const lab::Report& report, lab::Operation operation) {
    const lab::Traffic all = total(report, lab::Space::shared, operation);
    return ratio(all.wavefronts, all.requests);
}

double requests(const lab::Report& report, lab::Space space) {
    return static_cast<double>(report.total(space).requests);
}

double requests(const lab::Report& report, lab::Space space, lab::Operation operation) {
    return static_cast<double>(total(report, space, operation).requests);
}

double lanes(const lab::Report& report, lab::Space space, lab::Operation operation) {
    return static_cast<double>(total(report, space, operation).lanes);
}

double bytes_moved(const lab::Report& report) {
    return kSector * static_cast<double>(report.total(lab::Space::global).sectors);
}

double bytes_moved(const lab::Report& report, lab::Operation operation) {
    return kSector * static_cast<double>(total(report, lab::Space::global, operation).sectors);
}

double dynamic_shared_bytes(const lab::Report& report) {
    std::uint64_t most = 0;
    for (const lab::KernelReport& kernel : report.kernels) {
        for (const lab::Shape& shape : kernel.shapes) {
            most = std::max<std::uint64_t>(most, shape.dynamic_bytes);
        }
    }
    return static_cast<double>(most);
}

double launches(const lab::Report& report) { return sum_of(report, &lab::KernelReport::launches); }
double blocks(const lab::Report& report) { return sum_of(report, &lab::KernelReport::blocks); }
double threads(const lab::Report& report) { return sum_of(report, &lab::KernelReport::threads); }
double barriers(const lab::Report& report) { return sum_of(report, &lab::KernelReport::barriers); }
double barriers_per_block(const lab::Report& report) {
    const double all = blocks(report);
    return all == 0 ? 0.0 : barriers(report) / all;
}
double exchanges(const lab::Report& report) {
    return sum_of(report, &lab::KernelReport::exchanges);
}
double most_exchanges(const lab::Report& report) {
    return most_of(report, &lab::KernelReport::most_exchanges);
}
double warp_barriers(const lab::Report& report) {
    return sum_of(report, &lab::KernelReport::warp_barriers);
}
double shuffle_values(const lab::Report& report) {
    return sum_of(report, &lab::KernelReport::shuffle_values);
}
double left_in_shared(const lab::Report& report) {
    return sum_of(report, &lab::KernelReport::left_in_shared);
}
double states(const lab::Report& report) { return sum_of(report, &lab::KernelReport::states); }
double states(const std::vector<std::vector<int>>& contents) {
    std::set<std::uint32_t> known;
    double sum = 0;
    for (const std::vector<int>& words : contents) {
        std::uint32_t state = 0;
        for (std::uint32_t i = 0; i < words.size(); ++i) {
            state += static_cast<std::uint32_t>(words[i]) * (i + 1);
        }
        if (known.insert(state).second && known.size() > 1) sum += state;
    }
    return sum;
}
double atomics(const lab::Report& report) { return sum_of(report, &lab::KernelReport::atomics); }

double longest_thread(const lab::Report& report) {
    return most_of(report, &lab::KernelReport::longest_thread);
}

double most_loaded(const lab::Report& report, lab::Space space) {
    return static_cast<double>(
        moved_in_all(report, lab::move_of(space, lab::Operation::load)).most);
}

double bytes(const lab::Report& report, lab::Space space, lab::Operation operation) {
    return static_cast<double>(total(report, space, operation).bytes);
}

double busiest_thread(const lab::Report& report) {
    return longest_thread(report) * threads(report) /
           std::max(1.0, sum_of(report, &lab::KernelReport::lane_steps));
}

}  // namespace grading

#endif
