// Where the learner's code runs, as the judge sees it: in this process, or in a separate one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "verdict.hpp"
#if GRADING_HAS_LAB
#include "../../lab/include/lab/lab.hpp"
#endif

namespace grading::detail {

/// Everything that the library does to the device on which the learner's kernels run. Errors are
/// thrown, as CUDA's are.
class Machine {
  public:
    virtual ~Machine() = default;

    /// Before each phase. `order`: of threads, on the emulator; `watches`: look for faults.
    virtual void begin(const std::string& order, bool watches) = 0;
    /// Says what is tried from here on: to the tool, and in the learner's output.
    virtual void mark(const std::string& at) = 0;
    /// At least one byte; poisoned, or to the emulator: never written.
    virtual void* allocate(std::size_t bytes, const char* name) = 0;
    virtual void release(void* memory) noexcept = 0;
    virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
    virtual void download(void* to, const void* from, std::size_t bytes) = 0;
    virtual void fill(void* memory, unsigned char byte, std::size_t bytes) = 0;
    virtual std::vector<Failure> take_faults() = 0;
    virtual std::vector<Failure> take_leaks() = 0;
#if GRADING_HAS_LAB
    /// What is moved to and from the array of `bytes` bytes at `followed` is also counted
    /// separately.
    virtual lab::Report count(const std::function<void()>& run, const std::function<void()>& reset,
                              const void* followed, std::size_t bytes) = 0;
#endif
};

/// The one in use; at first this process.
Machine& machine();
void use_machine(Machine& other);

/// From here on the learner's code runs in the process at the other end of these two pipes.
void use_remote_machine(int from, int to);

}  // namespace grading::detail
