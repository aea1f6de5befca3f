// Compares what the lab counts with bars. Only if there is a lab (GRADING_HAS_LAB).
#pragma once

#if GRADING_HAS_LAB

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../../lab/include/lab/lab.hpp"
#include "answers.hpp"
#include "device_array.hpp"
#include "verdict.hpp"

namespace grading {

/// The phase that counts. The same checks as in the phase of answers.
class Counts : public Checks {
  public:
    using Checks::Checks;

    /// What the kernels launched by `run` do. `run` is called twice or more, first to look for
    /// faults, with `reset` before each but the first, and must do the same each time. Fails if no
    /// kernel was launched, if one could not be counted whole, or if the emulator reports an error.
    /// The results of `run` must be compared before the next count; otherwise the grader itself is
    /// wrong.
    lab::Report count(const std::function<void()>& run, const std::function<void()>& reset = {});

    /// From here on count() also counts by itself what threads move to and from this array, for
    /// shares() of `followed`: the others' addresses, counters and results do not widen its bars.
    /// states() needs it.
    template <class T>
    void follow(const DeviceArray<T>& array) {
        followed_ = array.data();
        followed_bytes_ = array.size() * sizeof(T);
    }

    /// Fail with the reason `count` and the two numbers. `think`: a hint.
    void at_most(const std::string& what, double measured, double bar, const std::string& think);
    void at_least(const std::string& what, double measured, double bar, const std::string& think);
    void exactly(const std::string& what, double measured, double bar, const std::string& think);

    /// Checks that the work is done, and shared: items of `bytes` bytes in one kind of memory, of
    /// which no thread loads (stores) more than `each`, and all together at least `all`, by
    /// `threads` threads or more. Code that moves nothing would pass a bar only on traffic, and
    /// code without a loop one on steps. An atomic operation is both a load and a store.
    struct Share {
        lab::Space space;
        lab::Operation operation;
        double bytes, each, all, threads;
        bool followed = false;  ///< of the array that follow() has named, and no other memory
    };
    void shares(const lab::Report& report, const Share& share, const std::string& think);
    /// What the busiest thread loads, divided by what the average thread loads, is at most `most`:
    /// 1 if all do the same, however often each of them reads. For the array that is followed, or
    /// for a whole space. In launches of equally many threads.
    void even_shares(const lab::Report& report, double most, const std::string& think);
    void even_loads(const lab::Report& report, lab::Space space, double most,
                    const std::string& think);

    /// As Checks::end().
    void end();

    /// The numbers compared with bars; if one was compared several times, the last of these.
    const std::vector<Bar>& bars() const { return bars_; }

  private:
    void require_compared() const;
    void hold(const Bar& bar, const std::string& wrong, const std::string& think);

    std::vector<Bar> bars_;
    const void* followed_ = nullptr;
    std::size_t followed_bytes_ = 0;
};

/// The kernels whose names begin with `kernel`.
lab::Report only(const lab::Report& report, const std::string& kernel);

/// Below, atomic operations also count as loads and as stores.

/// Global memory: 32-byte sectors per request of a warp, on average; 0 if there are none.
double sectors_per_request(const lab::Report& report);
double sectors_per_request(const lab::Report& report, lab::Operation operation);

/// The bar for 32 adjacent words per request: 4 sectors, and sometimes one more, when a row begins
/// or ends within a sector.
constexpr double kNeighbouringWords = 4.1;

/// Shared memory: passes over the banks per request, on average; 0 if there are none.
double wavefronts_per_request(const lab::Report& report);
double wavefronts_per_request(const lab::Report& report, lab::Operation operation);

/// Threads that take part in these requests, once for each request.
double lanes(const lab::Report& report, lab::Space space, lab::Operation operation);

/// Requests of warps.
double requests(const lab::Report& report, lab::Space space);
double requests(const lab::Report& report, lab::Space space, lab::Operation operation);

/// Global memory: 32 bytes for each sector.
double bytes_moved(const lab::Report& report);
double bytes_moved(const lab::Report& report, lab::Operation operation);

/// Per block; the maximum over all launches.
double dynamic_shared_bytes(const lab::Report& report);

double launches(const lab::Report& report);
double blocks(const lab::Report& report);
double threads(const lab::Report& report);
double barriers(const lab::Report& report);  ///< __syncthreads and the like, once for each block
double barriers_per_block(const lab::Report& report);
double exchanges(const lab::Report& report);       ///< shuffles and votes, once for each group
double most_exchanges(const lab::Report& report);  ///< those of the thread with the most
double warp_barriers(const lab::Report& report);   ///< __syncwarp; likewise
/// What lanes pass to shuffles, and what blocks leave in static shared variables: sums over 32-bit
/// words, as KernelReport says. They show whether the task's data went there.
double shuffle_values(const lab::Report& report);
double left_in_shared(const lab::Report& report);
/// The states of shared memory and of the followed array, barrier by barrier, in launches of one
/// block: see KernelReport. They show whether an algorithm was carried out step by step.
double states(const lab::Report& report);
/// What states() is if an array of ints goes through these contents, beginning with the first.
double states(const std::vector<std::vector<int>>& contents);
double atomics(const lab::Report& report);         ///< once for each thread
double longest_thread(const lab::Report& report);  ///< steps of the thread with the most
/// Steps of the thread with the most, divided by those of the average thread: 1 if all do the same.
double busiest_thread(const lab::Report& report);

/// Bytes that the busiest thread of each launch loads; from global or from shared memory.
double most_loaded(const lab::Report& report, lab::Space space);
/// Bytes that all threads load (store) together.
double bytes(const lab::Report& report, lab::Space space, lab::Operation operation);

}  // namespace grading

#endif
