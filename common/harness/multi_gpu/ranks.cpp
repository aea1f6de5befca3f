#include "ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "../cuda_check.hpp"
#include "../device_buffer.hpp"
#include "../options.hpp"
#include "nccl_check.hpp"

namespace tutorial {

NcclError::NcclError(ncclResult_t code, const char* expression, const char* file, int line)
    : std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + expression + ": " +
                         ncclGetErrorString(code) + " (" + ncclGetLastError(nullptr) + ")") {}

void nccl_check(ncclResult_t code, const char* expression, const char* file, int line) {
    if (code != ncclSuccess) throw NcclError(code, expression, file, line);
}

Share share_of(std::size_t n, int rank, int ranks, std::size_t multiple) {
    const std::size_t pieces = (n + multiple - 1) / multiple;
    const auto begin_of = [&](int r) {
        const auto before = static_cast<std::size_t>(r);
        const auto all = static_cast<std::size_t>(ranks);
        const std::size_t first = pieces / all * before + std::min(pieces % all, before);
        return std::min(first * multiple, n);
    };
    return {begin_of(rank), begin_of(rank + 1) - begin_of(rank)};
}

namespace {

using Clock = std::chrono::steady_clock;

/// A rank from which nothing has come for this long is dead. A heartbeat takes a small part of it.
constexpr double kSilenceSeconds = 8.0;
constexpr auto kPulse = std::chrono::milliseconds(250);
constexpr int kPulseTag = 7;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

struct Ranks::Impl {
    int rank = 0;
    int size = 1;
    MPI_Comm control = MPI_COMM_NULL;  ///< of the main thread
    MPI_Comm pulse = MPI_COMM_NULL;    ///< of the watching thread
    std::atomic<ncclComm_t> nccl{nullptr};
    DeviceBuffer<int> meeting;
    std::atomic<bool> stops{false};
    std::thread watch;
    std::mutex ending;

    /// Prints one line, then ends all ranks. MPI kills the others; a rank that waits inside NCCL is
    /// woken first, so that it does not hold the device.
    [[noreturn]] void end_all(const std::string& why, int exit_code) {
        const std::lock_guard<std::mutex> lock(ending);  // only the first failure is printed
        // What goes wrong in all ranks at once is reported by one: it ends the others while they
        // wait.
        std::this_thread::sleep_for(std::chrono::milliseconds(std::min(200 * rank, 1000)));
        std::fprintf(stderr, "rank %d of %d: %s; all ranks end\n", rank, size, why.c_str());
        std::fflush(stderr);
        if (nccl != nullptr) static_cast<void>(ncclCommAbort(nccl));
        MPI_Abort(MPI_COMM_WORLD, exit_code);
        std::_Exit(exit_code);
    }

    /// Each rank sends its pulse to the next one and listens to the one before. A launcher kills
    /// the others when one dies, as mpirun does, or leaves that to the program, as srun may.
    void listen() {
        if (size == 1) return;
        const int next = (rank + 1) % size;
        const int before = (rank + size - 1) % size;
        char beat = 0, heard = 0;
        MPI_Request sent = MPI_REQUEST_NULL, coming = MPI_REQUEST_NULL;
        MPI_Irecv(&heard, 1, MPI_CHAR, before, kPulseTag, pulse, &coming);
        Clock::time_point last = Clock::now();
        while (!stops) {
            int done = 0;
            MPI_Test(&sent, &done, MPI_STATUS_IGNORE);
            if (done != 0) MPI_Isend(&beat, 1, MPI_CHAR, next, kPulseTag, pulse, &sent);
            MPI_Test(&coming, &done, MPI_STATUS_IGNORE);
            if (done != 0) {
                last = Clock::now();
                MPI_Irecv(&heard, 1, MPI_CHAR, before, kPulseTag, pulse, &coming);
            } else if (seconds_since(last) > kSilenceSeconds) {
                end_all("rank " + std::to_string(before) + " has not been heard from for " +
                            std::to_string(static_cast<int>(kSilenceSeconds)) + " s",
                        1);
            }
            ncclResult_t error = ncclSuccess;
            if (nccl != nullptr && ncclCommGetAsyncError(nccl, &error) == ncclSuccess &&
                error != ncclSuccess && error != ncclInProgress) {
                // The main thread also finds it, and says more; but it may wait forever.
                std::this_thread::sleep_for(std::chrono::seconds(2));
                if (!stops) end_all(std::string("NCCL: ") + ncclGetErrorString(error), 1);
            }
            std::this_thread::sleep_for(kPulse);
        }
        MPI_Cancel(&coming);
        MPI_Wait(&coming, MPI_STATUS_IGNORE);
        if (sent != MPI_REQUEST_NULL) {
            MPI_Cancel(&sent);
            MPI_Wait(&sent, MPI_STATUS_IGNORE);
        }
    }
};

Ranks::Ranks(int* argc, char*** argv) : impl_(std::make_unique<Impl>()) {
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &impl_->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &impl_->size);
    if (provided < MPI_THREAD_MULTIPLE) {
        impl_->end_all("this MPI does not let several threads call it (MPI_THREAD_MULTIPLE)", 3);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &impl_->control);
    MPI_Comm_dup(MPI_COMM_WORLD, &impl_->pulse);
    impl_->watch = std::thread([impl = impl_.get()] { impl->listen(); });
}

Ranks::Ranks() : impl_(std::make_unique<Impl>()) { impl_->control = MPI_COMM_SELF; }
Ranks Ranks::alone() { return Ranks(); }

