// Sends, receives and collectives. Inside a group they are collected; ncclGroupEnd() runs them:
// first all sends and receives together, so that no order of them can hang, then the collectives in
// the order of their calls.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "communicator.hpp"

namespace {

using cpu_nccl::fail;
using Bytes = std::vector<unsigned char>;

/// MPI counts in int: larger messages are sent in pieces of this many bytes.
constexpr std::size_t kPiece = std::size_t{1} << 30;

struct Message {
    bool sends;
    void* data;
    std::size_t bytes;
    int peer;
    ncclComm_t comm;
};

thread_local int depth = 0;
thread_local std::vector<Message> messages;
thread_local std::vector<std::function<ncclResult_t()>> collectives;

std::string bytes_text(std::size_t bytes) { return std::to_string(bytes) + " bytes"; }

/// All sends and receives of a group, at once. A message is its length, then its bytes: a receiver
/// that expects another length gets an error; on a device it would hang.
ncclResult_t exchange(const std::vector<Message>& group) {
    constexpr int kLengthTag = 1, kDataTag = 2;
    struct Transfer {
        const Message* message;
        Bytes data;
        std::uint64_t length;
    };
    std::vector<std::unique_ptr<Transfer>> transfers;
    std::vector<MPI_Request> lengths;
    if (group.empty()) return ncclSuccess;
    const ncclComm_t comm = group.front().comm;
    for (const Message& message : group) {
        transfers.push_back(
            std::make_unique<Transfer>(Transfer{&message, Bytes(message.bytes), message.bytes}));
        Transfer& transfer = *transfers.back();
        MPI_Request request;
        if (message.sends) {
            const ncclResult_t copied =
                cpu_nccl::to_host(message.comm, message.data, transfer.data);
            if (copied != ncclSuccess) return copied;
            MPI_Isend(&transfer.length, 1, MPI_UINT64_T, message.peer, kLengthTag,
                      message.comm->mpi, &request);
            cpu_nccl::count_message(*message.comm, message.peer, message.bytes);
        } else {
            MPI_Irecv(&transfer.length, 1, MPI_UINT64_T, message.peer, kLengthTag,
                      message.comm->mpi, &request);
        }
        lengths.push_back(request);
    }
    ncclResult_t done = cpu_nccl::wait_for(comm, lengths, "ncclSend, ncclRecv");
    if (done != ncclSuccess) return done;
    std::vector<MPI_Request> pieces;
    for (const auto& transfer : transfers) {
        const Message& message = *transfer->message;
        if (!message.sends && transfer->length != message.bytes) {
            return fail(comm, ncclInvalidUsage,
                        "ncclRecv: rank " + std::to_string(message.peer) + " sent " +
                            bytes_text(transfer->length) + ", and " + bytes_text(message.bytes) +
                            " are expected");
        }
        for (std::size_t at = 0; at < message.bytes; at += kPiece) {
            const int count = static_cast<int>(std::min(kPiece, message.bytes - at));
            MPI_Request request;
            if (message.sends) {
                MPI_Isend(transfer->data.data() + at, count, MPI_BYTE, message.peer, kDataTag,
                          message.comm->mpi, &request);
            } else {
                MPI_Irecv(transfer->data.data() + at, count, MPI_BYTE, message.peer, kDataTag,
                          message.comm->mpi, &request);
            }
            pieces.push_back(request);
        }
    }
    done = cpu_nccl::wait_for(comm, pieces, "ncclSend, ncclRecv");
    if (done != ncclSuccess) return done;
    for (const auto& transfer : transfers) {
        const Message& message = *transfer->message;
        if (message.sends) continue;
        done = cpu_nccl::to_device(message.comm, transfer->data, message.data);
        if (done != ncclSuccess) return done;
    }
    return ncclSuccess;
}

ncclResult_t run_group() {
    const std::vector<Message> group = std::move(messages);
    const std::vector<std::function<ncclResult_t()>> calls = std::move(collectives);
    messages.clear();
    collectives.clear();
    ncclResult_t result = exchange(group);
    for (const auto& call : calls) {
        if (result == ncclSuccess) result = call();
    }
    return result;
}

ncclResult_t in_group(const std::function<ncclResult_t()>& call) {
    collectives.push_back(call);
    return depth == 0 ? run_group() : ncclSuccess;
}

MPI_Datatype mpi_type(ncclDataType_t type) {
    switch (type) {
        case ncclInt8:
            return MPI_INT8_T;
        case ncclUint8:
            return MPI_UINT8_T;
        case ncclInt32:
            return MPI_INT32_T;
        case ncclUint32:
            return MPI_UINT32_T;
        case ncclInt64:
            return MPI_INT64_T;
        case ncclUint64:
            return MPI_UINT64_T;
        case ncclFloat32:
            return MPI_FLOAT;
        case ncclFloat64:
            return MPI_DOUBLE;
    }
    return MPI_DATATYPE_NULL;
}

MPI_Op mpi_op(ncclRedOp_t op) {
    switch (op) {
        case ncclSum:
            return MPI_SUM;
        case ncclProd:
            return MPI_PROD;
        case ncclMax:
            return MPI_MAX;
        case ncclMin:
            return MPI_MIN;
    }
    return MPI_OP_NULL;
}

/// Counts the `steps` messages of a ring to the next rank, `bytes` each.
void count_ring(const ncclComm& comm, int steps, std::size_t bytes) {
    if (comm.size == 1) return;
    for (int i = 0; i < steps; ++i) {
        cpu_nccl::count_message(comm, (comm.rank + 1) % comm.size, bytes);
    }
}

/// The checks of every collective before it is kept for the end of the group.
ncclResult_t check(const char* call, const void* send, std::size_t send_items, const void* receive,
                   std::size_t receive_items, ncclDataType_t type, ncclComm_t comm, int root = 0) {
    if (comm == nullptr) {
        return fail(nullptr, ncclInvalidArgument, std::string(call) + ": the communicator is null");
    }
    if (comm->aborted) return ncclRemoteError;
    const std::size_t size = cpu_nccl::size_of(type);
    std::string wrong;
    if (size == 0) wrong = std::string(call) + ": a data type that the emulator does not support";
    if (root < 0 || root >= comm->size) {
        wrong = std::string(call) + ": rank " + std::to_string(root) + " is not one of 0 to " +
                std::to_string(comm->size - 1);
    }
    if (wrong.empty()) wrong = cpu_nccl::not_device_memory(call, send, send_items * size);
    if (wrong.empty()) wrong = cpu_nccl::not_device_memory(call, receive, receive_items * size);
    if (std::max(send_items, receive_items) * size > kPiece) {
        wrong = std::string(call) + ": the emulator takes at most 1 GiB in a collective";
    }
    return wrong.empty() ? ncclSuccess : fail(comm, ncclInvalidArgument, wrong);
}

/// One collective: copies `send` to the host, `start` posts it, the answer goes to the device.
ncclResult_t collective(const char* call, ncclComm_t comm, const void* send, std::size_t send_bytes,
                        void* receive, std::size_t receive_bytes,
                        const std::function<int(Bytes&, Bytes&, MPI_Request*)>& start) {
    Bytes from(send_bytes), to(receive_bytes);
    ncclResult_t done = cpu_nccl::to_host(comm, send, from);
    if (done != ncclSuccess) return done;
    std::vector<MPI_Request> request(1);
    if (start(from, to, request.data()) != MPI_SUCCESS) {
        return fail(comm, ncclSystemError, std::string(call) + ": MPI failed");
    }
    done = cpu_nccl::wait_for(comm, request, call);
    if (done != ncclSuccess) return done;
    return cpu_nccl::to_device(comm, to, receive);
}

}  // namespace

