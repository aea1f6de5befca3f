#include "never_written.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "places.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"
#include "words.hpp"

namespace lab {
namespace {

constexpr std::size_t kMaxShapes = 4096;   // of kernels that were launched last
constexpr std::size_t kMaxWriters = 4;     // lines that are named
constexpr std::size_t kMaxBrought = 4096;  // ranges of the host's memory

const unsigned char* bytes_at(std::uintptr_t address) {
    return reinterpret_cast<const unsigned char*>(address);
}

/// Whether the byte was never written: it still has the value of fresh memory, and no store is
/// known. Libraries store unseen, and kernels may store the same value.
bool is_missing_at(const Watched& memory, std::uintptr_t address) {
    const std::size_t offset = address - memory.begin;
    const Cell& cell = (*memory.cells)[offset / kWordBytes];
    return *bytes_at(address) == emulator::kPoison &&
           (cell.written >> offset % kWordBytes & 1u) == 0;
}

bool has_poison(const Watched& memory) {
    return memory.kind == emulator::MemoryKind::device ||
           memory.kind == emulator::MemoryKind::managed ||
           memory.kind == emulator::MemoryKind::pinned;
}

std::string extents(unsigned x, unsigned y, unsigned z) {
    return z > 1   ? fmt::format("{} x {} x {}", x, y, z)
           : y > 1 ? fmt::format("{} x {}", x, y)
                   : fmt::format("{}", x);
}

/// Whether whole items are missing, in one or two places, or between long rows of others. Many
/// small gaps are padding between a struct's members.
bool is_like_a_part(const std::vector<bool>& is_missing, std::size_t item_bytes) {
    constexpr std::size_t kRow = 16;  // items
    std::size_t runs = 0, last = 0, shortest = is_missing.size();
    for (std::size_t i = 0; i < is_missing.size();) {
        const std::size_t begin = i;
        while (i < is_missing.size() && is_missing[i]) ++i;
        if (i == begin) {
            ++i;
            continue;
        }
        if (begin % item_bytes != 0 || i % item_bytes != 0) return false;
        if (runs++ != 0) shortest = std::min(shortest, begin - last);
        last = i;
    }
    return runs == 1 || runs == 2 || (item_bytes > 1 && runs != 0 && shortest >= kRow * item_bytes);
}

/// The indexes of what the line stores; if it has no assignment, all of them.
std::vector<IndexText> stored_indexes(const Place& at) {
    const std::vector<Assignment> all = assignments(at.file, at.line);
    std::vector<IndexText> made = indexes_of(code_line(at.file, at.line));
    made.erase(std::remove_if(made.begin(), made.end(),
                              [&](const IndexText& each) {
                                  return !all.empty() &&
                                         std::none_of(
                                             all.begin(), all.end(), [&](const Assignment& one) {
                                                 return one.target.rfind(each.array + "[", 0) == 0;
                                             });
                              }),
               made.end());
    return made;
}

/// If an index of the line, computed from the thread's place alone, leads to fewer than half the
/// items: what it is.
std::string same_items(const Place& at, const emulator::LaunchShape& shape, std::size_t items) {
    constexpr std::uint64_t kMaxThreads = 4096;
    if (shape.threads() > kMaxThreads) return {};
    for (const IndexText& each : stored_indexes(at)) {
        if (names_in(each.index).empty()) continue;  // out[0]
        std::set<std::int64_t> values;
        bool is_known = true;
        for (std::uint64_t i = 0; i < shape.threads() && is_known; ++i) {
            const auto known = [&](const std::string& name) -> std::optional<std::int64_t> {
                const std::uint64_t block = i / shape.block.x, thread = i % shape.block.x;
                if (name == "blockIdx.x") return static_cast<std::int64_t>(block);
                if (name == "threadIdx.x") return static_cast<std::int64_t>(thread);
                if (name == "blockDim.x") return shape.block.x;
                if (name == "gridDim.x") return shape.grid.x;
                return std::nullopt;
            };
            const std::optional<std::int64_t> value =
                SourceValues(at.file, at.line, known).of(each.index);
            is_known = value.has_value();
            if (value && *value >= 0 && *value < static_cast<std::int64_t>(items))
                values.insert(*value);
        }
        if (!is_known || values.empty() || 2 * values.size() > items) continue;
        const std::string defined = definition(at.file, at.line, each.index);
        const bool is_of_grid =
            shape.grid.x == 1 || (is_computed_from(at.file, at.line, each.index, "blockIdx") &&
                                  is_computed_from(at.file, at.line, each.index, "threadIdx"));
        return fmt::format("{}{} leads to only {} of the items in these {} threads. {}", each.index,
                           defined.empty() ? "" : " = " + defined, values.size(), shape.threads(),
                           is_of_grid
                               ? "Which thread should\nwrite the others?"
                               : "The index of a thread in\nthe grid is blockIdx.x * blockDim.x + "
                                 "threadIdx.x.");
    }
    return {};
}

constexpr char kOrder[] =
    "\nx is the number of columns, y that of rows: are they in this order in the launch, and is "
    "each rounded up?";

bool is_flat(const emulator::LaunchShape& shape) {
    return shape.grid.y * shape.grid.z * shape.block.y * shape.block.z == 1;
}

}  // namespace

std::string threads_for_items(const emulator::LaunchShape& shape, const SourcePlace& launch,
                              std::size_t items) {
    return fmt::format("The launch at {} has {} block{} of {} threads: {} threads for {} items.",
                       at_line(launch), extents(shape.grid.x, shape.grid.y, shape.grid.z),
                       shape.grid.x * shape.grid.y * shape.grid.z == 1 ? "" : "s",
                       extents(shape.block.x, shape.block.y, shape.block.z), shape.threads(),
                       items);
}

std::string more_threads(const emulator::LaunchShape& shape, std::size_t each) {
    if (is_flat(shape)) {
        const std::size_t items = shape.block.x * each;
        return fmt::format("\n{} round the number of blocks up: (items + {}) / {}.",
                           each == 1 ? "If each thread writes one,"
                                     : fmt::format("Each thread has written {}:", each),
                           items - 1, items);
    }
    return kOrder;
}

void NeverWritten::launched(std::uint32_t epoch, const emulator::LaunchShape& shape) {
    shapes_[streams_.index_of_epoch(epoch)] = shape;
    if (shapes_.size() > kMaxShapes) shapes_.erase(shapes_.begin());
}

bool NeverWritten::are_in_one_line(const Range& range) {
    return std::all_of(range.writers.begin(), range.writers.end(), [&](const Writer& each) {
        return place_of(each.site).line == place_of(range.writers.front().site).line;
    });
}

/// How many bytes one line stores, such as all members of a struct; `otherwise` if that does not
/// fit.
std::size_t NeverWritten::item_bytes(const Range& range, std::size_t otherwise) {
    std::size_t bytes = 0;
    for (const Writer& each : range.writers) {
        if (place_of(each.site).line == place_of(range.writers.front().site).line) {
            bytes += site(each.site).bytes;
        }
    }
    const bool fits = bytes != 0 && range.bytes % bytes == 0 && range.missing % bytes == 0;
    return fits ? bytes : otherwise;
}

/// Whether the launch has more than one dimension, and in each one as many threads as the kernel's
/// tests let through: then x and y are in the right order there.
bool NeverWritten::is_covered(const Range& range) const {
    if (range.writers.empty()) return false;
    const auto found = shapes_.find(streams_.index_of_epoch(range.writers.front().epoch));
    const emulator::Site launch = streams_.operation_of_epoch(range.writers.front().epoch).site;
    if (found == shapes_.end() || is_flat(found->second) || launch.file == nullptr) return false;
    const emulator::LaunchShape& shape = found->second;
    const Place at = place_of(range.writers.front().site);
    const FunctionText kernel = function_around(at.file, at.line);
    const std::vector<std::string> given = call_arguments(launch.file, launch.line, ">>>");
    const SourceValues host(launch.file, launch.line,
                            [](const std::string&) { return std::nullopt; });
    const std::uint64_t threads[] = {std::uint64_t{shape.grid.x} * shape.block.x,
                                     std::uint64_t{shape.grid.y} * shape.block.y,
                                     std::uint64_t{shape.grid.z} * shape.block.z};
    for (std::size_t d = 0; d < 3; ++d) {
        if (threads[d] == 1) continue;
        // "int x = blockIdx.x * blockDim.x + threadIdx.x;"
        const std::string own = fmt::format("blockIdx.{}", "xyz"[d]);
        bool is_known = false;
        for (int line = kernel.line; line < at.line && !is_known; ++line) {
            for (const Assignment& each : assignments(at.file, line)) {
                if (find_word(each.value, own) == std::string::npos) continue;
                for (const Guard& guard : guards_of(at.file, at.line, each.target)) {
                    for (std::size_t i = 0; i < std::min(given.size(), kernel.parameters.size());
                         ++i) {
                        if (last_name(kernel.parameters[i]) != guard.right) continue;
                        const std::optional<std::int64_t> limit = host.of(given[i]);
                        if (guard.operation == "<" && limit && *limit > 0) {
                            if (static_cast<std::uint64_t>(*limit) > threads[d]) return false;
                            is_known = true;
                        }
                    }
                }
            }
        }
        if (!is_known) return false;
    }
    return true;
}

NeverWritten::Range NeverWritten::range_of(const Watched& memory, std::uintptr_t begin,
                                           std::size_t bytes, std::vector<bool>* is_missing) const {
    Range made;
    made.description = memory.description;
    made.memory = memory.begin;
    made.bytes = bytes;
    is_missing->assign(bytes, false);
    bool is_any_written = false;
    for (std::size_t i = 0; i < bytes; ++i) {
        if (is_missing_at(memory, begin + i)) {
            (*is_missing)[i] = true;
            if (made.missing++ == 0) made.first_missing = i;
            made.last_missing = i;
            continue;
        }
        if (!is_any_written) made.first_written = i;
        is_any_written = true;
        made.last_written = i;
        const Cell& cell = (*memory.cells)[(begin + i - memory.begin) / kWordBytes];
        Stamp stamp = cell.write;
        if (stamp.epoch == 0) {
            cell.each_atomic([&](const Stamp& each) {
                if (each.epoch != 0) stamp = each;
            });
        }
        if (stamp.site == kNoSite || stamp.epoch == 0) continue;
        const auto is_same = [&](const Writer& each) { return each.site == stamp.site; };
        if (made.writers.size() < kMaxWriters &&
            std::none_of(made.writers.begin(), made.writers.end(), is_same)) {
            made.writers.push_back({stamp.site, stamp.epoch});
        }
    }
    return made;
}

/// For a row that was not written at all: whether other rows were, together with the padding after
/// them.
void NeverWritten::look_at_rows(const Watched& memory, Range& row) {
    for (std::size_t i = 0; i < memory.bytes; ++i) {
        if (is_missing_at(memory, memory.begin + i)) continue;
        row.memory_written = i + 1;
        const Stamp& write = (*memory.cells)[i / kWordBytes].write;
        if (i % memory.pitch >= row.bytes && write.site != kNoSite && write.epoch != 0) {
            row.padding = {write.site, write.epoch};
        }
    }
    row.pitch = memory.pitch;
    row.description = "a row of " + row.description;
}

void NeverWritten::copied(const emulator::Copy& copy, Watched* source, const Watched* target) {
    const emulator::ToolIsBusy busy;
    const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(copy.to);
    const std::uintptr_t from = reinterpret_cast<std::uintptr_t>(copy.from);
    if (!brought_.empty()) forget(to, copy.bytes);
    if (source == nullptr || source->cells == nullptr || !has_poison(*source)) return;
    // Nearly always there is none, and finding that out is quick.
    bool is_any = false;
    for (std::size_t i = 0; i < copy.bytes && !is_any; ++i) {
        is_any = *bytes_at(from + i) == emulator::kPoison && is_missing_at(*source, from + i);
    }
    if (!is_any || is_written_unseen(*source)) return;
    std::vector<bool> is_missing;
    Range range = range_of(*source, from, copy.bytes, &is_missing);
    if (target != nullptr && target->kind == emulator::MemoryKind::device) {
        if (target->cells == nullptr) return;
        for (std::size_t i = 0; i < copy.bytes; ++i) {
            const std::size_t offset = to + i - target->begin;
            if (is_missing[i]) {
                (*target->cells)[offset / kWordBytes].written &=
                    static_cast<std::uint8_t>(~(1u << offset % kWordBytes));
            }
        }
        return;
    }
    if (source->pitch > copy.bytes && range.missing == range.bytes) look_at_rows(*source, range);
    if (brought_.size() >= kMaxBrought) return;
    range.call = copy.call;
    range.copy = copy.site;
    brought_[to] = {std::move(range), std::move(is_missing)};
    find_limits();
}

void NeverWritten::find_limits() {
    low_ = brought_.empty() ? 0 : brought_.begin()->first;
    high_ = 0;
    for (const auto& [begin, each] : brought_) {
        high_ = std::max(high_, begin + each.is_missing.size());
    }
}

/// The host's memory gets new contents.
void NeverWritten::forget(std::uintptr_t begin, std::size_t bytes) {
    auto at = brought_.upper_bound(begin);
    if (at != brought_.begin()) --at;
    bool is_any_gone = false;
    while (at != brought_.end() && at->first < begin + bytes) {
        std::vector<bool>& is_missing = at->second.is_missing;
        const std::size_t first = begin > at->first ? begin - at->first : 0;
        const std::size_t last = std::min(is_missing.size(), begin + bytes - at->first);
        for (std::size_t i = first; i < last; ++i) is_missing[i] = false;
        const bool is_gone = first == 0 && last == is_missing.size();
        is_any_gone = is_any_gone || is_gone;
        at = is_gone ? brought_.erase(at) : std::next(at);
    }
    if (is_any_gone) find_limits();
}

bool NeverWritten::host_access(SiteId id, std::uintptr_t address, std::uint32_t bytes, Kind kind,
                               Finding* made) {
    auto at = brought_.upper_bound(address);
    if (at == brought_.begin()) return false;
    --at;
    auto& [begin, brought] = *at;
    if (address - begin >= brought.is_missing.size()) return false;
    if (kind != Kind::read && kind != Kind::read_some) {
        forget(address, bytes);
        return false;
    }
    const std::size_t offset = address - begin;
    const std::size_t end = std::min<std::size_t>(offset + bytes, brought.is_missing.size());
    const auto first = brought.is_missing.begin();
    const auto missing =
        static_cast<std::size_t>(std::count(first + static_cast<std::ptrdiff_t>(offset),
                                            first + static_cast<std::ptrdiff_t>(end), true));
    // A struct may hold bytes that no member uses, and a range of bytes is copied as it is.
    if (missing == 0) brought.is_used = true;
    if (missing != bytes || !is_poison(address, bytes)) return false;
    // It is not known whether a copy of a range is ever read.
    if (kind == Kind::read_some && bytes > sizeof(std::uint64_t) * 2 &&
        site(id).traits.alignment == 0) {
        return false;
    }
    const std::size_t item = item_bytes(brought.range, bytes);
    const Party reader = host(id, fmt::format("reads item {},", offset / item));
    *made = finding(brought.range, item, &reader);
    made->item = static_cast<std::int64_t>(offset / item);
    const bool is_unwritten =
        brought.range.writers.empty() && brought.range.missing == brought.range.bytes;
    unwritten_ = is_unwritten ? brought.range.memory : 0;
    brought_.erase(at);
    find_limits();
    return true;
}

bool NeverWritten::mapped_access(SiteId id, const Watched& memory, std::uintptr_t address,
                                 std::uint32_t bytes, Finding* made) {
    if (memory.cells == nullptr || !has_poison(memory)) return false;
    for (std::uint32_t i = 0; i < bytes; ++i) {
        if (!is_missing_at(memory, address + i)) return false;
    }
    const std::size_t now = streams_.epoch_count();
    const auto known = looked_at_.find(memory.number);
    if (known != looked_at_.end() && known->second == now) return false;
    std::vector<bool> is_missing;
    Range range = range_of(memory, memory.begin, memory.bytes, &is_missing);
    looked_at_[memory.number] = now;
    // A library may have filled, unseen, what no kernel has used.
    const Place here = place_of(id);
    const UnlaunchedKernel kernel =
        range.writers.empty() ? unlaunched_kernel(here.file) : UnlaunchedKernel{};
    if (range.writers.empty() && kernel.name.empty()) return false;
    const std::size_t item = item_bytes(range, bytes);
    const Party reader = host(id, fmt::format("reads item {},", (address - memory.begin) / item));
    *made = finding(range, item, &reader);
    if (!kernel.name.empty()) {
        made->cure = Cure::none;
        made->advice = fmt::format(
            "\nNothing launches kernel {}, line {}: if it is to write them, launch it before line "
            "{}.",
            kernel.name, kernel.line, here.line);
    }
    made->item = static_cast<std::int64_t>((address - memory.begin) / item);
    return true;
}

std::vector<Finding> NeverWritten::take_notes() {
    const emulator::ToolIsBusy busy;
    std::vector<Finding> made;
    for (const auto& [begin, each] : brought_) {
        const std::size_t item = item_bytes(each.range, 1);
        if (each.is_used || !is_like_a_part(each.is_missing, item)) continue;
        made.push_back(finding(each.range, item, nullptr));
        made.back().is_note = true;
        made.back().advice += "\nIf they are not needed, copy only the others.";
    }
    brought_.clear();
    find_limits();
    return made;
}

Finding NeverWritten::finding(const Range& range, std::size_t item_bytes, const Party* host) const {
    Finding made;
    made.fault = Fault::uninitialised;
    made.code = "never_written";
    const std::size_t all = range.bytes / item_bytes, missing = range.missing / item_bytes;
    const char* const things = item_bytes == 1 ? "bytes" : "items";
    made.items = static_cast<std::int64_t>(all);
    made.title = "never written: " +
                 (all == 1 ? range.description
                           : fmt::format("{} {} in {}",
                                         missing == all ? fmt::format("all {}", all)
                                                        : fmt::format("{} of the {}", missing, all),
                                         things, range.description));
    if (range.copy.file != nullptr) {
        made.parties.push_back(call(range.call, "copies them to the host", range.copy));
    }
    if (host != nullptr && host->at.is_known()) made.parties.push_back(*host);
    const std::size_t first = range.first_written / item_bytes;
    const std::size_t last = range.last_written / item_bytes;
    const bool is_one_run = last - first + 1 == all - missing;
    const bool is_alone = are_in_one_line(range);
    for (const Writer& each : range.writers) {
        if (is_alone && &each != range.writers.data()) break;
        made.parties.push_back(party_at(
            source_place(place_of(each.site)), streams_.operation_of_epoch(each.epoch).what,
            is_alone && is_one_run ? "wrote " + items_text(first, last)
            : is_alone ? fmt::format("wrote {} items between item {} and item {},", all - missing,
                                     first, last)
                       : "wrote some of the others"));
    }
    explain(range, item_bytes, made);
    if (made.advice.find(kOrder) != std::string::npos && is_covered(range)) {
        made.advice =
            "\nThe launch covers each of the dimensions: do two threads compute the same index? "
            "Look at the length of a row\nin it. If not, what keeps the threads of these items "
            "from writing?";
    }
    return made;
}

/// Why they may be missing: too few threads, or x and y in the wrong order.
void NeverWritten::explain(const Range& range, std::size_t item_bytes, Finding& made) const {
    if (range.padding.site != kNoSite) {
        Party writer{streams_.operation_of_epoch(range.padding.epoch).what, "wrote elsewhere,"};
        writer.at = source_place(place_of(range.padding.site));
        made.cure_place = writer.at;
        made.parties.push_back(std::move(writer));
        made.evidence = fmt::format(
            "Rows of that memory are {} bytes apart, and {} of each are used. The kernel has also "
            "written\nbetween them, up to byte {}: it assumes that each row begins where the last "
            "one ends.",
            range.pitch, range.bytes, range.memory_written);
        made.advice =
            " Row y begins\nat (T*)((char*)data + y * pitch), where T is the type of an item.";
        return;
    }
    if (range.writers.empty()) {
        if (range.missing == range.bytes) {
            made.evidence = "No kernel and no copy has written to that memory.";
            made.advice =
                " Was a kernel launched with this pointer, and\ndid one of its threads reach the "
                "store?";
        } else {
            made.evidence = "No kernel has written to that memory, only a copy or cudaMemset.";
            made.advice = " Did it cover all of them,\nfrom memory that was written?";
        }
        return;
    }
    const std::size_t all = range.bytes / item_bytes;
    const auto found = shapes_.find(streams_.index_of_epoch(range.writers.front().epoch));
    if (found == shapes_.end()) return;
    const emulator::LaunchShape& shape = found->second;
    const emulator::Site launch = streams_.operation_of_epoch(range.writers.front().epoch).site;
    made.cure_place = source_place(launch);
    made.evidence = threads_for_items(shape, made.cure_place, all);
    const Place writer = place_of(range.writers.front().site);
    const std::size_t written = all - range.missing / item_bytes;
    if (is_index_from(writer.file, writer.line, "atomic")) {
        made.advice = fmt::format(
            "\nIn line {} an atomic operation gives out the index: only as many items have values "
            "as it has counted. Copy that\nnumber too, and use no others on the host.",
            writer.line);
        return;
    }
    if (shape.threads() < all && are_in_one_line(range)) {
        const bool are_several = written % shape.threads() == 0 && written > shape.threads();
        made.advice = is_flat(shape) && are_several
                          ? more_threads(shape, written / static_cast<std::size_t>(shape.threads()))
                          : more_threads(shape);
        return;
    }
    if (range.first_missing == 0 && range.last_missing < item_bytes && launch.file != nullptr) {
        for (const IndexText& each : stored_indexes(writer)) {
            const std::string why =
                inclusive_place(writer.file, writer.line, each.index, launch.file, launch.line);
            if (why.empty()) continue;
            made.advice = "\n" + why;
            return;
        }
    }
    const std::string same = same_items(writer, shape, all);
    made.advice = !same.empty() ? "\n" + same : condition_of(range, item_bytes);
    if (!is_flat(shape)) made.advice += more_threads(shape);
}

/// What decides which threads write, and which test is wrong if that is known.
std::string NeverWritten::condition_of(const Range& range, std::size_t item_bytes) {
    const std::size_t first = range.first_missing / item_bytes;
    const std::size_t last = range.last_missing / item_bytes;
    const bool is_run = (last - first + 1) * item_bytes == range.missing;
    std::string tests;
    for (const Writer& each : range.writers) {
        const Place at = place_of(each.site);
        const SourceValues values(at.file, at.line,
                                  [](const std::string&) { return std::nullopt; });
        for (const Guard& guard : guards_of_indexes(at.file, at.line)) {
            const std::optional<std::int64_t> right = values.of(guard.right);
            if (guard.operation == ">" && is_run && first != 0 && right &&
                *right == static_cast<std::int64_t>(last)) {
                return fmt::format("\n{} > {} in line {} leaves out item {}: write {} >= {}.",
                                   guard.left, guard.right, guard.line, last, guard.left,
                                   guard.right);
            }
            tests += fmt::format("{}{} {} {} (line {})", tests.empty() ? "" : ", ", guard.left,
                                 guard.operation, guard.right, guard.line);
        }
        const int branch = branch_around(at.file, at.line);
        if (tests.empty() && branch != 0 && range.writers.size() == 1) {
            // "if (i == 0) sums[blockIdx.x] = s[0];"
            const std::string code = without_blanks(code_line(at.file, branch));
            const std::size_t equal = code.find("==0");
            const std::string own =
                equal == std::string::npos ? std::string() : name_before(code, equal);
            const bool is_of_one = !own.empty() &&
                                   is_computed_from(at.file, at.line, own, "blockIdx") &&
                                   is_computed_from(at.file, at.line, own, "threadIdx");
            if (is_of_one) {
                return fmt::format(
                    "\n{} == 0 in line {} is so in one thread of the grid only: if one of each "
                    "block is to write, test threadIdx.x == 0.",
                    own, branch);
            }
            tests = fmt::format("the condition in line {}", branch);
        }
    }
    const std::size_t all = range.bytes / item_bytes;
    const bool are_ends = first == 0 && last == all - 1;
    std::string made =
        fmt::format("\nThere are enough of them: which thread should write item {}", first);
    made += tests.empty() ? ", and what keeps it from doing so?"
                          : fmt::format("? What lets them write is\n{}.", tests);
    if (are_ends && !tests.empty()) {
        made += " If those at the ends are to have a value as well, store\none in an else.";
    }
    return made;
}

}  // namespace lab