Ranks::~Ranks() {
    if (impl_->control == MPI_COMM_SELF) return;
    barrier();  // no rank stops its heartbeat while another still checks for it
    impl_->stops = true;
    impl_->watch.join();
    barrier();
    if (impl_->nccl != nullptr) static_cast<void>(ncclCommDestroy(impl_->nccl));
    impl_->meeting = {};
    MPI_Comm_free(&impl_->pulse);
    MPI_Comm_free(&impl_->control);
    MPI_Finalize();
}

int Ranks::rank() const { return impl_->rank; }
int Ranks::size() const { return impl_->size; }
ncclComm_t Ranks::comm() const { return impl_->nccl; }

void Ranks::connect() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(impl_->control, MPI_COMM_TYPE_SHARED, impl_->rank, MPI_INFO_NULL, &machine);
    int local = 0, locals = 1;
    MPI_Comm_rank(machine, &local);
    MPI_Comm_size(machine, &locals);
    MPI_Comm_free(&machine);
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
#ifdef TUTORIAL_EMULATOR
    local = 0;  // every process has a device of its own
    locals = 1;
#endif
    std::string wrong;
    if (error != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        wrong = std::string("no GPU that this program can use (") + cudaGetErrorString(error) + ")";
    } else if (locals > devices) {
        wrong = std::to_string(locals) + " ranks on a machine with " + std::to_string(devices) +
                (devices == 1 ? " GPU" : " GPUs") + ": each rank needs its own";
    }
    wrong = first_failure(wrong);
    if (!wrong.empty()) throw ResourceError(wrong);
    CUDA_CHECK(cudaSetDevice(local));
    ncclUniqueId id{};
    if (is_first()) NCCL_CHECK(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, impl_->control);
    ncclComm_t joined = nullptr;
    NCCL_CHECK(ncclCommInitRank(&joined, size(), id, rank()));
    impl_->nccl = joined;
    impl_->meeting = DeviceBuffer<int>(1);
    impl_->meeting.fill_bytes(0);
    meet();  // NCCL makes its connections at the first call
    wait();
}

double Ranks::largest(double mine) const {
    double result = 0.0;
    MPI_Allreduce(&mine, &result, 1, MPI_DOUBLE, MPI_MAX, impl_->control);
    return result;
}

std::uint64_t Ranks::sum(std::uint64_t mine) const {
    std::uint64_t result = 0;
    MPI_Allreduce(&mine, &result, 1, MPI_UINT64_T, MPI_SUM, impl_->control);
    return result;
}

std::vector<std::uint64_t> Ranks::gather(std::uint64_t mine) const {
    std::vector<std::uint64_t> all(static_cast<std::size_t>(size()));
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, impl_->control);
    return all;
}

std::vector<unsigned char> Ranks::gather_bytes(const void* data, std::size_t bytes,
                                               std::vector<std::size_t>& begins) const {
    const std::vector<std::uint64_t> sizes = gather(bytes);
    std::vector<int> counts, places;
    std::size_t all = 0;
    for (const std::uint64_t each : sizes) {
        begins.push_back(all);
        counts.push_back(static_cast<int>(each));
        places.push_back(static_cast<int>(all));
        all += each;
    }
    begins.push_back(all);
    std::vector<unsigned char> result(all);
    MPI_Allgatherv(data, static_cast<int>(bytes), MPI_BYTE, result.data(), counts.data(),
                   places.data(), MPI_BYTE, impl_->control);
    return result;
}

std::vector<std::string> Ranks::gather(const std::string& mine) const {
    std::vector<std::size_t> begins;
    const std::vector<unsigned char> bytes = gather_bytes(mine.data(), mine.size(), begins);
    std::vector<std::string> all;
    for (std::size_t r = 0; r + 1 < begins.size(); ++r) {
        all.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(begins[r]),
                         bytes.begin() + static_cast<std::ptrdiff_t>(begins[r + 1]));
    }
    return all;
}

void Ranks::barrier() const { MPI_Barrier(impl_->control); }

std::string Ranks::first_failure(const std::string& mine) const {
    const std::vector<std::string> all = gather(mine);
    int first = -1, others = 0;
    for (int r = 0; r < size(); ++r) {
        if (all[static_cast<std::size_t>(r)].empty()) continue;
        if (first < 0) {
            first = r;
        } else {
            ++others;
        }
    }
    if (first < 0) return {};
    const std::string& text = all[static_cast<std::size_t>(first)];
    if (size() == 1) return text;
    if (others == size() - 1 &&
        std::all_of(all.begin(), all.end(), [&](const auto& other) { return other == text; })) {
        return text;
    }
    std::string result =
        "rank " + std::to_string(first) + " of " + std::to_string(size()) + ": " + text;
    if (others > 0) result += " (and " + std::to_string(others) + " more ranks failed)";
    return result;
}

void Ranks::wait(cudaStream_t stream) const {
    for (const cudaStream_t each : {cudaStream_t{nullptr}, stream}) {
        for (cudaError_t state; (state = cudaStreamQuery(each)) != cudaSuccess;) {
            if (state != cudaErrorNotReady) CUDA_CHECK(state);
            ncclResult_t error = ncclSuccess;
            if (impl_->nccl != nullptr) {
                NCCL_CHECK(ncclCommGetAsyncError(impl_->nccl, &error));
                if (error != ncclInProgress)
                    nccl_check(error, "what the GPUs sent", __FILE__, __LINE__);
            }
            std::this_thread::yield();
        }
    }
}

void Ranks::meet() {
    if (impl_->nccl == nullptr) return;  // alone
    int* const word = impl_->meeting.data();
    NCCL_CHECK(ncclAllReduce(word, word, 1, ncclInt, ncclSum, impl_->nccl, nullptr));
}

void Ranks::abort(const std::string& why, int exit_code) { impl_->end_all(why, exit_code); }

}  // namespace tutorial
