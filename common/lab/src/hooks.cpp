// What the compiler calls from instrumented code (-fsanitize=thread, -fsanitize-coverage=trace-pc).
// The names are the compiler's; nothing here comes from a sanitizer's own library.
//
// The host part of a chapter is also instrumented. There is no CUDA thread then, and nothing is
// recorded.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "emulator/for_observers.hpp"
#include "fault_hooks.hpp"
#include "hooks.hpp"
#include "recorder.hpp"

namespace {

using lab::Kind;

inline bool is_cuda_thread() {
    return emulator::this_worker != nullptr && emulator::this_worker->thread != nullptr;
}

/// True in a CUDA thread whose events are recorded, to be counted.
inline bool is_watched() { return lab::is_watching && is_cuda_thread(); }

/// True in a CUDA thread that is searched for faults, but not in what the lab itself calls there: a
/// template that the lab and the program both use is linked once, with the program's hooks.
inline bool is_searched() {
    return lab::fault_hooks != nullptr && is_cuda_thread() && !emulator::ToolIsBusy::is_busy;
}

/// Nearly every counted event is another one of the same thread, at a known place.
inline __attribute__((always_inline)) bool note_quickly(const void* pc, std::uintptr_t address) {
    lab::Running& running = lab::running;
    const emulator::Worker* const worker = emulator::this_worker;
    if (running.at == running.end || worker == nullptr || worker->thread != running.thread) {
        return false;
    }
    const lab::SiteId site = lab::known_site_id(pc);
    if (site == lab::kNoSite) return false;
    *running.at++ = lab::make_event(site, address);
    return true;
}

__attribute__((noinline)) void note_slowly(const void* pc, Kind kind, std::uintptr_t address,
                                           std::uint32_t bytes, lab::Traits traits) {
    if (!is_watched()) return;
    const lab::SiteId site = lab::site_id(pc, kind, bytes, traits);
    lab::this_recorder->add(*emulator::this_worker, lab::make_event(site, address));
}

inline __attribute__((always_inline)) void note(const void* pc, Kind kind, std::uintptr_t address,
                                                std::uint32_t bytes, lab::Traits traits = {}) {
    if (lab::is_watching) {
        if (!note_quickly(pc, address)) note_slowly(pc, kind, address, bytes, traits);
    } else if (lab::fault_hooks != nullptr) {
        lab::fault_hooks->look(pc, kind, address, bytes, traits);
    }
    if (lab::is_access(kind)) emulator::check_address(address);
}

inline std::uintptr_t number(const volatile void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

/// A struct is copied. The upper half of `size` is its alignment, if the plugin for g++ has put it
/// there (gcc_plugin/).
inline __attribute__((always_inline)) void note_struct(const void* pc, Kind kind, void* address,
                                                       std::size_t size) {
    lab::Traits traits{};
    traits.alignment = static_cast<std::uint16_t>(std::uint64_t{size} >> 32);
    note(pc, kind, number(address), static_cast<std::uint32_t>(size), traits);
}

/// An atomic operation; `order` says its scope (emulator/atomics.hpp).
inline __attribute__((always_inline)) void note_atomic(const void* pc, const volatile void* address,
                                                       std::uint32_t bytes, int order,
                                                       bool is_swap = false) {
    lab::Traits traits{};
    traits.is_block_scope = order == emulator::kBlockScope;
    traits.is_thread_scope = order == emulator::kThreadScope;
    traits.is_system_scope = order == emulator::kSystemScope;
    traits.is_swap = is_swap;
    note(pc, Kind::atomic, number(address), bytes, traits);
}

/// An atomic load or store of a cuda::atomic, with an order that says its scope.
inline __attribute__((always_inline)) void note_atomic_access(const void* pc, Kind kind,
                                                              const volatile void* address,
                                                              std::uint32_t bytes, int order) {
    lab::Traits traits{};
    traits.is_atomic = true;
    traits.is_thread_scope = order == __ATOMIC_RELAXED;
    traits.is_block_scope = order != __ATOMIC_SEQ_CST && order != __ATOMIC_RELAXED;
    note(pc, kind, number(address), bytes, traits);
}

/// The race detector compares what a store changes. So it is told about a swap that will succeed
/// before the swap is done; no other access can come between. Returns whether it was told.
template <class T>
inline __attribute__((always_inline)) bool note_swap(const void* pc, const volatile T* address,
                                                     T expected, int order, bool is_swap = false) {
    if (lab::fault_hooks == nullptr || is_watched()) return false;
    if (__atomic_load_n(address, __ATOMIC_SEQ_CST) != expected) return false;
    note_atomic(pc, address, sizeof(T), order, is_swap);
    return true;
}

void note_before_swap(const void* pc, const volatile void* address, std::uint32_t bytes) {
    if (lab::fault_hooks == nullptr || lab::is_watching || emulator::this_worker == nullptr) return;
    lab::fault_hooks->before_swap(*emulator::this_worker, pc, number(address), bytes);
}

/// The word of an atomic operation that is made of a load and a compare-and-swap, between the two.
__thread const volatile void* word_in_change = nullptr;

/// A variable of the running CUDA thread.
bool is_own_variable(const void* address) {
    return emulator::this_worker->fiber->holds(number(address));
}

/// memcpy, memmove or memset in a kernel; `from` is null for the last. For counting, it is the loop
/// that a GPU runs: byte by byte, because nvcc does not know a pointer's alignment, or word by word
/// for an array in shared memory, for which it does. The four accesses of one call are
/// distinguished by addresses within its instruction.
void note_copy(const char* pc, const void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    if (!is_watched()) {
        if (lab::fault_hooks == nullptr) return;
        const std::uint32_t count = static_cast<std::uint32_t>(bytes);
        const bool on_device = is_cuda_thread();
        if (from != nullptr && !(on_device && is_own_variable(from))) {
            lab::fault_hooks->look(pc, Kind::read_some, number(from), count, {});
        }
        if (!(on_device && is_own_variable(to))) {
            lab::fault_hooks->look(pc - 1, Kind::write_some, number(to), count, {});
        }
        return;
    }
    const bool loads = from != nullptr && !is_own_variable(from);
    const bool stores = !is_own_variable(to);
    const auto note_side = [&](Kind kind, const void* at, const char* site) {
        const bool is_words =
            (number(at) | bytes) % 4 == 0 && emulator::this_worker->is_shared_memory(number(at));
        const std::uint32_t piece = is_words ? 4 : 1;
        if (!is_words) site -= 2;
        for (std::size_t i = 0; i < bytes; i += piece) note(site, kind, number(at) + i, piece);
    };
    if (loads) note_side(Kind::read, from, pc);
    if (stores) note_side(Kind::write, to, pc - 1);
}

/// Half a struct's copy, if clang copies it: a plain access if its alignment is its size.
void note_piece(const char* pc, Kind kind, const void* at, std::uint32_t bytes,
                std::uint32_t alignment) {
    if (bytes == 0 || (is_cuda_thread() && is_own_variable(at))) return;
    if (alignment == bytes) {
        note(pc, kind, number(at), bytes);
        return;
    }
    lab::Traits traits{};
    traits.alignment = static_cast<std::uint16_t>(alignment);
    note(pc, kind == Kind::read ? Kind::read_some : Kind::write_some, number(at), bytes, traits);
}

}  // namespace

namespace lab {

FaultHooks* fault_hooks = nullptr;

void note_copied_struct(const void* pc, const void* to, const void* from, std::uint32_t bytes,
                        std::uint32_t alignment) {
    const char* const at = static_cast<const char*>(pc);
    if (from != nullptr) note_piece(at, Kind::read, from, bytes, alignment);
    note_piece(from != nullptr ? at - 1 : at, Kind::write, to, bytes, alignment);
}

}  // namespace lab

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void* caller) {
    note(RETURN_ADDRESS_OF_HOOK, Kind::entry, number(caller), 0);
}
void __tsan_func_exit() {
    if (is_watched()) {
        lab::this_recorder->add(*emulator::this_worker, lab::make_event(lab::kExitSite, 0));
    } else if (is_searched()) {
        const emulator::ToolIsBusy busy;
        lab::fault_hooks->leave(*emulator::this_worker);
    }
}
void __sanitizer_cov_trace_pc() {
    if (!lab::is_watching && lab::fault_hooks != nullptr) {
        // Those of the host are of no interest, and may be very many.
        if (emulator::this_worker != nullptr) {
            lab::fault_hooks->block_begins(RETURN_ADDRESS_OF_HOOK);
        }
    } else {
        note(RETURN_ADDRESS_OF_HOOK, Kind::block, 0, 0);
    }
}

