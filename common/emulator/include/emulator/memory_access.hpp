// Loads and stores with a cache hint. The hint changes no value, so here they are plain accesses.
#pragma once

namespace emulator {

/// T in a non-deduced context, so that __stcs(float*, int) converts as with CUDA's overloads.
template <class T>
struct Given {
    using type = T;
};

}  // namespace emulator

template <class T>
inline T __ldg(const T* address) {
    return *address;
}
template <class T>
inline T __ldca(const T* address) {
    return *address;
}
template <class T>
inline T __ldcg(const T* address) {
    return *address;
}
template <class T>
inline T __ldcs(const T* address) {
    return *address;
}
template <class T>
inline T __ldlu(const T* address) {
    return *address;
}
/// Reads memory each time: no earlier load may stand in for it.
template <class T>
inline T __ldcv(const T* address) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return *address;
}
template <class T>
inline void __stwb(T* address, typename emulator::Given<T>::type value) {
    *address = value;
}
template <class T>
inline void __stcg(T* address, typename emulator::Given<T>::type value) {
    *address = value;
}
template <class T>
inline void __stcs(T* address, typename emulator::Given<T>::type value) {
    *address = value;
}
template <class T>
inline void __stwt(T* address, typename emulator::Given<T>::type value) {
    *address = value;
}
