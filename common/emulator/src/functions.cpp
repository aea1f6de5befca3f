#include "functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "allocations.hpp"
#include "emulator/kernel_api.hpp"
#include "return_address.hpp"
#include "state.hpp"
#include "symbols.hpp"

namespace emulator {
namespace {

struct Kernels {
    std::mutex mutex;
    std::map<const void*, KernelInfo> by_address;
    Site last_shared_attribute;
};

Kernels& kernels() {
    static Kernels* const all = new Kernels;
    return *all;
}

constexpr int kRegistersOfAThread = 32;  // assumed for occupancy: registers are unknown

}  // namespace

__thread bool identifying = false;

namespace {

/// Thrown from a kernel's first statement.
struct Identity {
    const void* kernel;
    const LaunchBound* bound;
};

void set_static_bytes(KernelInfo& info, std::size_t bytes) {
    info.static_bytes = std::max(info.static_bytes, bytes);
    // Without the attribute, static and dynamic shared memory fit into 48 KB together.
    if (!info.is_max_dynamic_set) {
        info.max_dynamic_bytes =
            kStaticSharedBytes - std::min(kStaticSharedBytes, info.static_bytes);
    }
}

void set_bound(KernelInfo& info, const LaunchBound* bound) {
    if (bound != nullptr) info.max_threads = std::min(info.max_threads, bound->max_threads);
}

/// The kernel's entry; made on first use. Needs the lock.
KernelInfo& entry(Kernels& all, const void* kernel) {
    const auto [at, fresh] = all.by_address.try_emplace(kernel);
    if (fresh) {
        set_static_bytes(at->second, declared_shared_bytes(kernel));
        set_bound(at->second, declared_launch_bound(kernel));
    }
    return at->second;
}

}  // namespace

__attribute__((noinline)) void identify_caller(const LaunchBound* bound) {
    throw Identity{function_containing(RETURN_ADDRESS), bound};
}

bool identify(const KernelCall& call) {
    if (*call.address != nullptr && kernel_info(*call.address).identified) return true;
    Identity identity{nullptr, nullptr};
    bool has_begun = false;
    identifying = true;
    try {
        call.run(call.object);
    } catch (const Identity& found) {
        identity = found;
        has_begun = true;
    }
    identifying = false;
    if (*call.address == nullptr) *call.address = identity.kernel;
    if (*call.address == nullptr) return has_begun;
    Kernels& all = kernels();
    const std::lock_guard<std::mutex> lock(all.mutex);
    KernelInfo& info = entry(all, *call.address);
    info.identified = true;
    set_bound(info, identity.bound);
    return has_begun;
}

KernelInfo kernel_info(const void* kernel) {
    if (kernel == nullptr) return {};
    Kernels& all = kernels();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return entry(all, kernel);
}

Site last_shared_attribute() {
    Kernels& all = kernels();
    const std::lock_guard<std::mutex> lock(all.mutex);
    return all.last_shared_attribute;
}

void note_static_bytes(const void* kernel, std::size_t bytes) {
    if (kernel == nullptr || bytes == 0) return;
    Kernels& all = kernels();
    const std::lock_guard<std::mutex> lock(all.mutex);
    set_static_bytes(entry(all, kernel), bytes);
}

cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value,
                                   Site site) {
    const HostCall call("cudaFuncSetAttribute", site);
    require_host("cudaFuncSetAttribute", site);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (kernel == nullptr) {
        return call.refuse(cudaErrorInvalidDeviceFunction, "the kernel is a null pointer.");
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        if (value < -1 || value > 100) {
            return call.refuse(
                cudaErrorInvalidValue,
                fmt::format("the carveout is {}; it must be 0 to 100 percent, or -1.", value));
        }
        Kernels& all = kernels();
        const std::lock_guard<std::mutex> lock(all.mutex);
        entry(all, kernel).preferred_carveout = value;
        return cudaSuccess;
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) {
        return call.refuse(cudaErrorNotSupported,
                           fmt::format("the emulator has no thread block clusters, so attribute {} "
                                       "cannot be set.",
                                       static_cast<int>(attribute)),
                           Reason::unsupported);
    }
    Kernels& all = kernels();
    const std::lock_guard<std::mutex> lock(all.mutex);
    KernelInfo& info = entry(all, kernel);
    const std::size_t most = device().shared_bytes_per_block -
                             std::min(device().shared_bytes_per_block, info.static_bytes);
    if (value < 0 || static_cast<std::size_t>(value) > most) {
        return call.refuse(cudaErrorInvalidValue,
                           fmt::format("{} bytes of dynamic shared memory for kernel {}; it must "
                                       "be 0 to {}.",
                                       value, symbol_name(kernel), most));
    }
    info.max_dynamic_bytes = static_cast<std::size_t>(value);
    info.is_max_dynamic_set = true;
    all.last_shared_attribute = site;
    return cudaSuccess;
}

