// Loads and stores with a cache hint. The hint changes no value, so here they are plain accesses.
#pragma once

namespace emulator {

/// T in a non-deduced context, so that __stcs(float*, int) converts as with CUDA's overloads.
template <class T>
struct Given {
    using type = T;
};

}  // namespace emulator

#define CPU_LOAD(name)                \
    template <class T>                \
    inline T name(const T* address) { \
        return *address;              \
    }
CPU_LOAD(__ldg)
CPU_LOAD(__ldca)
CPU_LOAD(__ldcg)
CPU_LOAD(__ldcs)
CPU_LOAD(__ldlu)
#undef CPU_LOAD
/// Reads memory each time: no earlier load may stand in for it.
template <class T>
inline T __ldcv(const T* address) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return *address;
}

#define CPU_STORE(name)                                                     \
    template <class T>                                                      \
    inline void name(T* address, typename emulator::Given<T>::type value) { \
        *address = value;                                                   \
    }
CPU_STORE(__stwb)
CPU_STORE(__stcg)
CPU_STORE(__stcs)
CPU_STORE(__stwt)
#undef CPU_STORE
