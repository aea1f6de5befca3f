// The processes of one program, one per GPU: their numbers, how they wait, and how they fail
// together.
//
// MPI starts them and carries what is small and rare (options, verdicts, times); NCCL carries the
// data between the GPUs. Whatever ends one rank ends all of them, within seconds: an exception, a
// CUDA or NCCL error, a process that was killed.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tutorial {

/// The rank's share of n items: [begin, begin + count).
struct Share {
    std::size_t begin = 0;
    std::size_t count = 0;

    std::size_t end() const { return begin + count; }
};

/// n items cut into `ranks` shares of consecutive items, which begin at multiples of `multiple`;
/// their sizes differ by at most `multiple` (the last may be shorter). Shares may be empty.
Share share_of(std::size_t n, int rank, int ranks, std::size_t multiple = 1);

/// All ranks of this program, as one of them sees it.
class Ranks {
  public:
    /// Initialises MPI and starts to watch the other ranks. Touches no device yet.
    Ranks(int* argc, char*** argv);
    /// This process alone: rank 0 of 1, without a communicator, on its present GPU.
    static Ranks alone();
    ~Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    int rank() const;
    int size() const;
    bool is_first() const { return rank() == 0; }

    /// Takes the GPU of this rank (its number among the ranks of its machine) and joins the
    /// communicator. Throws ResourceError if the machine has fewer GPUs than ranks.
    void connect();
    ncclComm_t comm() const;

    // ---- Small values, between the hosts. All ranks call them together. ----

    double largest(double mine) const;
    std::uint64_t sum(std::uint64_t mine) const;  ///< modulo 2^64
    std::vector<std::uint64_t> gather(std::uint64_t mine) const;
    std::vector<std::string> gather(const std::string& mine) const;
    /// Rank r's `mine`, one after the other. T is copied byte by byte.
    template <class T>
    std::vector<T> gather_all(const std::vector<T>& mine) const;
    void barrier() const;

    /// Every rank passes its failure, or an empty text. Returns "" if none failed, otherwise one
    /// line that names the first rank that did and the number of others with the same failure.
    std::string first_failure(const std::string& mine) const;

    // ---- The device ----

    /// Waits for all work on the default stream and on `stream`; throws NcclError if the
    /// communicator has failed, instead of waiting forever.
    void wait(cudaStream_t stream = nullptr) const;

    /// Enqueues a barrier of all GPUs, so that they begin what follows at the same time.
    void meet();

    /// Ends all ranks, with one line on stderr: for failures after which the ranks no longer agree
    /// what comes next. Does not return.
    [[noreturn]] void abort(const std::string& why, int exit_code);

  private:
    struct Impl;
    Ranks();
    std::unique_ptr<Impl> impl_;
    std::vector<unsigned char> gather_bytes(const void* data, std::size_t bytes,
                                            std::vector<std::size_t>& begins) const;
};

template <class T>
std::vector<T> Ranks::gather_all(const std::vector<T>& mine) const {
    std::vector<std::size_t> begins;
    const std::vector<unsigned char> bytes =
        gather_bytes(mine.data(), mine.size() * sizeof(T), begins);
    std::vector<T> all(bytes.size() / sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(all.data()));
    return all;
}

}  // namespace tutorial
