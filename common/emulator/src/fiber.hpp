// A stack of its own for each CUDA thread that has to wait. Boost.Context does the switching.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdint>

namespace cpu {

struct Thread;

/// A stack, with a guard page below it unless there are very many. The fiber's body never ends:
/// between two CUDA threads it rests in its worker's pool.
class Fiber {
  public:
    /// `number` shifts the top of the stack, so that equally deep frames of many fibers do not
    /// compete for the same cache sets. Throws std::bad_alloc where no memory can be mapped.
    Fiber(std::size_t number, void (*body)());
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Begins anew on the same stack; whatever ran there is dropped where it stands.
    void renew();

    /// Fetches what the fiber will use first when it goes on: the top of its stack.
    void prefetch() const;

    bool guards(std::uintptr_t address) const;
    bool holds(std::uintptr_t address) const;

    boost::context::fiber context;  ///< where it goes on; empty while it runs

  private:
    std::byte* mapping_;
    std::size_t mapping_bytes_, guard_bytes_, shift_;
    void (*body_)();
};

/// Drops a context without unwinding its stack, which a destructor would do.
void forget(boost::context::fiber& context);

/// A fiber's usable stack.
std::size_t stack_bytes();

}  // namespace cpu
