// Device memory for graders: poisoned until it is written, and guarded on both sides.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../harness/device_buffer.hpp"

namespace grading {

using tutorial::DeviceBuffer;

namespace detail {

constexpr const char* kUnnamed = "an array of the grader's";

/// Bytes of device memory. On a GPU there is a guard before and after them; the emulator has its
/// own guards.
class GuardedMemory {
  public:
    GuardedMemory(std::size_t bytes, const char* name);
    GuardedMemory(GuardedMemory&& other) noexcept;
    GuardedMemory& operator=(GuardedMemory&& other) noexcept;
    ~GuardedMemory();

    void* data() const;
    void upload(const void* from);
    void download(void* to) const;

    struct Block;

  private:
    std::unique_ptr<Block> block_;
};

/// Which guard of the present arrays was written to, in words; empty: none. The device must be
/// idle.
std::string damaged_guard();

}  // namespace detail

/// An array in device memory, freed by itself.
template <class T>
class DeviceArray {
  public:
    /// `n` uninitialised items: all bits set, and on the emulator a fault to read.
    /// 0 items: data() is nullptr. `name`: the name that faults give it, as in the task; a literal.
    explicit DeviceArray(std::size_t n, const char* name = detail::kUnnamed)
        : memory_(n * sizeof(T), name), size_(n) {}
    explicit DeviceArray(const std::vector<T>& values, const char* name = detail::kUnnamed)
        : DeviceArray(values.size(), name) {
        set(values);
    }

    T* data() { return static_cast<T*>(memory_.data()); }
    const T* data() const { return static_cast<const T*>(memory_.data()); }
    std::size_t size() const { return size_; }

    /// Waits for the device. Throws CudaError if a kernel has failed.
    std::vector<T> values() const {
        std::vector<T> items(size_);
        memory_.download(items.data());
        return items;
    }

    /// Throws std::length_error unless there are size() values.
    void set(const std::vector<T>& values) {
        if (values.size() != size_) throw std::length_error("DeviceArray::set: not size() values");
        memory_.upload(values.data());
    }

  private:
    detail::GuardedMemory memory_;
    std::size_t size_;
};

}  // namespace grading