#define LAB_ACCESS(name, kind, bytes, is_volatile)                       \
    void __tsan_##name(void* address) {                                  \
        note(RETURN_ADDRESS_OF_HOOK, Kind::kind, number(address), bytes, \
             {is_volatile, 0, 0, 0, 0, 0, 0, 0, 0});                     \
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

void __tsan_read_range(void* address, std::size_t size) {
    note_struct(RETURN_ADDRESS_OF_HOOK, Kind::read_some, address, size);
}
void __tsan_write_range(void* address, std::size_t size) {
    note_struct(RETURN_ADDRESS_OF_HOOK, Kind::write_some, address, size);
}

// What the plugin for clang makes of a struct's copy; it also does the copy (llvm_plugin/). The
// upper half of `size` is the struct's alignment.
void* lab_copy_struct(void* to, const void* from, std::size_t size) {
    const std::uint32_t bytes = static_cast<std::uint32_t>(size);
    lab::note_copied_struct(RETURN_ADDRESS_OF_HOOK, to, from, bytes,
                            static_cast<std::uint32_t>(std::uint64_t{size} >> 32));
    return std::memmove(to, from, bytes);
}
void* lab_set_struct(void* to, int value, std::size_t size) {
    const std::uint32_t bytes = static_cast<std::uint32_t>(size);
    lab::note_copied_struct(RETURN_ADDRESS_OF_HOOK, to, nullptr, bytes,
                            static_cast<std::uint32_t>(std::uint64_t{size} >> 32));
    return std::memset(to, value, bytes);
}