cudaError_t get_function_attributes(cudaFuncAttributes* attributes, const void* kernel, Site site) {
    const HostCall call("cudaFuncGetAttributes", site);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (attributes == nullptr) return call.refuse_null("the result");
    if (kernel == nullptr) return call.refuse_null("the kernel");
    const KernelInfo info = kernel_info(kernel);
    *attributes = {};
    attributes->sharedSizeBytes = info.static_bytes;
    attributes->maxThreadsPerBlock = info.max_threads;
    attributes->numRegs = kRegistersOfAThread;
    attributes->ptxVersion = attributes->binaryVersion = device().major * 10 + device().minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(info.max_dynamic_bytes);
    attributes->preferredShmemCarveout = info.preferred_carveout;
    return cudaSuccess;
}

/// Blocks of that many threads that one multiprocessor can hold.
static int resident_blocks(const KernelInfo& info, int threads, std::size_t dynamic_bytes) {
    return threads > kMaxThreadsPerBlock || dynamic_bytes > info.max_dynamic_bytes
               ? 0
               : blocks_per_multiprocessor(threads, dynamic_bytes + info.static_bytes);
}

cudaError_t occupancy(int* blocks, const void* kernel, int threads, std::size_t dynamic_bytes,
                      Site site) {
    const HostCall call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", site);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (blocks == nullptr) return call.refuse_null("the result");
    if (kernel == nullptr) return call.refuse_null("the kernel");
    if (threads <= 0) {
        return call.refuse(cudaErrorInvalidValue, fmt::format("blocks of {} threads.", threads));
    }
    *blocks = resident_blocks(kernel_info(kernel), threads, dynamic_bytes);
    return cudaSuccess;
}

cudaError_t best_block_size(int* least_grid, int* threads, const void* kernel,
                            std::size_t (*dynamic_bytes)(int threads, const void* context),
                            const void* context, int limit, Site site) {
    const HostCall call("cudaOccupancyMaxPotentialBlockSize", site);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (least_grid == nullptr || threads == nullptr) return call.refuse_null("a result");
    if (kernel == nullptr) return call.refuse_null("the kernel");
    if (limit < 0) {
        return call.refuse(cudaErrorInvalidValue, fmt::format("a limit of {} threads.", limit));
    }
    const KernelInfo info = kernel_info(kernel);
    const int allowed = info.max_threads;
    const int most = limit == 0 ? allowed : std::min(limit, allowed);
    int best_resident = 0;
    // Largest first: with equally many resident threads, a larger block wins.
    for (int size = (most + 31) / 32 * 32; size > 0; size -= 32) {
        const int block = std::min(size, most);
        const int blocks = resident_blocks(info, block, dynamic_bytes(block, context));
        if (blocks * block > best_resident) {
            best_resident = blocks * block;
            *threads = block;
            *least_grid = blocks * multiprocessors();
        }
    }
    if (best_resident != 0) return cudaSuccess;
    return call.refuse(cudaErrorInvalidValue,
                       "a multiprocessor holds no block of this kernel, however few its threads.");
}

cudaError_t check_argument_array(void* const* arguments, std::size_t count, Site site) {
    const HostCall call("the launch", site);
    if (count != 0 && arguments == nullptr) return call.refuse_null("the array of arguments");
    const auto is_on_device = [](const void* pointer) {
        Memory& all = memory();
        const std::lock_guard<std::mutex> lock(all.mutex);
        const Allocation* const found = find_in(all, pointer);
        return found != nullptr && found->holds(pointer, 1) && !found->on_host();
    };
    for (std::size_t i = 0; i < count; ++i) {
        if (arguments[i] == nullptr) {
            return call.refuse_null(fmt::format("item {} of the array of arguments", i).c_str());
        }
        if (!is_on_device(arguments[i])) continue;
        return call.refuse(
            cudaErrorInvalidValue,
            fmt::format("item {} of the array of arguments points to device memory, "
                        "which the host cannot read.\nEach item is the address of an "
                        "argument: &pointer, not pointer.",
                        i));
    }
    return cudaSuccess;
}

cudaError_t read_launch_config(const cudaLaunchConfig_t* config, LaunchShape* shape, Site site) {
    const HostCall call("cudaLaunchKernelEx", site);
    if (const cudaError_t earlier = call.earlier(); earlier != cudaSuccess) return earlier;
    if (config == nullptr) return call.refuse_null("the configuration");
    if (config->numAttrs != 0 && config->attrs == nullptr) {
        return call.refuse_null("the attributes");
    }
    *shape = {config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream, false};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        switch (attribute.id) {
            case cudaLaunchAttributeCooperative:
                shape->cooperative = attribute.val.cooperative != 0;
                break;
            case cudaLaunchAttributeClusterDimension:
                if (attribute.val.clusterDim.x * attribute.val.clusterDim.y *
                        attribute.val.clusterDim.z !=
                    1) {
                    return call.refuse(cudaErrorNotSupported,
                                       "the emulator has no thread block clusters "
                                       "(cudaLaunchAttributeClusterDimension).",
                                       Reason::unsupported);
                }
                break;
            // Launches run one after another, so the next one never starts early.
            case cudaLaunchAttributeProgrammaticStreamSerialization:
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributePriority:
                break;
            default:
                return call.refuse(cudaErrorNotSupported,
                                   fmt::format("the emulator does not have launch attribute {}.",
                                               static_cast<int>(attribute.id)),
                                   Reason::unsupported);
        }
    }
    return cudaSuccess;
}

}  // namespace emulator
