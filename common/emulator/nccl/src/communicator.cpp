#include "communicator.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <random>
#include <thread>

namespace {

std::mutex mutex;
std::string last_error;                        // guarded by mutex
std::vector<emulator::LinkCount> link_counts;  // guarded by mutex

bool mpi_is_up() {
    int initialised = 0, finalised = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&finalised);
    return initialised != 0 && finalised == 0;
}

/// Seconds without progress after which a wait is given up; 0: never.
double time_limit() {
    const char* const text = std::getenv("TUTORIAL_CPU_TIME_LIMIT");
    return text == nullptr || *text == '\0' ? 20.0 : std::atof(text);
}

}  // namespace

namespace cpu_nccl {

ncclResult_t fail(ncclComm_t comm, ncclResult_t result, const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex);
    last_error = text;
    if (comm != nullptr) {
        comm->error = result;
        std::fprintf(stderr, "Emulator: NCCL, rank %d of %d: %s\n", comm->rank, comm->size,
                     text.c_str());
    } else {
        std::fprintf(stderr, "Emulator: NCCL: %s\n", text.c_str());
    }
    return result;
}

std::size_t size_of(ncclDataType_t type) {
    switch (type) {
        case ncclInt8:
        case ncclUint8:
            return 1;
        case ncclInt32:
        case ncclUint32:
        case ncclFloat32:
            return 4;
        case ncclInt64:
        case ncclUint64:
        case ncclFloat64:
            return 8;
    }
    return 0;
}

std::string not_device_memory(const char* call, const void* data, std::size_t bytes) {
    if (bytes == 0) return {};
    cudaPointerAttributes attributes{};
    const bool known =
        data != nullptr && cudaPointerGetAttributes(&attributes, data) == cudaSuccess &&
        (attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged);
    if (known) return {};
    return std::string(call) + ": the buffer must be device memory (cudaMalloc), and it is not";
}

ncclResult_t wait_for(ncclComm_t comm, std::vector<MPI_Request>& requests,
                      const std::string& what) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const double limit = time_limit();
    for (int idle = 0;; ++idle) {
        int done = 0;
        if (MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                        MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
            return fail(comm, ncclInvalidUsage,
                        what + ": sender and receiver do not agree on the number of bytes");
        }
        if (done != 0) return ncclSuccess;
        if (comm->aborted) return ncclRemoteError;
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (limit > 0 && seconds > limit) {
            return fail(comm, ncclRemoteError,
                        what + ": nothing arrived for " + std::to_string(static_cast<int>(limit)) +
                            " s; does every rank make the same calls, in the same order?");
        }
        // Ranks share the cores: a rank that waits for long yields its core.
        if (idle > 100) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
}

ncclResult_t to_host(ncclComm_t comm, const void* device, std::vector<unsigned char>& host) {
    if (host.empty()) return ncclSuccess;
    const cudaError_t error = cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDeviceToHost);
    if (error == cudaSuccess) return ncclSuccess;
    return fail(comm, ncclUnhandledCudaError, cudaGetErrorString(error));
}

ncclResult_t to_device(ncclComm_t comm, const std::vector<unsigned char>& host, void* device) {
    if (host.empty()) return ncclSuccess;
    const cudaError_t error = cudaMemcpy(device, host.data(), host.size(), cudaMemcpyHostToDevice);
    if (error == cudaSuccess) return ncclSuccess;
    return fail(comm, ncclUnhandledCudaError, cudaGetErrorString(error));
}

void count_message(const ncclComm& comm, int peer, std::size_t bytes) {
    if (peer == comm.rank) return;
    const std::lock_guard<std::mutex> lock(mutex);
    emulator::LinkCount& count = link_counts.at(static_cast<std::size_t>(peer));
    ++count.messages;
    count.bytes += bytes;
}

void start_counting(int size) {
    const std::lock_guard<std::mutex> lock(mutex);
    link_counts.resize(static_cast<std::size_t>(size));
}

}  // namespace cpu_nccl