// What memory_calls.hpp, or with clang the plugin, makes of memcpy and the like.
void* lab_memcpy(void* to, const void* from, std::size_t bytes) {
    note_copy(static_cast<const char*>(RETURN_ADDRESS_OF_HOOK), to, from, bytes);
    return std::memcpy(to, from, bytes);
}
void* lab_memmove(void* to, const void* from, std::size_t bytes) {
    note_copy(static_cast<const char*>(RETURN_ADDRESS_OF_HOOK), to, from, bytes);
    return std::memmove(to, from, bytes);
}
void* lab_memset(void* to, int value, std::size_t bytes) {
    note_copy(static_cast<const char*>(RETURN_ADDRESS_OF_HOOK), to, nullptr, bytes);
    return std::memset(to, value, bytes);
}

void lab_begin_array(const void* begin, std::size_t bytes, const char* name, const char* file,
                     int line) {
    if (lab::fault_hooks == nullptr || !is_cuda_thread()) return;
    const emulator::ToolIsBusy busy;
    lab::fault_hooks->begin_array(*emulator::this_worker,
                                  {number(begin), bytes, name, {file, line}});
}
void lab_end_array() {
    if (lab::fault_hooks == nullptr || !is_cuda_thread()) return;
    const emulator::ToolIsBusy busy;
    lab::fault_hooks->end_array(*emulator::this_worker);
}

void lab_free(void* pointer) {
    const bool is_watched_host =
        lab::fault_hooks != nullptr && pointer != nullptr && !is_cuda_thread();
    if (is_watched_host &&
        lab::fault_hooks->host_frees(RETURN_ADDRESS_OF_HOOK, number(pointer), "free()")) {
        return;
    }
    emulator::host_block_gone(pointer);
    std::free(pointer);
}
void* lab_malloc(std::size_t bytes) {
    void* const made = std::malloc(emulator::with_room_behind(bytes));
    emulator::host_block_made(made, bytes);
    return made;
}
void* lab_calloc(std::size_t items, std::size_t bytes) {
    constexpr std::size_t kBehind = emulator::kBehindBlock;
    const bool is_small = bytes == 0 || items < (~std::size_t{0} - kBehind) / bytes;
    void* const made =
        is_small ? std::calloc(items * bytes + kBehind, 1) : std::calloc(items, bytes);
    emulator::host_block_made(made, items * bytes);
    return made;
}
void* lab_realloc(void* pointer, std::size_t bytes) {
    if (bytes == 0 && pointer != nullptr) {
        lab_free(pointer);
        return nullptr;
    }
    emulator::host_block_gone(pointer);
    void* const made = std::realloc(pointer, emulator::with_room_behind(bytes));
    emulator::host_block_made(made, bytes);
    return made;
}

// -fsanitize=bounds: an index that its array does not have, before it is used. Here, too, no
// sanitizer library is linked; the structure is the compiler's.
struct IndexedArray {
    struct Type {
        std::uint16_t kind, info;
        char name[1];
    };
    const char* file;
    std::uint32_t line, column;
    const Type* array;
    const Type* index;
};
void __ubsan_handle_out_of_bounds(const IndexedArray* what, std::uintptr_t index) {
    if (is_watched() || !is_searched()) return;
    const emulator::ToolIsBusy busy;
    // The lowest bit says whether the index is signed, the others are the logarithm of its width in
    // bits.
    const unsigned unused = 64u - (1u << (what->index->info >> 1));
    const std::int64_t value =
        (what->index->info & 1u) != 0
            ? static_cast<std::int64_t>(std::uint64_t{index} << unused) >> unused
            : static_cast<std::int64_t>(index);
    lab::fault_hooks->index(*emulator::this_worker, {what->file, static_cast<int>(what->line)},
                            what->array->name, value);
}

