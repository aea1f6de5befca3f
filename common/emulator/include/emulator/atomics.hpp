// Atomic functions, for the types that CUDA has them for. They are atomic for all threads of all
// blocks, so one implementation serves the plain, the _block and the _system variant. Only the
// memory order differs: it costs nothing here, and tells an observing tool the scope.
#pragma once

#include <cstdint>
#include <cstring>

#include "counters.hpp"

namespace emulator {

/// The orders that stand for the scopes. The host's own atomic operations have the last one.
constexpr int kBlockScope = __ATOMIC_ACQUIRE;
constexpr int kThreadScope = __ATOMIC_ACQ_REL;
constexpr int kDeviceScope = __ATOMIC_RELAXED;
constexpr int kSystemScope = __ATOMIC_SEQ_CST;

/// Replaces *address by change(*address) in one step and returns what was there.
template <class T, class Bits, int kOrder, class Change>
T atomic_change(T* address, Change change) {
    static_assert(sizeof(T) == sizeof(Bits), "bits of another size");
    ++current_counts.atomics;
    Bits* const target = reinterpret_cast<Bits*>(address);
    Bits expected = __atomic_load_n(target, __ATOMIC_RELAXED);
    for (;;) {
        T before;
        __builtin_memcpy(static_cast<void*>(&before), &expected, sizeof before);
        const T after = change(before);
        Bits desired;
        __builtin_memcpy(&desired, &after, sizeof desired);
        if (__atomic_compare_exchange_n(target, &expected, desired, true, kOrder,
                                        __ATOMIC_RELAXED)) {
            return before;
        }
    }
}

}  // namespace emulator

// The same function for the three scopes.
#define CPU_ATOMIC_OF(T, name, order, arguments, ...) \
    inline T name arguments {                         \
        constexpr int kOrder = order;                 \
        __VA_ARGS__                                   \
    }
#define CPU_ATOMIC(T, name, arguments, ...)                                         \
    CPU_ATOMIC_OF(T, name, ::emulator::kDeviceScope, arguments, __VA_ARGS__)        \
    CPU_ATOMIC_OF(T, name##_block, ::emulator::kBlockScope, arguments, __VA_ARGS__) \
    CPU_ATOMIC_OF(T, name##_system, ::emulator::kSystemScope, arguments, __VA_ARGS__)

#define CPU_ATOMIC_FETCH(T, name, builtin)        \
    CPU_ATOMIC(T, name, (T * address, T value), { \
        ++emulator::current_counts.atomics;       \
        return builtin(address, value, kOrder);   \
    })

CPU_ATOMIC_FETCH(int, atomicAdd, __atomic_fetch_add)
CPU_ATOMIC_FETCH(unsigned, atomicAdd, __atomic_fetch_add)
CPU_ATOMIC_FETCH(unsigned long long, atomicAdd, __atomic_fetch_add)
CPU_ATOMIC_FETCH(int, atomicSub, __atomic_fetch_sub)
CPU_ATOMIC_FETCH(unsigned, atomicSub, __atomic_fetch_sub)
CPU_ATOMIC_FETCH(int, atomicExch, __atomic_exchange_n)
CPU_ATOMIC_FETCH(unsigned, atomicExch, __atomic_exchange_n)
CPU_ATOMIC_FETCH(unsigned long long, atomicExch, __atomic_exchange_n)
CPU_ATOMIC_FETCH(int, atomicAnd, __atomic_fetch_and)
CPU_ATOMIC_FETCH(unsigned, atomicAnd, __atomic_fetch_and)
CPU_ATOMIC_FETCH(unsigned long long, atomicAnd, __atomic_fetch_and)
CPU_ATOMIC_FETCH(int, atomicOr, __atomic_fetch_or)
CPU_ATOMIC_FETCH(unsigned, atomicOr, __atomic_fetch_or)
CPU_ATOMIC_FETCH(unsigned long long, atomicOr, __atomic_fetch_or)
CPU_ATOMIC_FETCH(int, atomicXor, __atomic_fetch_xor)
CPU_ATOMIC_FETCH(unsigned, atomicXor, __atomic_fetch_xor)
CPU_ATOMIC_FETCH(unsigned long long, atomicXor, __atomic_fetch_xor)

#define CPU_ATOMIC_CHANGE(T, Bits, name, expression)                 \
    CPU_ATOMIC(T, name, (T * address, T value), {                    \
        return emulator::atomic_change<T, Bits, kOrder>(             \
            address, [value](T before) -> T { return expression; }); \
    })

CPU_ATOMIC_CHANGE(float, std::uint32_t, atomicAdd, before + value)
CPU_ATOMIC_CHANGE(double, std::uint64_t, atomicAdd, before + value)
CPU_ATOMIC_CHANGE(float, std::uint32_t, atomicExch, ((void)before, value))
CPU_ATOMIC_CHANGE(int, std::uint32_t, atomicMin, value < before ? value : before)
CPU_ATOMIC_CHANGE(unsigned, std::uint32_t, atomicMin, value < before ? value : before)
CPU_ATOMIC_CHANGE(long long, std::uint64_t, atomicMin, value < before ? value : before)
CPU_ATOMIC_CHANGE(unsigned long long, std::uint64_t, atomicMin, value < before ? value : before)
CPU_ATOMIC_CHANGE(int, std::uint32_t, atomicMax, before < value ? value : before)
CPU_ATOMIC_CHANGE(unsigned, std::uint32_t, atomicMax, before < value ? value : before)
CPU_ATOMIC_CHANGE(long long, std::uint64_t, atomicMax, before < value ? value : before)
CPU_ATOMIC_CHANGE(unsigned long long, std::uint64_t, atomicMax, before < value ? value : before)
CPU_ATOMIC_CHANGE(unsigned, std::uint32_t, atomicInc, before >= value ? 0u : before + 1u)
CPU_ATOMIC_CHANGE(unsigned, std::uint32_t, atomicDec,
                  before == 0u || before > value ? value : before - 1u)

#define CPU_ATOMIC_CAS(T)                                                                          \
    CPU_ATOMIC(T, atomicCAS, (T * address, T expected, T desired), {                               \
        ++emulator::current_counts.atomics;                                                        \
        __atomic_compare_exchange_n(address, &expected, desired, false, kOrder, __ATOMIC_RELAXED); \
        return expected;                                                                           \
    })

CPU_ATOMIC_CAS(int)
CPU_ATOMIC_CAS(unsigned)
CPU_ATOMIC_CAS(unsigned short)
CPU_ATOMIC_CAS(unsigned long long)

#undef CPU_ATOMIC_CAS
#undef CPU_ATOMIC_CHANGE
#undef CPU_ATOMIC_FETCH
#undef CPU_ATOMIC
#undef CPU_ATOMIC_OF
