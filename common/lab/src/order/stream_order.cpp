#include "stream_order.hpp"

#include <algorithm>
#include <utility>

namespace lab {

void StreamOrder::merge(StreamClock& into, const StreamClock& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

std::uint32_t StreamOrder::number_of(const void* stream) {
    // The two handles that stand for default streams are small numbers.
    if (reinterpret_cast<std::uintptr_t>(stream) < 16) stream = nullptr;
    if (numbers_.empty()) {
        numbers_[nullptr] = 0;
        streams_.emplace_back();
        blocks_.push_back(true);
    }
    const auto [known, fresh] =
        numbers_.try_emplace(stream, static_cast<std::uint32_t>(streams_.size()));
    if (fresh) {
        streams_.emplace_back();
        blocks_.push_back(true);
    }
    return known->second;
}

std::uint32_t StreamOrder::begin(const void* stream, std::string what, emulator::Site site) {
    const std::uint32_t number = number_of(stream);
    has_streams_ = has_streams_ || number != 0;
    StreamClock clock = streams_[number];
    merge(clock, host_);
    // The default stream waits for the others, and they for it.
    if (number == 0) {
        for (std::size_t i = 1; i < streams_.size(); ++i) {
            if (blocks_[i]) merge(clock, streams_[i]);
        }
    } else if (blocks_[number]) {
        merge(clock, streams_[0]);
    }
    if (clock.size() <= number) clock.resize(number + 1);
    operations_.push_back({number, ++clock[number], std::move(what), site});
    clocks_.push_back(clock);
    streams_[number] = std::move(clock);
    return static_cast<std::uint32_t>(operations_.size());
}

void StreamOrder::call(emulator::StreamCall call, const void* stream, const void* event) {
    using Call = emulator::StreamCall;
    switch (call) {
        case Call::created:
        case Call::created_non_blocking:
            numbers_.erase(stream);  // a handle may be used again
            blocks_[number_of(stream)] = call == Call::created;
            break;
        case Call::recorded:
            merge(replaced_[event], events_[event]);
            recorded_in_[event] = number_of(stream);
            events_[event] = streams_[number_of(stream)];
            merge(events_[event], host_);
            if (number_of(stream) == 0) {
                for (std::size_t i = 1; i < streams_.size(); ++i) {
                    if (blocks_[i]) merge(events_[event], streams_[i]);
                }
            }
            break;
        case Call::waits:
            if (events_.count(event) == 0) {
                waits_in_vain_[number_of(stream)] = "that was not recorded before";
            } else if (recorded_in_[event] == number_of(stream)) {
                waits_in_vain_[number_of(stream)] = "that was recorded in this stream itself";
            }
            merge(replaced_waits_[number_of(stream)], replaced_[event]);
            if (events_.count(event) != 0) {
                const std::uint32_t from = recorded_in_[event];
                const StreamClock& clock = events_[event];
                waits_[{number_of(stream), from}] = from < clock.size() ? clock[from] : 0;
            }
            merge(streams_[number_of(stream)], events_[event]);
            break;
        case Call::stream_synchronized: {
            const std::uint32_t number = number_of(stream);
            merge(host_, streams_[number]);
            for (std::size_t i = 1; number == 0 && i < streams_.size(); ++i) {
                if (blocks_[i]) merge(host_, streams_[i]);
            }
            break;
        }
        case Call::event_synchronized:
            merge(host_, events_[event]);
            break;
        case Call::device_synchronized:
            for (const StreamClock& each : streams_) merge(host_, each);
            break;
        case Call::host_function_begins: {
            StreamClock clock = streams_[number_of(stream)];
            if (number_of(stream) == 0) {
                for (std::size_t i = 1; i < streams_.size(); ++i) {
                    if (blocks_[i]) merge(clock, streams_[i]);
                }
            } else if (blocks_[number_of(stream)]) {
                merge(clock, streams_[0]);
            }
            functions_.push_back(std::move(clock));
            break;
        }
        case Call::host_function_ends:
            has_host_functions_ = true;
            if (functions_.empty()) break;
            merge(told_, functions_.back());
            functions_.pop_back();
            break;
    }
}

void StreamOrder::finish(std::uint32_t operation) { merge(host_, clocks_[operation - 1]); }

bool StreamOrder::holds(const StreamClock& clock, const StreamOperation& operation) {
    return operation.stream < clock.size() && clock[operation.stream] >= operation.number;
}

bool StreamOrder::is_before_newest(std::uint32_t operation) const {
    return operation == 0 || operation >= operations_.size() ||
           holds(clocks_.back(), operations_[operation - 1]);
}

bool StreamOrder::is_before_host(std::uint32_t operation) const {
    if (operation == 0) return true;
    const auto has = [&](const StreamClock& clock) {
        return holds(clock, operations_[operation - 1]);
    };
    return has(host_) || has(told_) || std::any_of(functions_.begin(), functions_.end(), has);
}

bool StreamOrder::is_only_told(std::uint32_t operation) const {
    return operation != 0 && holds(told_, operations_[operation - 1]) &&
           !holds(host_, operations_[operation - 1]) && functions_.empty();
}

std::uint32_t StreamOrder::new_epoch(std::uint32_t operation) {
    operation_of_epoch_.resize(++epoch_ + 1);
    operation_of_epoch_[epoch_] = operation;
    return epoch_;
}

}  // namespace lab
