#include "record.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "emulator/for_observers.hpp"

namespace lab {
namespace {

/// TUTORIAL_LAB_MEMORY_MB: how much memory all records together may use.
std::size_t max_events() {
    static const std::size_t most = [] {
        const char* const text = std::getenv("TUTORIAL_LAB_MEMORY_MB");
        const double megabytes = text != nullptr ? std::atof(text) : 0.0;
        return static_cast<std::size_t>((megabytes > 0.0 ? megabytes : 1024.0) * 1048576.0) /
               sizeof(Event);
    }();
    return most;
}

constexpr std::size_t kMaxKept = 4096;  ///< events that an emptied record keeps room for

std::atomic<std::size_t> events_held{0};

}  // namespace

void Record::grow() {
    const emulator::ToolIsBusy busy;
    const std::size_t used = size();
    const std::size_t more = used == 0 ? 16 : 2 * used;
    if (used != 0 && events_held.load() + more - used > max_events()) {
        is_lost_ = true;
        at_ = begin_;
        return;
    }
    void* const memory = std::realloc(begin_, more * sizeof(Event));
    if (memory == nullptr) throw std::bad_alloc();
    events_held += more - used;
    begin_ = static_cast<Event*>(memory);
    at_ = begin_ + used;
    end_ = begin_ + more;
}

void Record::release() {
    events_held -= static_cast<std::size_t>(end_ - begin_);
    std::free(begin_);
    begin_ = at_ = end_ = nullptr;
}

void Record::clear() {
    is_lost_ = false;
    at_ = begin_;
    if (static_cast<std::size_t>(end_ - begin_) > kMaxKept) release();
}

}  // namespace lab
