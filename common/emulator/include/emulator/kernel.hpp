// From `kernel<<<grid, block, bytes, stream>>>(arguments)` to a call for each CUDA thread.
//
// translate.py turns that launch into
//     ::emulator::launcher({"kernel", ...}, [=](auto... a) { kernel(a...); }, <address>)
//         .configure(grid, block, bytes, stream)(arguments)
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "errors.hpp"
#include "site.hpp"
#include "vector_types.hpp"

typedef struct CUstream_st* cudaStream_t;

namespace emulator {

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

    std::uint64_t threads() const {
        return std::uint64_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
    }
};

/// A kernel with its arguments; run(object) is one CUDA thread.
struct KernelCall {
    /// Where the kernel's address is kept. Null at first if overloads or deduced template
    /// arguments hide it; the first launch finds out.
    const void** address;
    const void* object;
    void (*run)(const void* object);
};

/// An argument of a launch: a pointer, for the check that it does not point to host memory; and for
/// tools the address of a function, which is the host's, that of an object, which may contain
/// pointers, and a number.
struct LaunchArgument {
    enum class Kind { data, function, object, number };
    int position;  ///< 1 for the first argument
    const void* pointer;
    Kind kind = Kind::data;
    std::size_t bytes = 0;  ///< of an object
    std::int64_t number = 0;
};

/// Runs the grid to its end. The result is also what cudaGetLastError() returns next.
cudaError_t run_launch(const KernelSite& where, const LaunchShape& shape, const KernelCall& call,
                       const LaunchArgument* arguments, int argument_count);

/// True while a launch finds out which kernel it calls.
extern __thread bool identifying;

/// A kernel's __launch_bounds__: translate.py puts one into the kernel as a static variable, which
/// is found by its name before the kernel is called.
struct LaunchBound {
    int max_threads;
    constexpr LaunchBound(int max_threads_per_block, int /*blocks*/ = 0, int /*cluster*/ = 0)
        : max_threads(max_threads_per_block) {}
};

/// Whether the caller runs in a kernel rather than on the host.
bool in_kernel();

/// Ends a call that only identifies the kernel.
void identify_caller(const LaunchBound* bound);

/// The first statement of every kernel; translate.py puts it there.
inline __attribute__((always_inline)) void kernel_begins(const LaunchBound* bound = nullptr) {
    if (identifying) identify_caller(bound);
}

template <class T>
constexpr bool kPointsToData =
    std::is_pointer<T>::value && !std::is_function<std::remove_pointer_t<T>>::value;

/// A launch's arguments, and the addresses behind its reference parameters.
template <class... Parameters>
struct ArgumentsOf {
    LaunchArgument all[sizeof...(Parameters) + 1] = {};
    int count = 0;

    explicit ArgumentsOf(const Parameters&... arguments) {
        int position = 0;
        (note<Parameters>(++position, arguments), ...);
        (void)position;
    }

  private:
    template <class Parameter>
    void note(int position, const std::remove_reference_t<Parameter>& argument) {
        if constexpr (std::is_lvalue_reference<Parameter>::value) {
            add(position, &argument);
        } else if constexpr (kPointsToData<std::decay_t<Parameter>>) {
            add(position, argument);
        } else if constexpr (std::is_pointer<std::decay_t<Parameter>>::value) {
            all[count++] = {position, reinterpret_cast<const void*>(argument),
                            LaunchArgument::Kind::function};
        } else if constexpr (std::is_class<std::decay_t<Parameter>>::value) {
            all[count++] = {position, static_cast<const void*>(std::addressof(argument)),
                            LaunchArgument::Kind::object, sizeof argument};
        } else if constexpr (std::is_integral<std::decay_t<Parameter>>::value) {
            all[count++] = {position, nullptr, LaunchArgument::Kind::number, 0,
                            static_cast<std::int64_t>(argument)};
        }
    }
    void add(int position, const volatile void* pointer) {
        all[count++] = {position, const_cast<const void*>(pointer)};
    }
};

/// Arguments by name: `call` copies them for each thread, as a C++ call does.
template <class Call, class... Arguments>
cudaError_t launch_with(const KernelSite& where, const LaunchShape& shape, const void* address,
                        const Call& call, Arguments&... arguments) {
    struct Bound {
        const Call& call;
        std::tuple<Arguments&...> arguments;
        static void run(const void* object) {
            const Bound& self = *static_cast<const Bound*>(object);
            std::apply(self.call, self.arguments);
        }
    };
    const ArgumentsOf<Arguments...> noted(arguments...);
    const Bound bound{call, std::tuple<Arguments&...>(arguments...)};
    // Only a launch expression has its address determined, and each has a type of its own.
    static const void* found = nullptr;
    return run_launch(where, shape, {address != nullptr ? &address : &found, &bound, &Bound::run},
                      noted.all, noted.count);
}

