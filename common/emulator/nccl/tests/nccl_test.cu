// What programs for several GPUs rely on, in plain CUDA, NCCL and MPI: on the emulator they test
// our NCCL; on GPUs they show that the tests are right. Started by mpirun, with any number of
// ranks.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <cstdint>
#include <cstring>
#include <vector>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

namespace {

int rank = 0;
int ranks = 1;
ncclComm_t comm = nullptr;

const std::vector<std::size_t> kCounts = {0, 1, 31, 32, 33, 257, 1025, 100003};

/// Device memory that holds `items`, and frees itself.
template <class T>
class Device {
  public:
    explicit Device(const std::vector<T>& items) : size_(items.size()) {
        REQUIRE(cudaMalloc(&data_, (size_ + 1) * sizeof(T)) == cudaSuccess);
        REQUIRE(cudaMemcpy(data_, items.data(), size_ * sizeof(T), cudaMemcpyHostToDevice) ==
                cudaSuccess);
    }
    ~Device() { static_cast<void>(cudaFree(data_)); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
    T* get() const { return data_; }
    std::vector<T> items() const {
        std::vector<T> host(size_);
        REQUIRE(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) ==
                cudaSuccess);
        return host;
    }

  private:
    T* data_ = nullptr;
    std::size_t size_;
};

/// Item i of rank r: small, so that sums and products of all ranks are exact in every type.
template <class T>
T item(int r, std::size_t i) {
    return static_cast<T>((static_cast<std::size_t>(r) * 7 + i * 3) % 5 + 1);
}

template <class T>
std::vector<T> items_of(int r, std::size_t count) {
    std::vector<T> items(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = item<T>(r, i);
    return items;
}

template <class T>
struct TypeOf;
template <>
struct TypeOf<std::int8_t> : std::integral_constant<ncclDataType_t, ncclInt8> {};
template <>
struct TypeOf<std::uint8_t> : std::integral_constant<ncclDataType_t, ncclUint8> {};
template <>
struct TypeOf<int> : std::integral_constant<ncclDataType_t, ncclInt32> {};
template <>
struct TypeOf<unsigned> : std::integral_constant<ncclDataType_t, ncclUint32> {};
template <>
struct TypeOf<std::int64_t> : std::integral_constant<ncclDataType_t, ncclInt64> {};
template <>
struct TypeOf<std::uint64_t> : std::integral_constant<ncclDataType_t, ncclUint64> {};
template <>
struct TypeOf<float> : std::integral_constant<ncclDataType_t, ncclFloat32> {};
template <>
struct TypeOf<double> : std::integral_constant<ncclDataType_t, ncclFloat64> {};

template <class T>
T combined(ncclRedOp_t op, std::size_t i) {
    T result = item<T>(0, i);
    for (int r = 1; r < ranks; ++r) {
        const T next = item<T>(r, i);
        if (op == ncclSum) result = static_cast<T>(result + next);
        if (op == ncclProd) result = static_cast<T>(result * next);
        if (op == ncclMax) result = next > result ? next : result;
        if (op == ncclMin) result = next < result ? next : result;
    }
    return result;
}

void wait() { REQUIRE(cudaDeviceSynchronize() == cudaSuccess); }

}  // namespace

TEST_CASE_TEMPLATE("all-reduce, every type and operation", T, std::int8_t, std::uint8_t, int,
                   unsigned, std::int64_t, std::uint64_t, float, double) {
    for (const ncclRedOp_t op : {ncclSum, ncclProd, ncclMax, ncclMin}) {
        if (op == ncclProd && sizeof(T) == 1 && ranks > 3)
            continue;  // 5^4 is more than 8 bits hold
        for (const std::size_t count : kCounts) {
            const Device<T> from(items_of<T>(rank, count)), to(std::vector<T>(count, T{99}));
            REQUIRE(ncclAllReduce(from.get(), to.get(), count, TypeOf<T>::value, op, comm,
                                  nullptr) == ncclSuccess);
            wait();
            std::vector<T> expected(count);
            for (std::size_t i = 0; i < count; ++i) expected[i] = combined<T>(op, i);
            CHECK(to.items() == expected);
            CHECK(from.items() == items_of<T>(rank, count));
        }
    }
}

TEST_CASE("all-reduce in place") {
    const Device<int> data(items_of<int>(rank, 1000));
    REQUIRE(ncclAllReduce(data.get(), data.get(), 1000, ncclInt, ncclSum, comm, nullptr) ==
            ncclSuccess);
    wait();
    const std::vector<int> sums = data.items();
    for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == combined<int>(ncclSum, i));
}

