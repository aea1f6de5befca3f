#include "launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include "allocations.hpp"
#include "block.hpp"
#include "device.hpp"
#include "diagnose.hpp"
#include "emulator/builtins.hpp"
#include "faults.hpp"
#include "functions.hpp"
#include "kernel_heap.hpp"
#include "kernel_printf.hpp"
#include "memory.hpp"
#include "observer.hpp"
#include "pending_work.hpp"
#include "pool.hpp"
#include "settings_internal.hpp"
#include "state.hpp"
#include "symbols.hpp"
#include "totals.hpp"
#include "worker.hpp"

namespace emulator {
namespace {

std::string words(dim3 v) { return fmt::format("({},{},{})", v.x, v.y, v.z); }

/// Whether this kernel should do nothing; printed at its first launch. A name in a namespace, or
/// with template arguments, is identified by its last word.
bool is_mutated(const Launch& launch) {
    const std::string& mutated = settings().mutated;
    if (mutated.empty()) return false;
    const std::string name = launch.kernel_name();
    const std::string plain = name.substr(0, name.find('<'));
    const std::size_t colon = plain.rfind(':');
    if (plain.substr(colon == std::string::npos ? 0 : colon + 1) != mutated) return false;
    static const int said = std::fprintf(
        stderr, "Emulator: kernel %s does nothing (TUTORIAL_CPU_MUTATION).\n", mutated.c_str());
    (void)said;
    return true;
}

/// The launch limits, checked in the order in which a device would refuse.
cudaError_t check(const Launch& launch, const KernelInfo& kernel) {
    const dim3 grid = launch.shape.grid, block = launch.shape.block;
    const auto refuse = [&](cudaError_t error, const std::string& text) {
        return set_error(error, Reason::launch, launch.where.site,
                         fmt::format("launch of kernel {} at {}: {}", launch.kernel_name(),
                                     words(launch.where.site), text));
    };
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
        return refuse(cudaErrorInvalidConfiguration,
                      fmt::format("the grid {} has no blocks; at least 1 is needed. A number of "
                                  "blocks is rounded up:\n(items + threads - 1) / threads.",
                                  words(grid)));
    }
    if (block.x == 0 || block.y == 0 || block.z == 0) {
        return refuse(
            cudaErrorInvalidConfiguration,
            fmt::format("the block {} has no threads; at least 1 is needed.", words(block)));
    }
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    if (kernel.max_threads < kMaxThreadsPerBlock &&
        threads > static_cast<std::uint64_t>(kernel.max_threads)) {
        return refuse(cudaErrorInvalidValue,
                      fmt::format("{} threads per block; its __launch_bounds__ allow {}.", threads,
                                  kernel.max_threads));
    }
    if (grid.x > kMaxGridX || grid.y > kMaxGridYZ || grid.z > kMaxGridYZ) {
        return refuse(
            cudaErrorInvalidConfiguration,
            fmt::format("the grid {} is too large; at most ({},{},{}).{}", words(grid), kMaxGridX,
                        kMaxGridYZ, kMaxGridYZ,
                        grid.x <= kMaxGridYZ ? " Let x be the longest, in the kernel too." : ""));
    }
    const bool may_be_block = launch.blocks <= static_cast<std::uint64_t>(kMaxThreadsPerBlock);
    // A block is of whole warps.
    const bool may_be_swapped = may_be_block && launch.blocks % warpSize == 0;
    const bool is_long = block.x <= static_cast<unsigned>(kMaxBlockX) &&
                         threads <= static_cast<std::uint64_t>(kMaxThreadsPerBlock);
    const char* const hint =
        is_long          ? " Let x be the longest, in the kernel too."
        : may_be_swapped ? " Are the grid and the block swapped? The grid comes first."
        : !may_be_block  ? ""
        : block.y * block.z > 1
            ? " That is the product of the block's sizes: make one of them smaller."
            : " Use more blocks of fewer threads.";
    if (block.x > static_cast<unsigned>(kMaxBlockX) ||
        block.y > static_cast<unsigned>(kMaxBlockY) ||
        block.z > static_cast<unsigned>(kMaxBlockZ)) {
        return refuse(cudaErrorInvalidConfiguration,
                      fmt::format("the block {} is too large; at most ({},{},{}).{}", words(block),
                                  kMaxBlockX, kMaxBlockY, kMaxBlockZ, hint));
    }
    if (threads > static_cast<std::uint64_t>(kMaxThreadsPerBlock)) {
        return refuse(
            cudaErrorInvalidConfiguration,
            fmt::format("{} threads per block; at most {}.{}", threads, kMaxThreadsPerBlock, hint));
    }
    const std::size_t bytes = launch.shape.dynamic_bytes;
    if (bytes > kernel.max_dynamic_bytes) {
        const Site other = kernel.is_max_dynamic_set ? Site{} : last_shared_attribute();
        return refuse(
            cudaErrorInvalidValue,
            fmt::format("{} bytes of dynamic shared memory; this kernel may have {}.\n"
                        "Up to {} bytes are allowed after cudaFuncSetAttribute(kernel, "
                        "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).{}",
                        bytes, kernel.max_dynamic_bytes,
                        device().shared_bytes_per_block - kernel.static_bytes,
                        other.file == nullptr
                            ? ""
                            : fmt::format("\nThe call at {} was for another kernel, or for another "
                                          "instance of its template.",
                                          words(other))));
    }
    if (bytes + kernel.static_bytes > device().shared_bytes_per_block) {
        return refuse(cudaErrorInvalidValue,
                      fmt::format("{} bytes of shared memory ({} static); at most {}.",
                                  bytes + kernel.static_bytes, kernel.static_bytes,
                                  device().shared_bytes_per_block));
    }
    if (!stream_exists(launch.shape.stream)) {
        return refuse(cudaErrorInvalidResourceHandle, missing_stream(launch.shape.stream));
    }
    if (launch.shape.cooperative) {
        const std::uint64_t most = static_cast<std::uint64_t>(resident_multiprocessors()) *
                                   static_cast<std::uint64_t>(blocks_per_multiprocessor(
                                       static_cast<int>(threads), bytes + kernel.static_bytes));
        if (launch.blocks > most) {
            return refuse(cudaErrorCooperativeLaunchTooLarge,
                          fmt::format("{} blocks must be resident at once; {} multiprocessors hold "
                                      "at most {} of this kernel. Launch no more, and let each "
                                      "thread take several items, in a loop.",
                                      launch.blocks, resident_multiprocessors(), most));
        }
    }
    return cudaSuccess;
}

}  // namespace

