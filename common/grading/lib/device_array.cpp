#include "device_array.hpp"

#include <algorithm>

#include "../../harness/fmt.hpp"
#include "machine.hpp"

namespace grading::detail {
namespace {

constexpr unsigned char kPoison = 0xff;
constexpr unsigned char kGuard = 0xa5;
#if defined(TUTORIAL_EMULATOR)
constexpr std::size_t kGuardBytes = 0;  // it has guards, and poisons new memory
#else
constexpr std::size_t kGuardBytes = 256;  // also keeps the alignment of cudaMalloc
#endif

}  // namespace

struct GuardedMemory::Block {
    Block(std::size_t size, const char* called) : name(called), bytes(size) {
        if (bytes == 0) return;
        memory = static_cast<unsigned char*>(machine().allocate(all_bytes(), name));
        data = memory + kGuardBytes;
        if constexpr (kGuardBytes != 0) {
            machine().fill(memory, kGuard, all_bytes());
            machine().fill(data, kPoison, bytes);
            live().push_back(this);
        }
    }

    ~Block() {
        std::vector<Block*>& all = live();
        all.erase(std::remove(all.begin(), all.end(), this), all.end());
        if (memory != nullptr) machine().release(memory);
    }

    std::size_t all_bytes() const { return kGuardBytes + bytes + kGuardBytes; }

    static std::vector<Block*>& live() {
        static std::vector<Block*>* const all = new std::vector<Block*>;  // outlives static arrays
        return *all;
    }

    /// Offset from data() of the first byte of a guard that was written to; 0: none was.
    std::ptrdiff_t damage() const {
        std::vector<unsigned char> all(all_bytes());
        machine().download(all.data(), memory, all.size());
        const auto is_bad = [](unsigned char byte) { return byte != kGuard; };
        const auto behind = all.begin() + static_cast<std::ptrdiff_t>(kGuardBytes + bytes);
        const auto bad = std::find_if(behind, all.end(), is_bad);
        if (bad != all.end()) return bad - all.begin() - static_cast<std::ptrdiff_t>(kGuardBytes);
        for (std::size_t i = kGuardBytes; i-- > 0;) {
            if (is_bad(all[i])) {
                return static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(kGuardBytes);
            }
        }
        return 0;
    }

    const char* name;
    unsigned char* memory = nullptr;
    unsigned char* data = nullptr;
    std::size_t bytes;
};

GuardedMemory::GuardedMemory(std::size_t bytes, const char* name)
    : block_(std::make_unique<Block>(bytes, name)) {}
GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept = default;
GuardedMemory& GuardedMemory::operator=(GuardedMemory&& other) noexcept = default;
GuardedMemory::~GuardedMemory() = default;

void* GuardedMemory::data() const { return block_->data; }

void GuardedMemory::upload(const void* from) {
    if (block_->bytes == 0) return;
    machine().upload(block_->data, from, block_->bytes);
}

void GuardedMemory::download(void* to) const {
    if (block_->bytes == 0) return;
    machine().download(to, block_->data, block_->bytes);
}

std::string damaged_guard() {
    for (const GuardedMemory::Block* each : GuardedMemory::Block::live()) {
        const std::ptrdiff_t offset = each->damage();
        const auto size = static_cast<std::ptrdiff_t>(each->bytes);
        if (offset == 0) continue;
        const std::string where = offset < 0 ? fmt::format("{} bytes before the start", -offset)
                                  : offset == size
                                      ? std::string("just past the end")
                                      : fmt::format("{} bytes past the end", offset - size);
        return fmt::format("out of bounds: a kernel wrote {} of {} ({} bytes).", where, each->name,
                           size);
    }
    return {};
}

}  // namespace grading::detail
