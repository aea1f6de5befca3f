// The order that the host, its streams and its waits create: which kernels and copies have
// certainly ended when another one begins, or when the host uses their memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/for_observers.hpp"

namespace lab {

/// How many operations of each stream have certainly ended, by the stream's number.
using StreamClock = std::vector<std::uint32_t>;

/// A kernel or a copy.
struct StreamOperation {
    std::uint32_t stream = 0, number = 0;  ///< its place in its stream, from 1
    std::string what;                      ///< "kernel add", "cudaMemcpyAsync"
    emulator::Site site;                   ///< of the call
};

class StreamOrder {
  public:
    /// The host gives work to a stream (null: the default stream). Returns the operation's index,
    /// from 1.
    std::uint32_t begin(const void* stream, std::string what, emulator::Site site);

    /// The host waits, or makes a stream wait.
    void call(emulator::StreamCall call, const void* stream, const void* event);

    /// The host has seen a value that this operation wrote, while it may still run.
    void tell(std::uint32_t operation) { merge(told_, clocks_[operation - 1]); }

    /// Says that the host waits for this operation.
    void finish(std::uint32_t operation);

    /// Whether it has ended before the newest operation begins, or before what the host does now.
    bool is_before_newest(std::uint32_t operation) const;
    bool is_before_host(std::uint32_t operation) const;

    /// Whether all that the host knows about this operation is what the operation has signalled.
    bool is_only_told(std::uint32_t operation) const;

    /// Why a wait of an operation's stream for an event has no effect; empty: it has made none.
    std::string wait_in_vain(std::uint32_t stream) const {
        const auto found = waits_in_vain_.find(stream);
        return found != waits_in_vain_.end() ? found->second : std::string();
    }
    /// Whether the stream has waited for an event in the operation's stream that was recorded
    /// before the operation.
    bool waits_too_early(std::uint32_t stream, const StreamOperation& operation) const {
        const auto found = waits_.find({stream, operation.stream});
        return found != waits_.end() && found->second < operation.number;
    }
    /// Whether the stream has waited for an event that was recorded in neither of the two streams.
    bool waits_for_other(std::uint32_t stream, const StreamOperation& operation) const {
        return std::any_of(waits_.begin(), waits_.end(), [&](const auto& each) {
            return each.first.first == stream && each.first.second != stream &&
                   each.first.second != operation.stream;
        });
    }
    /// Whether the stream has waited for an event that was recorded after the operation, but later
    /// again elsewhere.
    bool waits_for_last_record(std::uint32_t stream, const StreamOperation& operation) const {
        const auto found = replaced_waits_.find(stream);
        return found != replaced_waits_.end() && holds(found->second, operation);
    }
    /// True once anything was given to a stream other than the default one.
    bool has_streams() const { return has_streams_; }
    /// True once a function of the host has run in a stream.
    bool has_host_functions() const { return has_host_functions_; }
    /// Whether one runs now.
    bool is_in_host_function() const { return !functions_.empty(); }

    /// Memory is used in epochs: each kernel and each copy has one, and each grid-wide barrier
    /// begins another epoch of the same kernel. 0: the host's, in between.
    std::uint32_t epoch() const { return epoch_; }
    /// The number of epochs so far.
    std::size_t epoch_count() const { return operation_of_epoch_.size(); }
    std::uint32_t new_epoch(std::uint32_t operation);
    void continue_epoch() { new_epoch(index_of_epoch(epoch_)); }
    std::uint32_t index_of_epoch(std::uint32_t epoch) const { return operation_of_epoch_[epoch]; }
    const StreamOperation& operation(std::uint32_t index) const { return operations_[index - 1]; }
    const StreamOperation& operation_of_epoch(std::uint32_t epoch) const {
        return operation(index_of_epoch(epoch));
    }
    /// Whether a kernel or a copy that used memory in this epoch (0: none) may still run when the
    /// newest one does.
    bool is_pending_use(std::uint32_t epoch) const {
        return epoch != 0 && !is_before_newest(index_of_epoch(epoch));
    }
    /// The same for what the host does now.
    bool is_pending_for_host(std::uint32_t epoch) const {
        return epoch != 0 && !is_before_host(index_of_epoch(epoch));
    }

  private:
    std::uint32_t number_of(const void* stream);
    static void merge(StreamClock& into, const StreamClock& from);
    static bool holds(const StreamClock& clock, const StreamOperation& operation);

    std::map<const void*, std::uint32_t> numbers_;
    std::vector<StreamClock> streams_;  ///< what comes before the next operation of each
    std::vector<bool> blocks_;          ///< whether it and the default stream wait for each other
    std::map<const void*, StreamClock> events_;
    std::map<const void*, StreamClock> replaced_;  ///< of events: what earlier records stood for
    std::map<std::uint32_t, StreamClock> replaced_waits_;  ///< the same of those waited for
    std::map<const void*, std::uint32_t> recorded_in_;     ///< the streams of events
    std::map<std::uint32_t, std::string> waits_in_vain_;   ///< of streams, and why
    /// By the stream that waits and the one in which the event was recorded: after how many of its
    /// operations.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> waits_;
    std::vector<StreamOperation> operations_;
    std::vector<StreamClock> clocks_;  ///< by operation: what ended before it, and itself
    StreamClock host_;
    std::vector<StreamClock> functions_;  ///< of functions of the host that run in a stream now
    /// Of those that have ended. Host code that waits for a flag set by one of them, or runs in a
    /// thread started by one, comes after what that function came after. The lab sees neither, so
    /// it orders everything on the host after them.
    StreamClock told_;
    bool has_streams_ = false, has_host_functions_ = false;
    std::uint32_t epoch_ = 0;
    std::vector<std::uint32_t> operation_of_epoch_;  ///< the kernel or copy of each; 0: none
};

}  // namespace lab