ncclResult_t ncclGroupStart() {
    ++depth;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
    if (depth == 0) {
        return fail(nullptr, ncclInvalidUsage, "ncclGroupEnd: there was no ncclGroupStart");
    }
    return --depth == 0 ? run_group() : ncclSuccess;
}

namespace {

ncclResult_t point_to_point(const char* call, bool sends, void* data, std::size_t count,
                            ncclDataType_t type, int peer, ncclComm_t comm) {
    const ncclResult_t checked =
        check(call, sends ? data : nullptr, 0, sends ? nullptr : data, 0, type, comm, peer);
    if (checked != ncclSuccess) return checked;
    const std::size_t bytes = count * cpu_nccl::size_of(type);
    const std::string wrong = cpu_nccl::not_device_memory(call, data, bytes);
    if (!wrong.empty()) return fail(comm, ncclInvalidArgument, wrong);
    messages.push_back({sends, data, bytes, peer, comm});
    return depth == 0 ? run_group() : ncclSuccess;
}

}  // namespace

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t) {
    return point_to_point("ncclSend", true, const_cast<void*>(send), count, type, peer, comm);
}

ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t) {
    return point_to_point("ncclRecv", false, receive, count, type, peer, comm);
}

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t) {
    const ncclResult_t checked = check("ncclAllReduce", send, count, receive, count, type, comm);
    if (checked != ncclSuccess) return checked;
    return in_group([=] {
        const std::size_t bytes = count * cpu_nccl::size_of(type);
        const auto ranks = static_cast<std::size_t>(comm->size);
        count_ring(*comm, 2 * (comm->size - 1), (bytes + ranks - 1) / ranks);
        return collective("ncclAllReduce", comm, send, bytes, receive, bytes,
                          [&](Bytes& from, Bytes& to, MPI_Request* request) {
                              return MPI_Iallreduce(from.data(), to.data(), static_cast<int>(count),
                                                    mpi_type(type), mpi_op(op), comm->mpi, request);
                          });
    });
}

