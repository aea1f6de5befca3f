// A queue of thread numbers of one block. It never holds a thread twice, so it never overflows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace emulator {

class Ring {
  public:
    bool empty() const { return head_ == tail_; }
    void clear() { head_ = tail_ = 0; }
    void push(std::uint16_t number) { items_[tail_++ % kSize] = number; }
    std::uint16_t front() const { return items_[head_ % kSize]; }
    std::uint16_t pop() { return items_[head_++ % kSize]; }

  private:
    static constexpr std::size_t kSize = 1024;
    std::array<std::uint16_t, kSize> items_;
    std::size_t head_ = 0, tail_ = 0;
};

}  // namespace emulator
