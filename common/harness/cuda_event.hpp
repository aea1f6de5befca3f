// A CUDA event that destroys itself: a mark in the stream of work that notes when it is passed.
#pragma once

#include <cuda_runtime.h>

#include "cuda_check.hpp"

namespace tutorial {

class CudaEvent {
  public:
    CudaEvent() { CUDA_CHECK(cudaEventCreate(&event_)); }
    ~CudaEvent() { static_cast<void>(cudaEventDestroy(event_)); }
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    /// On the default stream, after all that is enqueued there. Does not wait.
    void record() const { CUDA_CHECK(cudaEventRecord(event_)); }

    /// Until the device has passed the mark.
    void wait() const { CUDA_CHECK(cudaEventSynchronize(event_)); }

    /// Device time between two marks that have been passed.
    double seconds_since(const CudaEvent& start) const {
        float milliseconds = 0.0f;
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
        return milliseconds * 1e-3;
    }

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace tutorial
