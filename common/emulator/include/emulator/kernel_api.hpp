// The CUDA runtime API: attributes of kernels, and launches other than <<<...>>>.
#pragma once

#include <cstddef>
#include <utility>

#include "errors.hpp"
#include "kernel.hpp"
#include "runtime_types.hpp"
#include "site.hpp"

namespace emulator {

cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value,
                                   Site site);
cudaError_t get_function_attributes(cudaFuncAttributes* attributes, const void* kernel, Site site);
cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t dynamic_bytes,
                      Site site);
cudaError_t best_block_size(int* least_grid, int* threads, const void* kernel,
                            std::size_t (*dynamic_bytes)(int threads, const void* context),
                            const void* context, int limit, Site site);
/// Reads the attributes of a launch; one that is not supported is an error that names it.
cudaError_t read_launch_config(const cudaLaunchConfig_t* config, LaunchShape* shape, Site site);

template <class... P>
const void* address_of(void (*kernel)(P...)) {
    return reinterpret_cast<const void*>(kernel);
}
inline const void* address_of(const void* kernel) { return kernel; }

/// A launch of a kernel whose address is known.
template <class... P>
cudaError_t launch_arguments(const KernelSite& where, const LaunchShape& shape,
                             void (*kernel)(P...), std::remove_reference_t<P>&... arguments) {
    if constexpr ((kPassedAsBytes<P> && ...)) {
        return launch_with<void (*)(P...), P...>(where, shape, address_of(kernel), kernel,
                                                 arguments...);
    } else {
        return launch_bytes<P...>(where, shape, kernel, arguments...);
    }
}
template <class... P>
cudaError_t launch_values(const KernelSite& where, const LaunchShape& shape, void (*kernel)(P...),
                          P... arguments) {
    return launch_arguments<P...>(where, shape, kernel, arguments...);
}

/// Whether each item is the address of an argument, in memory of the host.
cudaError_t check_argument_array(void* const* arguments, std::size_t count, Site site);

template <class... P, std::size_t... I>
cudaError_t launch_from_array(void (*kernel)(P...), const LaunchShape& shape, void** arguments,
                              Site site, std::index_sequence<I...>) {
    const cudaError_t error = check_argument_array(arguments, sizeof...(P), site);
    if (error != cudaSuccess) return error;
    return launch_arguments<P...>({nullptr, nullptr, site}, shape, kernel,
                                  *static_cast<std::remove_reference_t<P>*>(arguments[I])...);
}

template <class T>
constexpr bool kNever = false;

}  // namespace emulator

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel* kernel, cudaFuncAttribute attribute, int value,
                                 emulator::Site site = emulator::Site::here()) {
    return emulator::set_function_attribute(emulator::address_of(kernel), attribute, value, site);
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig) {
    return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel* kernel,
                                  emulator::Site site = emulator::Site::here()) {
    return emulator::get_function_attributes(attributes, emulator::address_of(kernel), site);
}
/// Blocks of that many threads that one multiprocessor can hold at once.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, Kernel* kernel, int threads, std::size_t dynamic_bytes,
    emulator::Site site = emulator::Site::here()) {
    return emulator::occupancy(blocks, emulator::address_of(kernel), threads, dynamic_bytes, site);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, Kernel* kernel, int threads, std::size_t dynamic_bytes, unsigned,
    emulator::Site site = emulator::Site::here()) {
    return emulator::occupancy(blocks, emulator::address_of(kernel), threads, dynamic_bytes, site);
}
template <class Kernel, class DynamicBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int* least_grid, int* threads, Kernel* kernel, DynamicBytes bytes, int limit = 0,
    emulator::Site site = emulator::Site::here()) {
    const auto call = [](int block, const void* context) -> std::size_t {
        return (*static_cast<const DynamicBytes*>(context))(block);
    };
    return emulator::best_block_size(least_grid, threads, emulator::address_of(kernel), call,
                                     &bytes, limit, site);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads, Kernel* kernel,
                                               std::size_t dynamic_bytes = 0, int limit = 0,
                                               emulator::Site site = emulator::Site::here()) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
        least_grid, threads, kernel, [dynamic_bytes](int) { return dynamic_bytes; }, limit, site);
}

/// `arguments` points to one pointer for each parameter, as in CUDA.
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t dynamic_bytes = 0,
                                        cudaStream_t stream = nullptr,
                                        emulator::Site site = emulator::Site::here()) {
    return emulator::launch_from_array(kernel, {grid, block, dynamic_bytes, stream, true},
                                       arguments, site, std::index_sequence_for<P...>{});
}
template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_bytes = 0, cudaStream_t stream = nullptr,
                             emulator::Site site = emulator::Site::here()) {
    return emulator::launch_from_array(kernel, {grid, block, dynamic_bytes, stream, false},
                                       arguments, site, std::index_sequence_for<P...>{});
}
template <class Pointer>
cudaError_t cudaLaunchCooperativeKernel(const Pointer*, dim3, dim3, void**, std::size_t = 0,
                                        cudaStream_t = nullptr) {
    static_assert(emulator::kNever<Pointer>,
                  "the emulator needs the kernel's type: give cudaLaunchCooperativeKernel the "
                  "kernel itself, not a pointer cast to void*");
    return cudaErrorInvalidValue;
}
template <class Pointer>
cudaError_t cudaLaunchKernel(const Pointer*, dim3, dim3, void**, std::size_t = 0,
                             cudaStream_t = nullptr) {
    static_assert(emulator::kNever<Pointer>,
                  "the emulator needs the kernel's type: give cudaLaunchKernel the kernel "
                  "itself, not a pointer cast to void*");
    return cudaErrorInvalidValue;
}
template <class... P, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               Arguments&&... arguments) {
    static_assert(sizeof...(P) == sizeof...(Arguments), "as many arguments as parameters");
    emulator::LaunchShape shape;
    const cudaError_t error = emulator::read_launch_config(config, &shape, {});
    if (error != cudaSuccess) return error;
    return emulator::launch_values<P...>({nullptr, nullptr, {}}, shape, kernel,
                                         static_cast<P>(arguments)...);
}