TEST_CASE("reduce: only the root gets the result") {
    for (int root = 0; root < ranks; ++root) {
        const Device<float> from(items_of<float>(rank, 33)), to(std::vector<float>(33, -1.0f));
        REQUIRE(ncclReduce(from.get(), to.get(), 33, ncclFloat, ncclSum, root, comm, nullptr) ==
                ncclSuccess);
        wait();
        const std::vector<float> got = to.items();
        for (std::size_t i = 0; i < got.size(); ++i) {
            CHECK(got[i] == (rank == root ? combined<float>(ncclSum, i) : -1.0f));
        }
    }
}

TEST_CASE("broadcast from each rank") {
    for (int root = 0; root < ranks; ++root) {
        for (const std::size_t count : kCounts) {
            const Device<int> from(items_of<int>(rank, count)), to(std::vector<int>(count, -1));
            REQUIRE(ncclBroadcast(from.get(), to.get(), count, ncclInt, root, comm, nullptr) ==
                    ncclSuccess);
            wait();
            CHECK(to.items() == items_of<int>(root, count));
        }
    }
}

TEST_CASE("all-gather puts the ranks' items one after the other") {
    for (const std::size_t count : kCounts) {
        const Device<std::uint64_t> from(items_of<std::uint64_t>(rank, count));
        const Device<std::uint64_t> to(
            std::vector<std::uint64_t>(count * static_cast<std::size_t>(ranks), 99));
        REQUIRE(ncclAllGather(from.get(), to.get(), count, ncclUint64, comm, nullptr) ==
                ncclSuccess);
        wait();
        std::vector<std::uint64_t> expected;
        for (int r = 0; r < ranks; ++r) {
            for (const std::uint64_t each : items_of<std::uint64_t>(r, count)) {
                expected.push_back(each);
            }
        }
        CHECK(to.items() == expected);
    }
}

TEST_CASE("reduce-scatter gives each rank its part of the sum") {
    const std::size_t each = 257;
    const std::size_t all = each * static_cast<std::size_t>(ranks);
    const Device<int> from(items_of<int>(rank, all)), to(std::vector<int>(each, -1));
    REQUIRE(ncclReduceScatter(from.get(), to.get(), each, ncclInt, ncclSum, comm, nullptr) ==
            ncclSuccess);
    wait();
    const std::vector<int> got = to.items();
    for (std::size_t i = 0; i < each; ++i) {
        CHECK(got[i] == combined<int>(ncclSum, each * static_cast<std::size_t>(rank) + i));
    }
}

TEST_CASE("sends and receives of a group, all pairs, different lengths") {
    std::vector<Device<int>*> from, to;
    const auto length = [](int sender, int receiver) {
        return static_cast<std::size_t>(1000 * sender + 10 * receiver + 1);
    };
    for (int other = 0; other < ranks; ++other) {
        from.push_back(new Device<int>(items_of<int>(rank + other, length(rank, other))));
        to.push_back(new Device<int>(std::vector<int>(length(other, rank), -1)));
    }
    REQUIRE(ncclGroupStart() == ncclSuccess);
    for (int other = 0; other < ranks; ++other) {
        const auto index = static_cast<std::size_t>(other);
        REQUIRE(ncclSend(from[index]->get(), length(rank, other), ncclInt, other, comm, nullptr) ==
                ncclSuccess);
        REQUIRE(ncclRecv(to[index]->get(), length(other, rank), ncclInt, other, comm, nullptr) ==
                ncclSuccess);
    }
    REQUIRE(ncclGroupEnd() == ncclSuccess);
    wait();
    for (int other = 0; other < ranks; ++other) {
        const auto index = static_cast<std::size_t>(other);
        CHECK(to[index]->items() == items_of<int>(rank + other, length(other, rank)));
        delete from[index];
        delete to[index];
    }
}

TEST_CASE("messages between two ranks arrive in the order of their calls") {
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    const Device<int> first({rank * 10 + 1}), second({rank * 10 + 2});
    const Device<int> to_first({-1}), to_second({-1});
    REQUIRE(ncclGroupStart() == ncclSuccess);
    REQUIRE(ncclSend(first.get(), 1, ncclInt, next, comm, nullptr) == ncclSuccess);
    REQUIRE(ncclSend(second.get(), 1, ncclInt, next, comm, nullptr) == ncclSuccess);
    REQUIRE(ncclRecv(to_first.get(), 1, ncclInt, before, comm, nullptr) == ncclSuccess);
    REQUIRE(ncclRecv(to_second.get(), 1, ncclInt, before, comm, nullptr) == ncclSuccess);
    REQUIRE(ncclGroupEnd() == ncclSuccess);
    wait();
    CHECK(to_first.items()[0] == before * 10 + 1);
    CHECK(to_second.items()[0] == before * 10 + 2);
}