ncclResult_t ncclReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t) {
    const bool is_root = comm != nullptr && comm->rank == root;
    const ncclResult_t checked =
        check("ncclReduce", send, count, receive, is_root ? count : 0, type, comm, root);
    if (checked != ncclSuccess) return checked;
    return in_group([=] {
        const std::size_t bytes = count * cpu_nccl::size_of(type);
        if ((comm->rank + 1) % comm->size != root) count_ring(*comm, 1, bytes);
        return collective("ncclReduce", comm, send, bytes, receive, is_root ? bytes : 0,
                          [&](Bytes& from, Bytes& to, MPI_Request* request) {
                              return MPI_Ireduce(from.data(), to.data(), static_cast<int>(count),
                                                 mpi_type(type), mpi_op(op), root, comm->mpi,
                                                 request);
                          });
    });
}

ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t) {
    const bool is_root = comm != nullptr && comm->rank == root;
    const ncclResult_t checked =
        check("ncclBroadcast", send, is_root ? count : 0, receive, count, type, comm, root);
    if (checked != ncclSuccess) return checked;
    return in_group([=] {
        const std::size_t bytes = count * cpu_nccl::size_of(type);
        if ((comm->rank + 1) % comm->size != root) count_ring(*comm, 1, bytes);
        return collective("ncclBroadcast", comm, send, is_root ? bytes : 0, receive, bytes,
                          [&](Bytes& from, Bytes& to, MPI_Request* request) {
                              if (is_root) to = from;
                              return MPI_Ibcast(to.data(), static_cast<int>(bytes), MPI_BYTE, root,
                                                comm->mpi, request);
                          });
    });
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t) {
    const std::size_t ranks = comm == nullptr ? 0 : static_cast<std::size_t>(comm->size);
    const ncclResult_t checked =
        check("ncclAllGather", send, count, receive, count * ranks, type, comm);
    if (checked != ncclSuccess) return checked;
    return in_group([=] {
        const std::size_t bytes = count * cpu_nccl::size_of(type);
        count_ring(*comm, comm->size - 1, bytes);
        return collective("ncclAllGather", comm, send, bytes, receive, bytes * ranks,
                          [&](Bytes& from, Bytes& to, MPI_Request* request) {
                              const int each = static_cast<int>(bytes);
                              return MPI_Iallgather(from.data(), each, MPI_BYTE, to.data(), each,
                                                    MPI_BYTE, comm->mpi, request);
                          });
    });
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t count,
                               ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t) {
    const std::size_t ranks = comm == nullptr ? 0 : static_cast<std::size_t>(comm->size);
    const ncclResult_t checked =
        check("ncclReduceScatter", send, count * ranks, receive, count, type, comm);
    if (checked != ncclSuccess) return checked;
    return in_group([=] {
        const std::size_t bytes = count * cpu_nccl::size_of(type);
        count_ring(*comm, comm->size - 1, bytes);
        return collective("ncclReduceScatter", comm, send, bytes * ranks, receive, bytes,
                          [&](Bytes& from, Bytes& to, MPI_Request* request) {
                              return MPI_Ireduce_scatter_block(
                                  from.data(), to.data(), static_cast<int>(count), mpi_type(type),
                                  mpi_op(op), comm->mpi, request);
                          });
    });
}
