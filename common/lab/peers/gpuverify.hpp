// What a kernel of GPUVerify's testsuite needs to be compiled and launched: its annotations, which
// have no meaning here, and arguments made from the types of the kernel's parameters.
//
// PROGRAM zeros: all memory is zero, a number 1. PROGRAM numbers: word i of array k is i + k, so
// that two accesses that store what they have read store different values.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define __requires(...) ((void)0)
#define __ensures(...) ((void)0)
#define __assert(...) ((void)0)
#define __assume(...) ((void)0)
#define __invariant(...) ((void)0)
#define __global_invariant(...) ((void)0)
#define __requires_fresh_array(...) ((void)0)
#define __axiom(...) static_assert(true)

namespace cooperative_groups {
template <typename Group>
__device__ void synchronize(const Group& group) {
    group.sync();
}
}  // namespace cooperative_groups

namespace peers {

constexpr std::size_t kItems = std::size_t(1) << 18;

class Arguments {
  public:
    Arguments(bool numbers, std::map<int, long long> values)
        : is_numbered(numbers), values_(std::move(values)) {}

    ~Arguments() {
        for (void* array : arrays) cudaFree(array);
    }

    template <typename T>
    void set(T& argument, int number) {
        const auto found = values_.find(number);
        if constexpr (std::is_pointer_v<T>) {
            using Item = std::remove_cv_t<std::remove_pointer_t<T>>;
            if constexpr (std::is_function_v<Item>) {
                argument = found == values_.end() ? nullptr : T(found->second);
            } else {
                argument = static_cast<T>(array(kItems * size<Item>()));
            }
        } else if constexpr (std::is_arithmetic_v<T>) {
            argument = T(found == values_.end() ? (is_numbered ? 32 : 1) : found->second);
        } else if constexpr (alignof(T) == sizeof(void*) && sizeof(T) % sizeof(void*) == 0) {
            // A struct of pointers: each gets an array of its own.
            for (std::size_t at = 0; at < sizeof(T); at += sizeof(void*)) {
                void* const item = array(kItems * sizeof(float));
                std::memcpy(reinterpret_cast<char*>(&argument) + at, &item, sizeof item);
            }
        }
    }

  private:
    template <typename Item>
    static constexpr std::size_t size() {
        if constexpr (std::is_void_v<Item>) {
            return 1;
        } else {
            return sizeof(Item);
        }
    }

    void* array(std::size_t bytes) {
        void* made = nullptr;
        cudaMalloc(&made, bytes);
        arrays.push_back(made);
        std::vector<unsigned> words(bytes / sizeof(unsigned));
        for (std::size_t i = 0; is_numbered && i < words.size(); ++i)
            words[i] = unsigned(i + arrays.size());
        cudaMemcpy(made, words.data(), words.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
        return made;
    }

    bool is_numbered;
    std::map<int, long long> values_;
    std::vector<void*> arrays;
};

/// The address on the device that a __device__ variable holds.
template <typename Function>
long long address(Function& variable) {
    Function held{};
    cudaMemcpyFromSymbol(&held, variable, sizeof held);
    return reinterpret_cast<long long>(held);
}

/// Launches the kernel once; the result is main()'s.
template <typename... P>
int launch(void (*kernel)(P...), dim3 grid, dim3 block, bool is_cooperative, const char* memory,
           std::map<int, long long> values = {}) {
    Arguments arguments(std::strcmp(memory, "numbers") == 0, std::move(values));
    std::tuple<std::decay_t<P>...> held{};
    int number = 0;
    std::apply([&](auto&... each) { (arguments.set(each, number++), ...); }, held);
    cudaError_t error = cudaSuccess;
    std::apply(
        [&](auto&... each) {
            void* pointers[] = {static_cast<void*>(&each)..., nullptr};
            error = is_cooperative ? cudaLaunchCooperativeKernel(kernel, grid, block, pointers)
                                   : cudaLaunchKernel(kernel, grid, block, pointers);
        },
        held);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return 0;
}

}  // namespace peers
