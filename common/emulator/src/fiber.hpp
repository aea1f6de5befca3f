// A separate stack for each CUDA thread that has to wait. Boost.Context does the switching.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

namespace emulator {

/// Where a suspended stack continues: the address of its top. Boost.Context's boost::context::fiber
/// is a wrapper of it, which would unwind the stack when it is destroyed.
using Context = boost::context::detail::fcontext_t;

/// Suspends the running code, and continues at `target`. Returns when another fiber switches back,
/// with the point where that one was suspended.
inline Context jump(Context target) {
#if defined(__x86_64__)
    // jump_fcontext leaves by a jump, not by a return. If it were called, the processor would keep
    // one return address too many at each switch, and mispredict every return up to the kernel.
    // The compiler must keep nothing below the stack pointer: -mno-red-zone, in CMakeLists.txt.
    Context caller = nullptr;
    asm volatile(
        "lea 1f(%%rip), %%rax\n\t"
        "push %%rax\n\t"
        "jmp *%[jump]\n"
        "1:"
        : "=&a"(caller), "+D"(target)
        : [jump] "r"(&boost::context::detail::jump_fcontext)
        : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2",
          "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15"
#if defined(__AVX512F__)
          ,
          "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
          "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
          "k7"
#endif
    );
    return caller;
#else
    return boost::context::detail::jump_fcontext(target, nullptr).fctx;
#endif
}

/// A stack, with a guard page below it unless there are very many. The fiber's body never ends:
/// between two CUDA threads it rests in its worker's pool.
class Fiber {
  public:
    /// `number` shifts the top of the stack, so that equally deep frames of many fibers do not
    /// compete for the same cache sets. Throws std::bad_alloc if no memory can be mapped.
    Fiber(std::size_t number, void (*body)(boost::context::detail::transfer_t));
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    /// Starts over on the same stack; whatever ran there is abandoned.
    void renew();

    /// Prefetches what the fiber will use first when it continues: the top of its stack.
    void prefetch() const {
        const char* const top = static_cast<const char*>(context);
        for (int line = 0; line < 5; ++line) __builtin_prefetch(top + 64 * line, 1);
    }

    bool guards(std::uintptr_t address) const;
    bool holds(std::uintptr_t address) const {
        return address - reinterpret_cast<std::uintptr_t>(mapping_) < mapping_bytes_;
    }

    Context context = nullptr;  ///< where it continues; null while it runs

  private:
    std::byte* mapping_;
    std::size_t mapping_bytes_, guard_bytes_, shift_;
    void (*body_)(boost::context::detail::transfer_t);
};

/// A fiber's usable stack.
std::size_t stack_bytes();
/// Makes those of the fibers that are made from now on at least this large. False: some exist that
/// are smaller.
bool set_stack_bytes(std::size_t bytes);

}  // namespace emulator
