// From `kernel<<<grid, block, bytes, stream>>>(arguments)` to a call for each CUDA thread.
//
// rewrite.py turns that launch into
//     ::cpu::launcher({"kernel", ...}, [=](auto... a) { kernel(a...); }, <address>)
//         .configure(grid, block, bytes, stream)(arguments)
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "errors.hpp"
#include "site.hpp"
#include "vector_types.hpp"

typedef struct CUstream_st* cudaStream_t;

namespace cpu {

/// What the source says about a launch.
struct KernelSite {
    const char* kernel;    ///< as written, e.g. "reduce_kernel<T, 4>"; null: known by address only
    const char* function;  ///< the launching function with its template arguments, or null
    Site site;
};

struct LaunchShape {
    dim3 grid, block;
    std::size_t dynamic_bytes = 0;
    cudaStream_t stream = nullptr;
    bool cooperative = false;
};

/// A kernel with its arguments; run(object) is one CUDA thread.
struct KernelCall {
    /// Where the kernel's address is kept. Null at first where overloads or deduced template
    /// arguments hide it; the first launch finds out.
    const void** address;
    const void* object;
    void (*run)(const void* object);
};

/// A pointer argument, for the check that it does not point to host memory.
struct PointerArgument {
    int position;  ///< 1 for the first argument
    const void* pointer;
};

/// Runs the grid to its end. The result is also what cudaGetLastError() returns next.
cudaError_t run_launch(const KernelSite& where, const LaunchShape& shape, const KernelCall& call,
                       const PointerArgument* pointers, int pointer_count);

/// True while a launch finds out which kernel it calls.
extern __thread bool identifying;

/// A kernel's __launch_bounds__: rewrite.py puts one into the kernel as a static variable, which is
/// found by its name before the kernel is called.
struct LaunchBound {
    int max_threads;
    constexpr LaunchBound(int max_threads_per_block, int /*blocks*/ = 0, int /*cluster*/ = 0)
        : max_threads(max_threads_per_block) {}
};

/// Ends the call of a kernel that is only identified.
void identify_caller(const LaunchBound* bound);

/// The first statement of every kernel; rewrite.py puts it there.
inline __attribute__((always_inline)) void kernel_begins(const LaunchBound* bound = nullptr) {
    if (identifying) identify_caller(bound);
}

template <class T>
constexpr bool kPointsToData =
    std::is_pointer<T>::value && !std::is_function<std::remove_pointer_t<T>>::value;

template <class Call, class... Arguments>
cudaError_t launch_with(const KernelSite& where, const LaunchShape& shape, const void* address,
                        const Call& call, Arguments... arguments) {
    struct Bound {
        const Call& call;
        std::tuple<Arguments...> arguments;
        static void run(const void* object) {
            const Bound& self = *static_cast<const Bound*>(object);
            std::apply(self.call, self.arguments);
        }
    };
    PointerArgument pointers[sizeof...(Arguments) + 1] = {};
    int pointer_count = 0;
    int position = 0;
    const auto note = [&](const auto& argument) {
        ++position;
        if constexpr (kPointsToData<std::decay_t<decltype(argument)>>) {
            pointers[pointer_count++] = {
                position, const_cast<const void*>(static_cast<const volatile void*>(argument))};
        }
    };
    (note(arguments), ...);
    (void)note;
    const Bound bound{call, std::tuple<Arguments...>(arguments...)};
    // Only a launch expression has its address found out, and its type is its own.
    static const void* found = nullptr;
    return run_launch(where, shape, {address != nullptr ? &address : &found, &bound, &Bound::run},
                      pointers, pointer_count);
}

/// Takes a kernel by name and yields its type; does not compile for an overloaded name.
struct AddressOf {
    template <class... Parameters>
    auto operator()(void (*kernel)(Parameters...)) const {
        return kernel;
    }
};

/// The same for one of several kernels of that name: the one with exactly these parameters.
template <class... Parameters>
struct AddressWith {
    auto operator()(void (*kernel)(Parameters...)) const { return kernel; }
};

/// A launch whose kernel's parameters are known: arguments convert as in any call.
template <class Call, class... Parameters>
struct TypedLaunch {
    KernelSite where;
    LaunchShape shape;
    Call call;
    void (*kernel)(Parameters...);
    void operator()(Parameters... arguments) const {
        launch_with<Call, Parameters...>(where, shape, reinterpret_cast<const void*>(kernel), call,
                                         arguments...);
    }
};

/// A launch that leaves the kernel's template arguments to be deduced. Where the arguments have the
/// very types of its parameters, the kernel is known all the same, and so are its attributes.
template <class Call, class Address>
struct DeducedLaunch {
    KernelSite where;
    LaunchShape shape;
    Call call;
    Address address;
    template <class... Arguments>
    void operator()(Arguments... arguments) const {
        const void* kernel = nullptr;
        if constexpr (std::is_invocable<Address, AddressWith<Arguments...>>::value) {
            kernel = reinterpret_cast<const void*>(address(AddressWith<Arguments...>{}));
        }
        launch_with<Call, Arguments...>(where, shape, kernel, call, arguments...);
    }
};

template <class Call, class Address>
struct Launcher {
    KernelSite where;
    Call call;
    Address address;

    auto configure(dim3 grid, dim3 block, std::size_t dynamic_bytes = 0,
                   cudaStream_t stream = nullptr) const {
        const LaunchShape shape{grid, block, dynamic_bytes, stream, false};
        if constexpr (std::is_invocable<Address, AddressOf>::value) {
            return typed(shape, address(AddressOf{}));
        } else {
            return DeducedLaunch<Call, Address>{where, shape, call, address};
        }
    }

  private:
    template <class... Parameters>
    auto typed(const LaunchShape& shape, void (*kernel)(Parameters...)) const {
        return TypedLaunch<Call, Parameters...>{where, shape, call, kernel};
    }
};

template <class Call, class Address>
Launcher<Call, Address> launcher(const KernelSite& where, Call call, Address address) {
    return {where, call, address};
}

}  // namespace cpu
