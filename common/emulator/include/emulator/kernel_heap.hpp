// malloc(), free() and new in kernels: memory from the device's own heap, which has a limit.
//
// rewriting/kernel_heap.py names these functions where code of the device calls the C library's. In
// a function for both sides, they are the C library's on the host.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "site.hpp"

namespace emulator {

/// Null if the heap has no room.
void* kernel_heap_malloc(std::size_t bytes);
/// `caller`: the return address of the call in the user's code; null: that of this function.
void kernel_heap_free(void* pointer, Site site = {}, const void* caller = nullptr);
/// Makes every launch of this program begin with a heap.
bool use_kernel_heap();

/// Its initialisation, before main(), records that the program has a kernel that allocates.
template <class T = void>
struct KernelHeapUse {
    static inline const bool is_told = use_kernel_heap();
};

template <class T = void>
void* kernel_malloc(std::size_t bytes) {
    (void)KernelHeapUse<T>::is_told;
    return kernel_heap_malloc(bytes);
}
template <class T = void>
void kernel_free(T* pointer, Site site = Site::here()) {
    kernel_heap_free(const_cast<void*>(static_cast<const volatile void*>(pointer)), site);
}
inline void kernel_free(std::nullptr_t) {}

/// new (kernel_heap) T: null, and no T, if the heap has no room.
template <class T = void>
struct KernelHeap {};
constexpr KernelHeap<> kernel_heap{};

}  // namespace emulator

template <class T>
void* operator new(std::size_t bytes, emulator::KernelHeap<T>) noexcept {
    return emulator::kernel_malloc<T>(bytes);
}
template <class T>
void* operator new[](std::size_t bytes, emulator::KernelHeap<T>) noexcept {
    return emulator::kernel_malloc<T>(bytes);
}
