// Hooks that only this compiler calls, or that docs/site/page_lab/sites.mjs calls for it.
#include "emulator/for_observers.hpp"
#include "hooks.hpp"

#include <cstring>

#include "access_sites.hpp"

extern "C" {

void __tsan_func_entry(void* caller);
void __sanitizer_cov_trace_pc();

/// At the beginning of each function.
void lab_func_entry() {
    const emulator::Worker* const worker = emulator::this_worker;
    if (worker != nullptr && worker->thread != nullptr && emulator::is_stack_used_up()) {
        page_leave(emulator::kStack);
    }
    __tsan_func_entry(reinterpret_cast<void*>(page_call));
}

/// At the beginning of each basic block, in place of the hook that it calls.
void lab_block() {
    emulator::tick();
    __sanitizer_cov_trace_pc();
}

/// There is no plugin that reports a struct's alignment: for a small one its size is assumed, for
/// others the alignment of a word.
static std::uint32_t alignment_of(std::size_t bytes) {
    const bool is_one_access = bytes <= 16 && (bytes & (bytes - 1)) == 0;
    return is_one_access ? static_cast<std::uint32_t>(bytes) : bytes % 4 == 0 ? 4 : 1;
}

void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
    lab::note_copied_struct(RETURN_ADDRESS_OF_HOOK, to, from, static_cast<std::uint32_t>(bytes),
                            alignment_of(bytes));
    return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
    lab::note_copied_struct(RETURN_ADDRESS_OF_HOOK, to, from, static_cast<std::uint32_t>(bytes),
                            alignment_of(bytes));
    return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
    lab::note_copied_struct(RETURN_ADDRESS_OF_HOOK, to, nullptr, static_cast<std::uint32_t>(bytes),
                            alignment_of(bytes));
    return std::memset(to, value, bytes);
}

/// What memory_calls.hpp makes of a memcpy or memmove of 1, 2, 4, 8 or 16 bytes.
void* lab_copy_bytes(void* to, const void* from, std::size_t bytes) {
    lab::note_copied_struct(RETURN_ADDRESS_OF_HOOK, to, from, static_cast<std::uint32_t>(bytes),
                            lab::kAlignmentOfBytes);
    return std::memmove(to, from, bytes);
}

}  // extern "C"
