// The set of threads that a cuda::atomic, a cuda::barrier or a cuda::pipeline works for.
#pragma once

#include <atomic>
#include <cstddef>

namespace cuda {

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};

/// A number of bytes; the pointers passed with it are multiples of Alignment.
template <::std::size_t Alignment>
struct aligned_size_t {
    static constexpr ::std::size_t align = Alignment;
    explicit constexpr aligned_size_t(::std::size_t bytes) : value(bytes) {}
    constexpr operator ::std::size_t() const { return value; }
    ::std::size_t value;
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

namespace std {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
using ::std::size_t;
}  // namespace std

}  // namespace cuda