Launch::Launch(const KernelSite& its_site, const LaunchShape& its_shape, const KernelCall& its_call)
    : where(its_site),
      shape(its_shape),
      call(its_call),
      blocks(std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z),
      threads(static_cast<int>(shape.block.x * shape.block.y * shape.block.z)) {}

std::string Launch::kernel_name() const {
    std::string name = *call.address != nullptr ? symbol_name(*call.address) : std::string();
    if (!name.empty()) return name;
    return where.kernel != nullptr ? where.kernel : fmt::format("at {}", *call.address);
}

std::uint64_t Launch::block_at(std::uint64_t turn) const {
    switch (settings().order) {
        case Order::reverse:
            return blocks - 1 - turn;
        case Order::shuffle: {
            // A step that is coprime to the number of blocks visits each block once.
            return static_cast<std::uint64_t>(
                (static_cast<unsigned __int128>(turn) * block_step + settings().seed) % blocks);
        }
        case Order::forward:
            break;
    }
    return turn;
}

void Launch::prepare() {
    if (settings().order == Order::shuffle) {
        block_step = blocks / 2 + settings().seed % (blocks / 2 + 1);
        while (std::gcd(block_step, blocks) != 1) ++block_step;
    }
    // A cooperative launch needs all its blocks at once. In any other launch, more blocks may
    // begin, as on a device, when the present ones only wait for others.
    const int per_multiprocessor = blocks_per_multiprocessor(threads, shape.dynamic_bytes);
    const int all = std::max(1, multiprocessors() * per_multiprocessor);
    resident_blocks =
        shape.cooperative ? static_cast<int>(blocks) : std::max(1, all / settings().workers);
}

void Launch::fail(Report its_report) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (failed) return;
    report = std::move(its_report);
    failed = true;
    grid_changed.notify_all();
}

void Launch::add(const Counts& more) {
    const std::lock_guard<std::mutex> lock(mutex);
    counts += more;
}

std::uint64_t Launch::arrive_at_grid(const Block& block) {
    std::unique_lock<std::mutex> lock(mutex);
    const std::uint64_t generation = grid_generation;
    if (++blocks_at_grid == blocks) {
        blocks_at_grid = 0;
        ++counts.grid_barriers;
        ++grid_generation;
        grid_changed.notify_all();
    } else if (blocks_at_grid + blocks_ended == blocks) {
        lock.unlock();
        fail(grid_report(*this, block.barrier_site));
    }
    grid_site = block.barrier_site;
    return generation;
}

void Launch::block_ends() {
    if (!shape.cooperative) return;
    std::unique_lock<std::mutex> lock(mutex);
    ++blocks_ended;
    if (blocks_at_grid != 0 && blocks_at_grid + blocks_ended == blocks) {
        lock.unlock();
        fail(grid_report(*this, grid_site));
    }
}

