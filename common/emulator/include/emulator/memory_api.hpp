// The CUDA runtime API: allocations, copies, fills, and variables of the device.
#pragma once

#include <cstddef>

#include "errors.hpp"
#include "runtime_types.hpp"
#include "site.hpp"

namespace emulator {

cudaError_t allocate_device(void** pointer, std::size_t bytes, const char* call, Site site);
cudaError_t allocate_host(void** pointer, std::size_t bytes, const char* call, Site site);
cudaError_t allocate_managed(void** pointer, std::size_t bytes, Site site);
cudaError_t allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width,
                             std::size_t height, Site site);
cudaError_t allocate_3d(cudaPitchedPtr* made, cudaExtent extent, Site site);
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                 const char* call, Site site, cudaStream_t stream = nullptr);
cudaError_t copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                    std::size_t width, std::size_t height, cudaMemcpyKind kind, const char* call,
                    Site site, cudaStream_t stream = nullptr);
cudaError_t copy_3d(const cudaMemcpy3DParms* parameters, const char* call, Site site,
                    cudaStream_t stream = nullptr);
cudaError_t fill(void* to, int value, std::size_t bytes, const char* call, Site site,
                 cudaStream_t stream = nullptr);
cudaError_t fill_2d(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                    const char* call, Site site, cudaStream_t stream = nullptr);
cudaError_t fill_3d(cudaPitchedPtr to, int value, cudaExtent extent, const char* call, Site site,
                    cudaStream_t stream = nullptr);
cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                           const char* call, Site site, cudaStream_t stream = nullptr);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                             const char* call, Site site, cudaStream_t stream = nullptr);
cudaError_t symbol_address(void** pointer, void* symbol, std::size_t symbol_bytes, Site site);
cudaError_t device_pointer_of_host(void** device, void* host, Site site);
cudaError_t release_device(void* pointer, const char* call, Site site);
/// The same in stream order.
cudaError_t allocate_in_stream(void** pointer, std::size_t bytes, cudaStream_t stream, Site site);
cudaError_t release_in_stream(void* pointer, cudaStream_t stream, Site site);
cudaError_t release_host(void* pointer, Site site);
/// Managed memory is for the kernels of one stream, or for all again.
cudaError_t attach_to_stream(cudaStream_t stream, void* pointer, bool is_single, Site site);
/// Advice about managed memory: nothing to do, as there is only one memory, but the range must be
/// managed.
cudaError_t check_managed(const void* pointer, std::size_t bytes, const char* call, Site site,
                          cudaStream_t stream = nullptr);

/// While it lives: how many bytes, as far as the compiler or the program's symbols know, a copy's
/// two pointers have. All ones: the compiler does not know.
class HostRoom {
  public:
    HostRoom(const void* to, std::size_t to_bytes, const void* from, std::size_t from_bytes);
    ~HostRoom();
    HostRoom(const HostRoom&) = delete;
    HostRoom& operator=(const HostRoom&) = delete;
};

}  // namespace emulator

// A pointer where its address belongs: a common mistake, which these name. They are never defined.
#define CPU_TAKES_ADDRESS(call)                                                           \
    __attribute__((error(#call " takes the address of the pointer, which it sets: " #call \
                               "(&pointer, bytes)")))
template <class T>
CPU_TAKES_ADDRESS(cudaMalloc)
cudaError_t cudaMalloc(T* pointer, std::size_t bytes);
template <class T>
CPU_TAKES_ADDRESS(cudaMallocManaged)
cudaError_t cudaMallocManaged(T* pointer, std::size_t bytes, unsigned = cudaMemAttachGlobal);
template <class T>
CPU_TAKES_ADDRESS(cudaMallocHost)
cudaError_t cudaMallocHost(T* pointer, std::size_t bytes, unsigned = cudaHostAllocDefault);
#undef CPU_TAKES_ADDRESS