TEST_CASE("a registered buffer of NCCL's own memory is sent from and received into") {
    const std::vector<int> mine = items_of<int>(rank, 1025);
    const std::size_t bytes = mine.size() * sizeof(int);
    void* memory[2] = {};
    void* handle[2] = {};
    for (int i = 0; i < 2; ++i) {
        REQUIRE(ncclMemAlloc(&memory[i], bytes) == ncclSuccess);
        REQUIRE(ncclCommRegister(comm, memory[i], bytes, &handle[i]) == ncclSuccess);
    }
    REQUIRE(cudaMemcpy(memory[0], mine.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    REQUIRE(ncclGroupStart() == ncclSuccess);
    REQUIRE(ncclSend(memory[0], mine.size(), ncclInt, next, comm, nullptr) == ncclSuccess);
    REQUIRE(ncclRecv(memory[1], mine.size(), ncclInt, before, comm, nullptr) == ncclSuccess);
    REQUIRE(ncclGroupEnd() == ncclSuccess);
    wait();
    std::vector<int> come(mine.size());
    REQUIRE(cudaMemcpy(come.data(), memory[1], bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(come == items_of<int>(before, mine.size()));
    for (int i = 0; i < 2; ++i) {
        CHECK(ncclCommDeregister(comm, handle[i]) == ncclSuccess);
        CHECK(ncclMemFree(memory[i]) == ncclSuccess);
    }
}

TEST_CASE("a communicator knows its size, its ranks and that nothing failed") {
    int value = -1;
    CHECK(ncclCommCount(comm, &value) == ncclSuccess);
    CHECK(value == ranks);
    CHECK(ncclCommUserRank(comm, &value) == ncclSuccess);
    CHECK(value == rank);
    CHECK(ncclGetVersion(&value) == ncclSuccess);
    CHECK(value >= 20000);
    ncclResult_t error = ncclInternalError;
    CHECK(ncclCommGetAsyncError(comm, &error) == ncclSuccess);
    CHECK(error == ncclSuccess);
    CHECK(std::strlen(ncclGetErrorString(ncclInvalidArgument)) > 0);
}

#ifdef TUTORIAL_EMULATOR
TEST_CASE("what a device would not survive is an error here") {
    std::vector<int> host(4);
    CHECK(ncclAllReduce(host.data(), host.data(), 4, ncclInt, ncclSum, comm, nullptr) ==
          ncclInvalidArgument);
    const Device<int> data(items_of<int>(rank, 4));
    CHECK(ncclSend(data.get(), 4, ncclInt, ranks, comm, nullptr) == ncclInvalidArgument);
    CHECK(ncclBroadcast(data.get(), data.get(), 4, ncclInt, -1, comm, nullptr) ==
          ncclInvalidArgument);
    CHECK(ncclGroupEnd() == ncclInvalidUsage);
    void* handle = nullptr;
    CHECK(ncclCommRegister(comm, host.data(), 16, &handle) == ncclInvalidArgument);
    CHECK(ncclCommDeregister(comm, data.get()) == ncclInvalidArgument);
    CHECK(ncclMemFree(data.get()) == ncclInvalidArgument);
    // A receiver that expects another length gets an error; on a device it would wait forever.
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    REQUIRE(ncclGroupStart() == ncclSuccess);
    REQUIRE(ncclSend(data.get(), 4, ncclInt, next, comm, nullptr) == ncclSuccess);
    REQUIRE(ncclRecv(data.get(), 3, ncclInt, before, comm, nullptr) == ncclSuccess);
    CHECK(ncclGroupEnd() == ncclInvalidUsage);
}
#endif

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int devices = 0;
    int failed = 1;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0) {
        static_cast<void>(cudaSetDevice(rank % devices));
        ncclUniqueId id{};
        if (rank == 0) static_cast<void>(ncclGetUniqueId(&id));
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
        if (ncclCommInitRank(&comm, ranks, id, rank) == ncclSuccess) {
            failed = doctest::Context(argc, argv).run();
            static_cast<void>(ncclCommDestroy(comm));
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return failed;
}
