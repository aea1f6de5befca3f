// A communicator of the emulator's NCCL: an MPI communicator of its own, and what went wrong.
#pragma once

#include <mpi.h>
#include <nccl.h>
#include <nccl_link_counts.hpp>

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

struct ncclComm {
    MPI_Comm mpi = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    int device = 0;
    std::atomic<bool> aborted{false};
    std::atomic<ncclResult_t> error{ncclSuccess};
};

namespace cpu_nccl {

/// Prints what was wrong with which call to stderr, and keeps it for ncclGetLastError().
ncclResult_t fail(ncclComm_t comm, ncclResult_t result, const std::string& text);

/// Bytes of one item; 0: not a known type.
std::size_t size_of(ncclDataType_t type);

/// "ncclSend: the buffer is host memory"; empty if [data, data + bytes) is device memory.
std::string not_device_memory(const char* call, const void* data, std::size_t bytes);

/// Lets MPI continue until all requests are done; gives up if the communicator is aborted or
/// nothing has been done for TUTORIAL_CPU_TIME_LIMIT seconds. `what` names the awaited operation in
/// the report.
ncclResult_t wait_for(ncclComm_t comm, std::vector<MPI_Request>& requests, const std::string& what);

/// Copies between device and host memory with the emulator's own checks.
ncclResult_t to_host(ncclComm_t comm, const void* device, std::vector<unsigned char>& host);
ncclResult_t to_device(ncclComm_t comm, const std::vector<unsigned char>& host, void* device);

void count_message(const ncclComm& comm, int peer, std::size_t bytes);
void start_counting(int size);

}  // namespace cpu_nccl