namespace emulator {

std::vector<LinkCount> nccl_link_counts() {
    const std::lock_guard<std::mutex> lock(mutex);
    return link_counts;
}

void reset_nccl_link_counts() {
    const std::lock_guard<std::mutex> lock(mutex);
    for (LinkCount& count : link_counts) count = {};
}

}  // namespace emulator

ncclResult_t ncclGetVersion(int* version) {
    if (version == nullptr) return ncclInvalidArgument;
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
        case ncclSuccess:
            return "no error";
        case ncclUnhandledCudaError:
            return "unhandled cuda error";
        case ncclSystemError:
            return "unhandled system error";
        case ncclInternalError:
            return "internal error";
        case ncclInvalidArgument:
            return "invalid argument";
        case ncclInvalidUsage:
            return "invalid usage";
        case ncclRemoteError:
            return "remote process exited or there was a network error";
        case ncclInProgress:
            return "operation in progress";
        case ncclNumResults:
            break;
    }
    return "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) {
    static thread_local std::string mine;
    const std::lock_guard<std::mutex> lock(mutex);
    mine = last_error;
    return mine.c_str();
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    if (id == nullptr) return ncclInvalidArgument;
    std::random_device random;
    for (char& byte : id->internal) byte = static_cast<char>(random());
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
    using cpu_nccl::fail;
    if (comm == nullptr) return ncclInvalidArgument;
    *comm = nullptr;
    if (!mpi_is_up()) {
        return fail(nullptr, ncclInvalidUsage, "ncclCommInitRank: MPI_Init must come first");
    }
    int world_size = 0, world_rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (ranks != world_size || rank != world_rank) {
        return fail(nullptr, ncclInvalidArgument,
                    "ncclCommInitRank: the emulator makes communicators of all ranks of MPI; "
                    "this is rank " +
                        std::to_string(world_rank) + " of " + std::to_string(world_size) +
                        ", and not " + std::to_string(rank) + " of " + std::to_string(ranks));
    }
    auto* const made = new ncclComm;
    made->rank = rank;
    made->size = ranks;
    MPI_Comm_dup(MPI_COMM_WORLD, &made->mpi);
    MPI_Comm_set_errhandler(made->mpi, MPI_ERRORS_RETURN);
    static_cast<void>(cudaGetDevice(&made->device));
    cpu_nccl::start_counting(ranks);
    // All ranks must hold the id that one of them made.
    ncclUniqueId firsts = id;
    MPI_Bcast(firsts.internal, NCCL_UNIQUE_ID_BYTES, MPI_CHAR, 0, made->mpi);
    int differs = std::memcmp(firsts.internal, id.internal, NCCL_UNIQUE_ID_BYTES) != 0;
    MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, made->mpi);
    if (differs != 0) {
        MPI_Comm_free(&made->mpi);
        delete made;
        return fail(nullptr, ncclInvalidArgument,
                    "ncclCommInitRank: the ranks' ids differ; one rank creates the id, the others "
                    "receive it");
    }
    *comm = made;
    return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    return comm == nullptr ? ncclInvalidArgument : ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    if (comm == nullptr) return ncclSuccess;
    if (!comm->aborted && mpi_is_up()) MPI_Comm_free(&comm->mpi);
    delete comm;
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
    // Not freed: another thread may be waiting in it, and the process is about to end.
    if (comm != nullptr) comm->aborted = true;
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
    if (comm == nullptr || error == nullptr) return ncclInvalidArgument;
    *error = comm->error;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
    if (comm == nullptr || count == nullptr) return ncclInvalidArgument;
    *count = comm->size;
    return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
    if (comm == nullptr || rank == nullptr) return ncclInvalidArgument;
    *rank = comm->rank;
    return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int* device) {
    if (comm == nullptr || device == nullptr) return ncclInvalidArgument;
    *device = comm->device;
    return ncclSuccess;
}
