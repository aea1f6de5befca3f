// Memory that NCCL allocates, and registered buffers. Here both are only recorded: to MPI, all
// memory of the emulator is alike.
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "communicator.hpp"

namespace {

std::mutex mutex;
std::set<void*> allocated;                                // by ncclMemAlloc; guarded by mutex
std::set<std::pair<ncclComm_t, const void*>> registered;  // guarded by mutex

}  // namespace

ncclResult_t ncclMemAlloc(void** data, std::size_t bytes) {
    using cpu_nccl::fail;
    if (data == nullptr) return ncclInvalidArgument;
    *data = nullptr;
    const cudaError_t error = cudaMalloc(data, bytes);
    if (error != cudaSuccess) {
        return fail(nullptr, ncclUnhandledCudaError, cudaGetErrorString(error));
    }
    const std::lock_guard<std::mutex> lock(mutex);
    if (*data != nullptr) allocated.insert(*data);
    return ncclSuccess;
}

ncclResult_t ncclMemFree(void* data) {
    using cpu_nccl::fail;
    if (data == nullptr) return ncclSuccess;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (allocated.erase(data) == 0) {
            return fail(
                nullptr, ncclInvalidArgument,
                "ncclMemFree: this memory did not come from ncclMemAlloc, or was already freed");
        }
    }
    const cudaError_t error = cudaFree(data);
    if (error == cudaSuccess) return ncclSuccess;
    return fail(nullptr, ncclUnhandledCudaError, cudaGetErrorString(error));
}

ncclResult_t ncclCommRegister(const ncclComm_t comm, void* data, std::size_t bytes, void** handle) {
    using cpu_nccl::fail;
    if (comm == nullptr || handle == nullptr || bytes == 0) return ncclInvalidArgument;
    *handle = nullptr;
    const std::string wrong = cpu_nccl::not_device_memory("ncclCommRegister", data, bytes);
    if (!wrong.empty()) return fail(comm, ncclInvalidArgument, wrong);
    const std::lock_guard<std::mutex> lock(mutex);
    registered.insert({comm, data});
    *handle = data;
    return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void* handle) {
    using cpu_nccl::fail;
    if (comm == nullptr) return ncclInvalidArgument;
    const std::lock_guard<std::mutex> lock(mutex);
    if (registered.erase({comm, handle}) > 0) return ncclSuccess;
    return fail(comm, ncclInvalidArgument,
                "ncclCommDeregister: this handle is not from ncclCommRegister, or was already "
                "deregistered");
}