/// Whether a call passes a T in registers or on the stack. Any other one is passed by the address
/// of a copy (Itanium C++ ABI, 3.1.1), and that copy can be made byte by byte.
template <class T>
constexpr bool kPassedAsBytes = std::is_reference<T>::value ||
                                (std::is_trivially_copy_constructible<T>::value &&
                                 std::is_trivially_move_constructible<T>::value &&
                                 std::is_trivially_destructible<T>::value);

/// A thread's own copy of an argument's bytes: no constructor or destructor runs.
template <class T>
struct ArgumentBytes {
    alignas(T) unsigned char bytes[sizeof(T)];
    explicit ArgumentBytes(const T& from) {
        std::memcpy(bytes, static_cast<const void*>(&from), sizeof bytes);
    }
    void* pass() { return bytes; }
};
template <class T>
struct ArgumentItself {
    T value;
    explicit ArgumentItself(T from) : value(from) {}
    T pass() { return value; }
};
template <class T>
using PassedArgument =
    std::conditional_t<kPassedAsBytes<T>, ArgumentItself<T>, ArgumentBytes<std::remove_const_t<T>>>;

/// A kernel with a parameter that has a copy constructor or a destructor: as on a device, neither
/// runs for a thread, which gets the bytes of the launch's one copy.
template <class... Parameters>
cudaError_t launch_bytes(const KernelSite& where, const LaunchShape& shape,
                         void (*kernel)(Parameters...), Parameters&... arguments) {
    struct Bound {
        void (*kernel)(Parameters...);
        std::tuple<Parameters&...> arguments;
        static void run(const void* object) {
            const Bound& self = *static_cast<const Bound*>(object);
            std::apply(
                [&](auto&... from) {
                    std::tuple<PassedArgument<Parameters>...> own{
                        PassedArgument<Parameters>(from)...};
                    std::apply(
                        [&](auto&... each) {
                            // Through void (*)(), which compilers accept as "known to differ".
                            reinterpret_cast<void (*)(
                                decltype(std::declval<PassedArgument<Parameters>&>().pass())...)>(
                                reinterpret_cast<void (*)()>(self.kernel))(each.pass()...);
                        },
                        own);
                },
                self.arguments);
        }
    };
    const ArgumentsOf<Parameters...> noted(arguments...);
    const Bound bound{kernel, std::tuple<Parameters&...>(arguments...)};
    const void* const address = reinterpret_cast<const void*>(kernel);
    const void* known = address;
    return run_launch(where, shape, {&known, &bound, &Bound::run}, noted.all, noted.count);
}

/// Takes a kernel by name and yields its type; does not compile for an overloaded name. Nor for a
/// kernel without parameters: an empty pack would match any of several functions (AddressWith).
struct AddressOf {
    template <class First, class... Parameters>
    auto operator()(void (*kernel)(First, Parameters...)) const {
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
        if constexpr ((kPassedAsBytes<Parameters> && ...)) {
            launch_with<Call, Parameters...>(where, shape, reinterpret_cast<const void*>(kernel),
                                             call, arguments...);
        } else {
            launch_bytes<Parameters...>(where, shape, kernel, arguments...);
        }
    }
    /// With fewer arguments than parameters: the rest have defaults.
    template <class... Given, class = std::enable_if_t<(sizeof...(Given) < sizeof...(Parameters))>>
    void operator()(Given... given) const {
        launch_with<Call, Given...>(where, shape, reinterpret_cast<const void*>(kernel), call,
                                    given...);
    }
};

/// A launch that leaves the kernel's template arguments to be deduced. If the arguments have
/// exactly the types of its parameters, the kernel is still known, and so are its attributes.
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
            const auto found = address(AddressWith<Arguments...>{});
            if constexpr (!(kPassedAsBytes<Arguments> && ...)) {
                launch_bytes<Arguments...>(where, shape, found, arguments...);
                return;
            }
            kernel = reinterpret_cast<const void*>(found);
        }
        launch_with<Call, Arguments...>(where, shape, kernel, call, arguments...);
    }
};

template <class Call, class Address>
struct Launcher {
    KernelSite where;
    Call call;
    Address address;

    /// Since CUDA 13 the block size also has a default.
    auto configure(dim3 grid, dim3 block = dim3(1), std::size_t dynamic_bytes = 0,
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

}  // namespace emulator
