#include <cuda_runtime.h>

#include <cstdlib>

#include "../../harness/backend.hpp"
#include "../../harness/cuda_check.hpp"
#include "../../harness/device_buffer.hpp"
#include "faults.hpp"
#include "local_machine.hpp"
#include "tool_pipe.hpp"

namespace grading::detail {
namespace {

LocalMachine here;
Machine* used = &here;

}  // namespace

Machine& machine() { return *used; }

void use_machine(Machine& other) { used = &other; }

void LocalMachine::begin(const std::string& order, bool watches) {
    keep_reports();
    tutorial::set_thread_order(order, 1);
    if (watches) {
        start_fault_detection();
    } else {
        stop_fault_detection();
    }
}

void LocalMachine::mark(const std::string& at) {
    tell_where(at);
    mark_output(at);
}

void* LocalMachine::allocate(std::size_t bytes, const char* name) {
#if defined(TUTORIAL_EMULATOR)
    // Without a place in the source, so that findings name the array itself.
    void* data = nullptr;
    CUDA_CHECK(emulator::allocate_device(&data, bytes, name, {}));
    return data;
#else
    static_cast<void>(name);
    return tutorial::allocate_device(bytes, 1);
#endif
}

// An error here was already reported.
void LocalMachine::release(void* memory) noexcept { static_cast<void>(cudaFree(memory)); }

void LocalMachine::upload(void* to, const void* from, std::size_t bytes) {
    CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
}

void LocalMachine::download(void* to, const void* from, std::size_t bytes) {
    CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void LocalMachine::fill(void* memory, unsigned char byte, std::size_t bytes) {
    CUDA_CHECK(cudaMemset(memory, byte, bytes));
}

std::vector<Failure> LocalMachine::take_faults() { return detail::take_faults(); }

std::vector<Failure> LocalMachine::take_leaks() { return detail::take_leaks(); }

#if GRADING_HAS_LAB
lab::Report LocalMachine::count(const std::function<void()>& run,
                                const std::function<void()>& reset, const void* followed,
                                std::size_t bytes) {
    // For `./tutorial check --play` the trace holds the run before this one; it ends with the
    // search for faults.
    const char* const trace = std::getenv("TUTORIAL_TRACE");
    if (trace != nullptr && *trace != '\0') return {};
    lab::follow(followed, bytes);
    lab::Report report = lab::count(run, reset);
    start_fault_detection();  // continues, with all that it knows about memory
    return report;
}
#endif

}  // namespace grading::detail