void Launch::wait_for_grid(std::uint64_t generation) {
    std::unique_lock<std::mutex> lock(mutex);
    grid_changed.wait(lock, [&] { return failed || grid_generation != generation; });
}

cudaError_t run_launch(const KernelSite& where, const LaunchShape& shape, const KernelCall& call,
                       const LaunchArgument* arguments, int argument_count) {
    if (this_worker != nullptr) {
        this_worker->fail(
            {cudaErrorNotSupported, Reason::unsupported,
             fmt::format("launch of kernel {} at {} from within a kernel: the emulator "
                         "has no dynamic parallelism.",
                         where.kernel != nullptr ? where.kernel : "?", words(where.site)),
             where.kernel != nullptr ? where.kernel : "", file_of(where.site), where.site.line});
    }
    const HostCall host(where.kernel != nullptr ? where.kernel : "launch", where.site);
    if (const cudaError_t earlier = host.earlier(); earlier != cudaSuccess) return earlier;
    Launch launch(where, shape, call);
    if (!identify(call)) {
        return set_error(cudaErrorInvalidDeviceFunction, Reason::unsupported, where.site,
                         fmt::format("kernel {} is in a file that is not rewritten: list it in "
                                     "target_cpu_sources, or include it with quotes.",
                                     launch.kernel_name()));
    }
    const KernelInfo kernel = kernel_info(*call.address);
    if (const cudaError_t refused = check(launch, kernel); refused != cudaSuccess) return refused;
    for (int i = 0; i < argument_count; ++i) {
        std::string text;
        const bool is_freed = was_freed(reinterpret_cast<std::uintptr_t>(arguments[i].pointer));
        // A pointer to freed memory may be passed: only an access is a fault. Something must see
        // that.
        const bool is_access_seen = kProtectsPages || current_observer() != nullptr;
        const bool is_data = arguments[i].kind == LaunchArgument::Kind::data;
        if (is_data && !device_can_read(arguments[i].pointer, &text) &&
            !(is_freed && is_access_seen)) {
            const std::string hint =
                variable_name(arguments[i].pointer).empty()
                    ? ""
                    : "\nA __device__ or __constant__ variable is used in the kernel by its name; "
                      "as an argument it needs the\naddress that cudaGetSymbolAddress() gives.";
            launch.fail({cudaErrorIllegalAddress,
                         is_freed ? Reason::freed_memory : Reason::host_pointer,
                         fmt::format("argument {} of kernel {} (launched at {}) is {}.\n"
                                     "A kernel can only use device memory (cudaMalloc), managed or "
                                     "pinned memory.{}",
                                     arguments[i].position, launch.kernel_name(), words(where.site),
                                     text, hint),
                         launch.kernel_name(), file_of(where.site), where.site.line});
        }
        const Site left = is_data ? attached_elsewhere(arguments[i].pointer, shape.stream) : Site{};
        if (left.line != 0) {
            launch.fail(
                {cudaErrorIllegalAddress, Reason::call,
                 fmt::format("argument {} of kernel {} (launched at {}) is managed memory that "
                             "{} has left to another stream\n(cudaMemAttachSingle). Launch "
                             "the kernel there, or let all use it again (cudaMemAttachGlobal).",
                             arguments[i].position, launch.kernel_name(), words(where.site),
                             words(left)),
                 launch.kernel_name(), file_of(where.site), where.site.line});
        }
    }
    print_what_kernels_said();
    if (has_fetched_errors()) {
        has_succeeded(Reason::launch, "launch of kernel " + launch.kernel_name() + " at");
    }
    launch.prepare();
    const ToolTurn turn;
    const OpenToHost open;
    prepare_kernel_heap();
    if (Observer* const observer = current_observer()) {
        observer->launch_begins(where, shape);
        for (int i = 0; i < argument_count; ++i) observer->argument(launch, arguments[i]);
    }
    if (!launch.failed && !is_mutated(launch)) run_on_workers(launch);
    if (!launch.failed) {
        std::string text;
        Site site;
        if (find_damage(launch.kernel_name(), &text, &site)) {
            launch.fail({cudaErrorIllegalAddress, Reason::out_of_bounds, text, launch.kernel_name(),
                         file_of(site), site.line});
        }
    }
    stream_gets_work(shape.stream);
    if (launch.failed) print_what_kernels_said();
    ++launch.counts.launches;
    add_to_totals(launch.counts);
    note_static_bytes(*call.address, launch.static_bytes);
    const cudaError_t result = launch.failed ? launch.report.code : cudaSuccess;
    if (launch.failed) {
        publish(launch.report);
        set_fault(result);
    }
    if (Observer* const observer = current_observer()) observer->launch_ends(result);
    // As on a device, the launch itself succeeds; the next call returns what happened in the
    // kernel.
    return cudaSuccess;
}

}  // namespace emulator
