// What the compiler calls from instrumented code (-fsanitize=thread, -fsanitize-coverage=trace-pc).
// The names are the compiler's; nothing here comes from, or needs, a sanitizer's own library.
//
// The host's part of a chapter is instrumented too. There is then no CUDA thread, and nothing is
// recorded.
#include <cstdint>

#include "recorder.hpp"
#include "watch.hpp"

namespace {

using lab::Kind;

inline bool is_cuda_thread() {
    return cpu::this_worker != nullptr && cpu::this_worker->thread != nullptr;
}

/// True in a CUDA thread whose events are recorded, to be counted.
inline bool is_watched() { return lab::is_watching && is_cuda_thread(); }

/// The same for the one that looks for faults.
__attribute__((noinline)) void look(const void* pc, Kind kind, std::uintptr_t address,
                                    std::uint32_t bytes, bool is_volatile) {
    const cpu::ToolIsBusy busy;
    lab::Watch& watch = *lab::active_watch;
    if (kind == Kind::block) return;
    const lab::SiteId site = lab::site_id(pc, kind, bytes, is_volatile);
    const cpu::Worker* const worker = cpu::this_worker;
    if (worker == nullptr) {
        if (lab::is_access(kind)) watch.host_access(site, address, kind != Kind::read);
    } else if (worker->thread == nullptr) {
        return;
    } else if (kind == Kind::entry) {
        watch.enter(*worker, site, address);
    } else {
        watch.access(*worker, site, address, bytes, kind, is_volatile || kind == Kind::atomic);
    }
}

inline __attribute__((always_inline)) void note(const void* pc, Kind kind, std::uintptr_t address,
                                                std::uint32_t bytes, bool is_volatile) {
    if (is_watched()) {
        const lab::SiteId site = lab::site_id(pc, kind, bytes, is_volatile);
        lab::this_recorder->add(*cpu::this_worker, lab::make_event(site, address));
    } else if (lab::active_watch != nullptr) {
        look(pc, kind, address, bytes, is_volatile);
    }
}

inline std::uintptr_t number(const volatile void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

#define HERE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void* caller) { note(HERE, Kind::entry, number(caller), 0, false); }
void __tsan_func_exit() {
    if (is_watched()) {
        lab::this_recorder->add(*cpu::this_worker, lab::make_event(lab::kExitSite, 0));
    } else if (lab::active_watch != nullptr && is_cuda_thread()) {
        const cpu::ToolIsBusy busy;
        lab::active_watch->leave(*cpu::this_worker);
    }
}
void __sanitizer_cov_trace_pc() { note(HERE, Kind::block, 0, 0, false); }

#define LAB_ACCESS(name, kind, bytes, is_volatile)                   \
    void __tsan_##name(void* address) {                              \
        note(HERE, Kind::kind, number(address), bytes, is_volatile); \
    }
#define LAB_ACCESSES(bytes)                                       \
    LAB_ACCESS(read##bytes, read, bytes, false)                   \
    LAB_ACCESS(write##bytes, write, bytes, false)                 \
    LAB_ACCESS(volatile_read##bytes, read, bytes, true)           \
    LAB_ACCESS(volatile_write##bytes, write, bytes, true)         \
    LAB_ACCESS(unaligned_read##bytes, read, bytes, false)         \
    LAB_ACCESS(unaligned_write##bytes, write, bytes, false)       \
    LAB_ACCESS(unaligned_volatile_read##bytes, read, bytes, true) \
    LAB_ACCESS(unaligned_volatile_write##bytes, write, bytes, true)
LAB_ACCESSES(1)
LAB_ACCESSES(2)
LAB_ACCESSES(4)
LAB_ACCESSES(8)
LAB_ACCESSES(16)

void __tsan_read_range(void* address, std::size_t bytes) {
    note(HERE, Kind::read_some, number(address), static_cast<std::uint32_t>(bytes), false);
}
void __tsan_write_range(void* address, std::size_t bytes) {
    note(HERE, Kind::write_some, number(address), static_cast<std::uint32_t>(bytes), false);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

void __tsan_atomic_thread_fence(int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (lab::active_watch != nullptr && is_cuda_thread()) {
        const cpu::ToolIsBusy busy;
        lab::active_watch->fence(*cpu::this_worker);
    }
}
void __tsan_atomic_signal_fence(int) {}

// An atomic operation that is made of a load and a weak compare-and-swap, which may have to be
// tried again, is one: nothing is recorded from the load until the swap succeeds.
#define LAB_ATOMICS(bits, T)                                                                       \
    T __tsan_atomic##bits##_load(const volatile T* address, int) {                                 \
        if (is_watched()) lab::this_recorder->load_begins(*cpu::this_worker);                      \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                          \
        note(HERE, Kind::atomic, number(address), bits / 8, false);                                \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) {                          \
        note(HERE, Kind::atomic, number(address), bits / 8, false);                                \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T desired, \
                                                      int, int) {                                  \
        note(HERE, Kind::atomic, number(address), bits / 8, false);                                \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,    \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T desired,   \
                                                    int, int) {                                    \
        const bool done = __atomic_compare_exchange_n(address, expected, desired, false,           \
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        if (done && is_watched()) lab::this_recorder->unmute();                                    \
        if (done) note(HERE, Kind::atomic, number(address), bits / 8, false);                      \
        return done;                                                                               \
    }                                                                                              \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T desired, int,  \
                                                 int) {                                            \
        note(HERE, Kind::atomic, number(address), bits / 8, false);                                \
        __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST,          \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }                                                                                              \
    LAB_FETCH(bits, T, add)                                                                        \
    LAB_FETCH(bits, T, sub)                                                                        \
    LAB_FETCH(bits, T, and)                                                                        \
    LAB_FETCH(bits, T, or)                                                                         \
    LAB_FETCH(bits, T, xor)                                                                        \
    LAB_FETCH(bits, T, nand)
#define LAB_FETCH(bits, T, operation)                                              \
    T __tsan_atomic##bits##_fetch_##operation(volatile T* address, T value, int) { \
        note(HERE, Kind::atomic, number(address), bits / 8, false);                \
        return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);       \
    }
LAB_ATOMICS(8, std::uint8_t)
LAB_ATOMICS(16, std::uint16_t)
LAB_ATOMICS(32, std::uint32_t)
LAB_ATOMICS(64, std::uint64_t)

}  // extern "C"
