// What a thread did, in order: one word per event.
#pragma once

#include <cstddef>
#include <cstdint>

#include "access_sites.hpp"

namespace lab {

/// Bits 0 to 15: the site; above them, the address used, or the address from which a function was
/// called.
using Event = std::uint64_t;

constexpr Event make_event(SiteId site, std::uintptr_t address) {
    return static_cast<Event>(address) << 16 | site;
}
constexpr SiteId site_of(Event event) { return static_cast<SiteId>(event); }
constexpr std::uintptr_t address_of(Event event) { return event >> 16; }

/// One thread's events since they were last processed. Keeps its memory when it is emptied. All
/// records together take at most 1 GB (unless TUTORIAL_LAB_MEMORY_MB says otherwise); events beyond
/// that are lost.
class Record {
  public:
    Record() = default;
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;
    Record(Record&& other) noexcept
        : at_(other.at_), begin_(other.begin_), end_(other.end_), is_lost_(other.is_lost_) {
        other.begin_ = other.at_ = other.end_ = nullptr;
    }
    ~Record() { release(); }

    void add(Event event) {
        if (at_ == end_) grow();
        *at_++ = event;
    }

    /// Ends it with an event without a site, and returns the first event.
    const Event* close() {
        add(make_event(kNoSite, 0));
        return begin_;
    }

    /// For the code that writes events into it: where the next one goes, and where the space ends.
    Event* at() const { return at_; }
    Event* end() const { return end_; }
    void ends_at(Event* at) { at_ = at; }

    bool empty() const { return at_ == begin_; }
    std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }
    /// True: there was no room for all events, and those that are there mean nothing.
    bool is_lost() const { return is_lost_; }

    void clear();

  private:
    void grow();
    void release();

    Event* at_ = nullptr;
    Event* begin_ = nullptr;  // between the two for the reason given in recorder.hpp, Running
    Event* end_ = nullptr;
    bool is_lost_ = false;
};

}  // namespace lab
