// RegisteredBuffer: device memory that is sent between GPUs without a copy on the way.
//
// NCCL sends the data of an ordinary buffer through its own buffers, and copies it out again at the
// receiver. Memory from ncclMemAlloc that is registered needs neither copy (NVIDIA, NCCL user
// guide, "User Buffer Registration").
#pragma once

#include <cstddef>

#include "../cuda_check.hpp"
#include "nccl_check.hpp"
#include "ranks.hpp"

namespace tutorial {

/// `count` items of type T in device memory, zeroed, for messages of `ranks`. With one rank there
/// is no communicator, and this is plain device memory. Throws NcclError if memory is short.
template <class T>
class RegisteredBuffer {
  public:
    RegisteredBuffer(std::size_t count, const Ranks& ranks) : count_(count), comm_(ranks.comm()) {
        if (count == 0) return;
        void* data = nullptr;
        NCCL_CHECK(ncclMemAlloc(&data, bytes()));
        data_ = static_cast<T*>(data);
        CUDA_CHECK(cudaMemset(data_, 0, bytes()));
        if (comm_ != nullptr) NCCL_CHECK(ncclCommRegister(comm_, data_, bytes(), &handle_));
    }
    // A destructor must not throw, and an error here repeats one that was already reported.
    ~RegisteredBuffer() {
        if (handle_ != nullptr) static_cast<void>(ncclCommDeregister(comm_, handle_));
        static_cast<void>(ncclMemFree(data_));
    }
    RegisteredBuffer(const RegisteredBuffer&) = delete;
    RegisteredBuffer& operator=(const RegisteredBuffer&) = delete;

    T* data() { return data_; }
    std::size_t size() const { return count_; }
    std::size_t bytes() const { return count_ * sizeof(T); }

  private:
    T* data_ = nullptr;
    std::size_t count_;
    ncclComm_t comm_;
    void* handle_ = nullptr;
};

}  // namespace tutorial