template <class T>
cudaError_t cudaMalloc(T** pointer, std::size_t bytes,
                       emulator::Site site = emulator::Site::here()) {
    return emulator::allocate_device(reinterpret_cast<void**>(pointer), bytes, "cudaMalloc", site);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, std::size_t bytes, cudaStream_t stream,
                            emulator::Site site = emulator::Site::here()) {
    return emulator::allocate_in_stream(reinterpret_cast<void**>(pointer), bytes, stream, site);
}
template <class T>
cudaError_t cudaMallocManaged(T** pointer, std::size_t bytes, unsigned = cudaMemAttachGlobal,
                              emulator::Site site = emulator::Site::here()) {
    return emulator::allocate_managed(reinterpret_cast<void**>(pointer), bytes, site);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, std::size_t bytes, unsigned = cudaHostAllocDefault,
                           emulator::Site site = emulator::Site::here()) {
    return emulator::allocate_host(reinterpret_cast<void**>(pointer), bytes, "cudaMallocHost",
                                   site);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, std::size_t bytes, unsigned,
                          emulator::Site site = emulator::Site::here()) {
    return emulator::allocate_host(reinterpret_cast<void**>(pointer), bytes, "cudaHostAlloc", site);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                            emulator::Site site = emulator::Site::here()) {
    return emulator::allocate_pitched(reinterpret_cast<void**>(pointer), pitch, width, height,
                                      site);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* made, cudaExtent extent,
                                emulator::Site site = emulator::Site::here()) {
    return emulator::allocate_3d(made, extent, site);
}
inline cudaError_t cudaFree(void* pointer, emulator::Site site = emulator::Site::here()) {
    return emulator::release_device(pointer, "cudaFree", site);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream,
                                 emulator::Site site = emulator::Site::here()) {
    return emulator::release_in_stream(pointer, stream, site);
}
inline cudaError_t cudaFreeHost(void* pointer, emulator::Site site = emulator::Site::here()) {
    return emulator::release_host(pointer, site);
}
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned,
                                     emulator::Site site = emulator::Site::here()) {
    return emulator::device_pointer_of_host(reinterpret_cast<void**>(device), host, site);
}
cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

// A copy knows the size of the host's array if the compiler does.
#define CPU_INLINE_COPY inline __attribute__((always_inline))
#define CPU_OBJECT_SIZE(pointer) __builtin_object_size(pointer, 0)
#ifdef __has_builtin
#if __has_builtin(__builtin_dynamic_object_size)  // of a pointer into the array, too
#undef CPU_OBJECT_SIZE
#define CPU_OBJECT_SIZE(pointer) __builtin_dynamic_object_size(pointer, 0)
#endif
#endif