void __tsan_vptr_update(void** object, void*) {
    if (emulator::this_worker != nullptr) {  // a constructor in a kernel: a store like any other
        note(RETURN_ADDRESS_OF_HOOK, Kind::write, number(object), sizeof *object);
        return;
    }
    if (lab::fault_hooks != nullptr) lab::fault_hooks->host_makes_object(number(object));
}
void __tsan_vptr_read(void** object) {
    note(RETURN_ADDRESS_OF_HOOK, Kind::read, number(object), sizeof *object);
}

void __tsan_atomic_thread_fence(int order) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (is_searched()) {
        const emulator::ToolIsBusy busy;
        // The memory order says the scope (emulator/barrier.hpp).
        lab::fault_hooks->fence(*emulator::this_worker,
                                order == __ATOMIC_SEQ_CST   ? lab::FenceScope::device
                                : order == __ATOMIC_RELEASE ? lab::FenceScope::system
                                                            : lab::FenceScope::block);
    }
}
void __tsan_atomic_signal_fence(int) {}

// An atomic operation made of a relaxed load and a weak compare-and-swap, which may have to be
// repeated, counts as one: nothing is recorded from the load until the swap succeeds.
#define LAB_ATOMICS(bits, T)                                                                       \
    T __tsan_atomic##bits##_load(const volatile T* address, int order) {                           \
        if (order != __ATOMIC_RELAXED) {                                                           \
            note_atomic_access(RETURN_ADDRESS_OF_HOOK, Kind::read, address, bits / 8, order);      \
        } else {                                                                                   \
            word_in_change = address;                                                              \
            if (is_watched()) lab::this_recorder->load_begins(*emulator::this_worker);             \
            note_before_swap(RETURN_ADDRESS_OF_HOOK, address, bits / 8);                           \
        }                                                                                          \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                         \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile T* address, T value, int order) {                    \
        note_atomic_access(RETURN_ADDRESS_OF_HOOK, Kind::write, address, bits / 8, order);         \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    T __tsan_atomic##bits##_exchange(volatile T* address, T value, int order) {                    \
        note_atomic(RETURN_ADDRESS_OF_HOOK, address, bits / 8, order);                             \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                              \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T desired, \
                                                      int order, int) {                            \
        note_atomic(RETURN_ADDRESS_OF_HOOK, address, bits / 8, order, true);                       \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST,    \
                                           __ATOMIC_SEQ_CST);                                      \
    }                                                                                              \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T desired,   \
                                                    int order, int) {                              \
        const bool is_noted = note_swap(RETURN_ADDRESS_OF_HOOK, address, *expected, order);        \
        const bool done = __atomic_compare_exchange_n(address, expected, desired, false,           \
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        if (done && is_watched()) lab::this_recorder->unmute();                                    \
        if (done && !is_noted) note_atomic(RETURN_ADDRESS_OF_HOOK, address, bits / 8, order);      \
        return done;                                                                               \
    }                                                                                              \
    /* clang: for weak and for strong ones; one after a relaxed load is weak. */                   \
    T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T desired,       \
                                                 int order, int) {                                 \
        const bool is_weak = word_in_change == address;                                            \
        const bool is_noted =                                                                      \
            note_swap(RETURN_ADDRESS_OF_HOOK, address, expected, order, !is_weak);                 \
        const bool done = __atomic_compare_exchange_n(address, &expected, desired, false,          \
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        if (is_weak && done) {                                                                     \
            word_in_change = nullptr;                                                              \
            if (is_watched()) lab::this_recorder->unmute();                                        \
        }                                                                                          \
        if (!is_noted && (!is_weak || done))                                                       \
            note_atomic(RETURN_ADDRESS_OF_HOOK, address, bits / 8, order, !is_weak);               \
        return expected;                                                                           \
    }                                                                                              \
    LAB_FETCH(bits, T, add)                                                                        \
    LAB_FETCH(bits, T, sub)                                                                        \
    LAB_FETCH(bits, T, and)                                                                        \
    LAB_FETCH(bits, T, or)                                                                         \
    LAB_FETCH(bits, T, xor)                                                                        \
    LAB_FETCH(bits, T, nand)
#define LAB_FETCH(bits, T, operation)                                                    \
    T __tsan_atomic##bits##_fetch_##operation(volatile T* address, T value, int order) { \
        note_atomic(RETURN_ADDRESS_OF_HOOK, address, bits / 8, order);                   \
        return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);             \
    }
LAB_ATOMICS(8, std::uint8_t)
LAB_ATOMICS(16, std::uint16_t)
LAB_ATOMICS(32, std::uint32_t)
LAB_ATOMICS(64, std::uint64_t)

}  // extern "C"