CPU_INLINE_COPY cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes,
                                       cudaMemcpyKind kind,
                                       emulator::Site site = emulator::Site::here()) {
    const emulator::HostRoom room(to, CPU_OBJECT_SIZE(to), from, CPU_OBJECT_SIZE(from));
    return emulator::copy(to, from, bytes, kind, "cudaMemcpy", site);
}
CPU_INLINE_COPY cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                            cudaMemcpyKind kind, cudaStream_t stream = nullptr,
                                            emulator::Site site = emulator::Site::here()) {
    const emulator::HostRoom room(to, CPU_OBJECT_SIZE(to), from, CPU_OBJECT_SIZE(from));
    return emulator::copy(to, from, bytes, kind, "cudaMemcpyAsync", site, stream);
}
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                                std::size_t from_pitch, std::size_t width, std::size_t height,
                                cudaMemcpyKind kind, emulator::Site site = emulator::Site::here()) {
    return emulator::copy_2d(to, to_pitch, from, from_pitch, width, height, kind, "cudaMemcpy2D",
                             site);
}
inline cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                     std::size_t from_pitch, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind, cudaStream_t stream = nullptr,
                                     emulator::Site site = emulator::Site::here()) {
    return emulator::copy_2d(to, to_pitch, from, from_pitch, width, height, kind,
                             "cudaMemcpy2DAsync", site, stream);
}
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters,
                                emulator::Site site = emulator::Site::here()) {
    return emulator::copy_3d(parameters, "cudaMemcpy3D", site);
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters,
                                     cudaStream_t stream = nullptr,
                                     emulator::Site site = emulator::Site::here()) {
    return emulator::copy_3d(parameters, "cudaMemcpy3DAsync", site, stream);
}
inline cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes,
                                  emulator::Site site = emulator::Site::here()) {
    return emulator::copy(to, from, bytes, cudaMemcpyDeviceToDevice, "cudaMemcpyPeer", site);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                       cudaStream_t stream = nullptr,
                                       emulator::Site site = emulator::Site::here()) {
    return emulator::copy(to, from, bytes, cudaMemcpyDeviceToDevice, "cudaMemcpyPeerAsync", site,
                          stream);
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t = 0,
                                            unsigned flags = cudaMemAttachSingle,
                                            emulator::Site site = emulator::Site::here()) {
    return emulator::attach_to_stream(stream, pointer, flags == cudaMemAttachSingle, site);
}
inline cudaError_t cudaMemset(void* to, int value, std::size_t bytes,
                              emulator::Site site = emulator::Site::here()) {
    return emulator::fill(to, value, bytes, "cudaMemset", site);
}
inline cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes,
                                   cudaStream_t stream = nullptr,
                                   emulator::Site site = emulator::Site::here()) {
    return emulator::fill(to, value, bytes, "cudaMemsetAsync", site, stream);
}
inline cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                                std::size_t height, emulator::Site site = emulator::Site::here()) {
    return emulator::fill_2d(to, pitch, value, width, height, "cudaMemset2D", site);
}
inline cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                     std::size_t height, cudaStream_t stream = nullptr,
                                     emulator::Site site = emulator::Site::here()) {
    return emulator::fill_2d(to, pitch, value, width, height, "cudaMemset2DAsync", site, stream);
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent,
                                emulator::Site site = emulator::Site::here()) {
    return emulator::fill_3d(to, value, extent, "cudaMemset3D", site);
}
inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                                     cudaStream_t stream = nullptr,
                                     emulator::Site site = emulator::Site::here()) {
    return emulator::fill_3d(to, value, extent, "cudaMemset3DAsync", site, stream);
}
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation,
                                        unsigned, cudaStream_t stream = nullptr,
                                        emulator::Site site = emulator::Site::here()) {
    return emulator::check_managed(pointer, bytes, "cudaMemPrefetchAsync", site, stream);
}
/// As in CUDA 12 and before: the device's number instead of a location.
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int,
                                        cudaStream_t stream = nullptr,
                                        emulator::Site site = emulator::Site::here()) {
    return emulator::check_managed(pointer, bytes, "cudaMemPrefetchAsync", site, stream);
}
inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise,
                                 cudaMemLocation, emulator::Site site = emulator::Site::here()) {
    return emulator::check_managed(pointer, bytes, "cudaMemAdvise", site);
}
inline cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, int,
                                 emulator::Site site = emulator::Site::here()) {
    return emulator::check_managed(pointer, bytes, "cudaMemAdvise", site);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                               emulator::Site site = emulator::Site::here()) {
    return emulator::copy_to_symbol(const_cast<void*>(static_cast<const void*>(&symbol)),
                                    sizeof symbol, from, bytes, offset, kind, "cudaMemcpyToSymbol",
                                    site);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr,
                                    emulator::Site site = emulator::Site::here()) {
    return emulator::copy_to_symbol(const_cast<void*>(static_cast<const void*>(&symbol)),
                                    sizeof symbol, from, bytes, offset, kind,
                                    "cudaMemcpyToSymbolAsync", site, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                 emulator::Site site = emulator::Site::here()) {
    return emulator::copy_from_symbol(to, &symbol, sizeof symbol, bytes, offset, kind,
                                      "cudaMemcpyFromSymbol", site);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr,
                                      emulator::Site site = emulator::Site::here()) {
    return emulator::copy_from_symbol(to, &symbol, sizeof symbol, bytes, offset, kind,
                                      "cudaMemcpyFromSymbolAsync", site, stream);
}
#undef CPU_INLINE_COPY

template <class T, class Symbol>
cudaError_t cudaGetSymbolAddress(T** pointer, Symbol& symbol,
                                 emulator::Site site = emulator::Site::here()) {
    return emulator::symbol_address(reinterpret_cast<void**>(pointer),
                                    const_cast<void*>(static_cast<const void*>(&symbol)),
                                    sizeof symbol, site);
}
template <class Symbol>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const Symbol& symbol) {
    *bytes = sizeof symbol;
    return cudaSuccess;
}
