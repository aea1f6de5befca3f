#include "rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "index_source.hpp"
#include "lines.hpp"
#include "never_written.hpp"
#include "places.hpp"
#include "source_calls.hpp"
#include "source_structs.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"
#include "variables.hpp"

namespace lab {
namespace {

const char* file_of(emulator::Site site) { return site.file != nullptr ? site.file : ""; }

/// The key shared by all accesses beyond an array that is too small: its allocation, or the launch.
FindingList::Key cause_key(emulator::Site site) {
    return FindingList::key_of(Fault::out_of_bounds, source_place(site), {"too small", 0});
}

constexpr const char* kBlockIndex =
    "\nThat is an index in the grid, and each block has shared memory of its own: index it by\n"
    "threadIdx.";

/// What is wrong with a number of bytes, if the source shows it; empty: nothing.
std::string size_advice(const SizeText& size, std::size_t given, std::size_t item,
                        const std::string& call, const std::string& type, bool uses_members) {
    constexpr const char* kCure = "Multiply the number of items by the size of one.";
    const std::size_t star = size.measure.rfind("*)");
    if (size.is_pointer && uses_members && size.bytes >= item && star != std::string::npos) {
        return fmt::format(
            "\n{} is the size of a pointer, {} bytes, but the line uses a member of what it points "
            "to:\nmultiply the number of items by {}.",
            size.measure, size.bytes, trimmed(size.measure.substr(0, star)) + ")");
    }
    if (size.is_pointer && size.bytes < item) {
        return fmt::format("\n{} is the size of a pointer, {} bytes, and an item has {}.\n{}",
                           size.measure, size.bytes, item, kCure);
    }
    const std::size_t first = size.text.find("sizeof");
    if (size.bytes != 0 && size.bytes < item && first != std::string::npos &&
        size.text.find("sizeof", first + 1) != std::string::npos) {
        return fmt::format(
            "\nThe sizes of the members are added up, but an item has {} bytes, with padding "
            "between them. Multiply the\nnumber of items by {}.",
            item, type.empty() ? "the size of the struct" : "sizeof(" + type + ")");
    }
    if (size.bytes != 0 && size.bytes < item) {
        return fmt::format("\n{} is {}, and an item has {}. {}", size.measure,
                           bytes_text(size.bytes), item, kCure);
    }
    if (size.is_in_items) {
        return fmt::format(
            "\n{} takes a number of bytes: {} of them hold {} items of {} bytes.\n{}", call, given,
            given / item, item, kCure);
    }
    return {};
}

/// A loop begins too high, or nothing ends it. `array`: which index it must be; empty: any.
bool explain_step(const std::vector<IndexText>& indexes, const std::string& array, Finding& made) {
    const SourcePlace at = made.parties.front().at;
    for (const IndexText& each : indexes) {
        if (each.position != 0 || (!array.empty() && each.array != array)) continue;
        const SteppedIndex step = stepped_index(at.path, at.line, each.index, made.items);
        if (step.line == 0) continue;
        cure(made, Cure::none, {at.path, step.line}, "\n" + step.why);
        return true;
    }
    return false;
}

/// Why an access is just past the end of an array of one dimension, and what to do; empty: nothing
/// tells. `index`: which one it is; empty: not known.
std::string one_past(const std::string& array, const SourcePlace& at, std::int64_t items,
                     const std::string& index = {}) {
    const SourceValues values(at.path, at.line, [](const std::string&) { return std::nullopt; });
    std::string why;
    for (const IndexText& each : indexes_of(code_line(at.path, at.line))) {
        if (each.array != array || (!index.empty() && each.index != index)) continue;
        if (why.empty() && each.position == 0)
            why = why_one_past(at.path, at.line, each.index, items, values);
    }
    return why.empty() ? why : "\n" + why;
}

/// A function has used what is next to a local array of its caller. True: the cause is certain.
bool explain_local(const LocalArray& array, Finding& made) {
    const SourcePlace at = made.parties.front().at, from = made.parties.front().call;
    const SourceValues values(at.path, at.line, [](const std::string&) { return std::nullopt; });
    const FunctionText function = function_around(at.path, at.line);
    const SourceValues there(from.path, from.line, [](const std::string&) { return std::nullopt; });
    std::vector<std::string> given;
    if (from.is_known() && words_at(code_line(from.path, from.line), function.name).size() == 1) {
        given = call_arguments(from.path, from.line, function.name);
    }
    if (made.items == 0 || made.item < made.items) return false;
    for (const IndexText& each : indexes_of(code_line(at.path, at.line))) {
        if (const std::string why =
                made.item == made.items
                    ? why_one_past(at.path, at.line, each.index, made.items, values)
                    : "";
            !why.empty()) {
            made.advice = "\n" + why;
            return true;
        }
        for (const Guard& guard : guards_of(at.path, at.line, each.index)) {
            for (std::size_t i = 0; i < std::min(given.size(), function.parameters.size()); ++i) {
                if (guard.operation != "<" || last_name(function.parameters[i]) != guard.right ||
                    there.of(given[i]).value_or(made.items + 1) <= made.items) {
                    continue;
                }
                cure(made, Cure::none, from,
                     fmt::format(
                         "\nLine {} lets {} go up to {} - 1, and line {} calls {}() with {} = {}: "
                         "pass {} there;\nor, if that is right, give {} as many items in line {}.",
                         guard.line, guard.left, guard.right, from.line, function.name, guard.right,
                         given[i], made.items, array.name, array.site.line));
                return true;
            }
        }
    }
    made.advice = fmt::format(
        "\nTest the index before it is used; or, if it is right, give {} more items in line {}.",
        array.name, array.site.line);
    return false;
}

/// "s[i + half + 1]" where a test lets i go up to half - 1: one past the last item in the first
/// round of a loop that adds the upper half to the lower; empty: it is not that.
std::string past_upper_half(const SourcePlace& at, const std::string& array) {
    for (const IndexText& each : indexes_of(code_line(at.path, at.line))) {
        if (each.array != array) continue;
        const std::string index = without_blanks(each.index);
        const std::size_t plus = index.find('+');
        for (const Guard& guard : guards_of(at.path, at.line, index.substr(0, plus))) {
            if (guard.operation != "<" ||
                index != fmt::format("{}+{}+1", guard.left, without_blanks(guard.right)))
                continue;
            return fmt::format(
                "\n{0} < {1} in line {2} lets {0} + {1} + 1 go up to 2 * {1}: is {0} + {1} meant?",
                guard.left, guard.right, guard.line);
        }
    }
    return {};
}

/// "n - i" without "- 1", in an index or in what gives a name in it its value: n for i = 0, one
/// past the last of so many items, or rows; and what to do. Empty: it is not that.
std::string mirrored(const IndexSource& index, const SourcePlace& at, const std::string& array,
                     std::int64_t items) {
    const auto look = [&](const std::string& text, int line) -> std::string {
        const std::size_t minus = text.find('-');
        if (minus == std::string::npos) return {};
        const std::string all = trimmed(text.substr(0, minus));
        const std::string back = trimmed(text.substr(minus + 1));
        const bool are_single = back.find_first_of("+-*/%?(,<>") == std::string::npos &&
                                all.find_first_of("+-*/%?(,<>") == std::string::npos;
        const std::int64_t most = are_single ? index.value(all).value_or(0) : 0;
        if (most < 2 || items % most != 0 || index.is_uniform(back)) return {};
        return fmt::format(
            "\n{0} - {1} in line {2} is {3} where {1} is 0, but the last of {3} is {4}: "
            "is {0} - 1 - {1} meant?",
            all, back, line, most, most - 1);
    };
    for (const IndexText& each : index.indexes()) {
        if (!array.empty() && each.array != array) continue;
        if (std::string made = look(each.index, at.line); !made.empty()) return made;
        for (const std::string& name : names_in(each.index)) {
            int line = 0;
            const std::string value = definition(at.path, at.line, name, &line);
            if (std::string made = look(value, line); !made.empty()) return made;
        }
    }
    return {};
}

}  // namespace

const Watched* BoundsCauses::far_from(const Access& access) const {
    return run_.device.find_if([&](const Watched& each) {
        const std::size_t apart = each.pitch * access.bytes;
        const std::size_t offset = access.address - each.begin;
        return each.pitch != 0 && access.bytes > 1 && access.address >= each.begin &&
               offset >= each.bytes && offset / apart < each.bytes / each.pitch &&
               offset % apart < each.pitch;
    });
}

/// Says that an access narrowly misses, or misses by a pitch in items.
const Watched* BoundsCauses::memory_of(const Access& access) const {
    const Watched* const near = run_.watched_at(access.address);
    return near != nullptr ? near : far_from(access);
}

/// The array in shared memory that ends before the access; null for other memory.
const emulator::SharedRegion* BoundsCauses::region_before(const Access& access,
                                                          const Target& what) const {
    if (!run_.is_shared(access.address) || static_cast<std::ptrdiff_t>(what.offset) < 0) {
        return nullptr;
    }
    for (const emulator::SharedRegion& each : run_.block->block->regions) {
        if (access.address - run_.block->arena == each.offset + what.offset) return &each;
    }
    return nullptr;
}

/// The key shared by all accesses beyond an array in shared memory: its declaration, or the launch,
/// which gives its size.
FindingList::Key BoundsCauses::key_of(const emulator::SharedRegion& region) const {
    return cause_key(region.variable == nullptr ? run_.launched.site : region.site);
}

FindingList::Key BoundsCauses::key_of_place(const SourcePlace& place) {
    return FindingList::key_of(Fault::out_of_bounds, place);
}

bool BoundsCauses::is_missed(const Watched& memory, const SourcePlace& at) {
    return findings_.is_known(key_of_place(at)) || findings_.is_known(cause_key(memory.site));
}

void BoundsCauses::reached(const FindingList::Key& key, std::size_t end) {
    const auto known = later_.find(key);
    Finding* const made = known == later_.end() ? nullptr : findings_.find(key);
    if (made == nullptr || end <= known->second.end) return;
    known->second.end = end;
    known->second.words(*made, end, true);
    // In a part for each block, the largest index of all lines counts.
    if (end != known->second.parts) return;
    for (auto& [other, later] : later_) {
        Finding* const told = findings_.find(other);
        if (told == nullptr || later.memory != known->second.memory || later.end >= end) continue;
        later.end = end;
        later.words(*told, end, true);
    }
}

void BoundsCauses::kernel_is_ended() {
    for (const auto& [key, later] : later_) {
        Finding* const made = later.epoch == run_.epoch() ? findings_.find(key) : nullptr;
        if (made != nullptr) later.words(*made, later.end, false);
    }
}

bool BoundsCauses::is_explained(const Access& access, const Target& what) {
    const emulator::SharedRegion* const region = region_before(access, what);
    if (const LocalArray* const local = run_.local_array_beside(access.address, access.bytes))
        return findings_.is_known(cause_key(local->site));
    if (region == nullptr) {
        const Watched* const memory = memory_of(access);
        return memory != nullptr && findings_.is_known(cause_key(memory->site));
    }
    const FindingList::Key key = key_of(*region);
    Reached& reached = reached_[key];
    const Reached before = reached;
    reached.bytes = std::max(reached.bytes, what.offset + access.bytes);
    reached.is_stored = reached.is_stored || access.is_store;
    Finding* const known = findings_.find(key);
    if (known == nullptr) return false;
    ++known->times;
    if (reached.bytes != before.bytes || reached.is_stored != before.is_stored) {
        explain_shared(*region, access, what, *known);
    }
    return true;
}

void BoundsCauses::explain_shared(const emulator::SharedRegion& region, const Access& access,
                                  const Target& what, Finding& made) {
    const Beyond beyond{what.offset, access.bytes, what.bytes, access.bytes};
    Reached& reached = reached_[key_of(region)];
    if (region.variable == nullptr) {
        explain_launch(beyond, reached, made);
        return;
    }
    const Place here = place_of(access.site);
    reached.is_grid_index = reached.is_grid_index ||
                            (is_grid_index(beyond) &&
                             is_index_computed_from(here.file, here.line, region.name, "blockIdx"));
    explain_array(region, beyond, reached, made);
}

/// Whether a thread of a later block has used its index in the grid.
bool BoundsCauses::is_grid_index(const Beyond& beyond) const {
    const std::size_t item = beyond.offset / beyond.bytes;
    const std::size_t first = run_.block->index * run_.block->block->indices.size();
    return first != 0 && item >= first && item - first < beyond.array / beyond.bytes;
}

/// The block's array is too small, or the index is not the one within the block.
void BoundsCauses::explain_array(const emulator::SharedRegion& region, const Beyond& beyond,
                                 const Reached& reached, Finding& made) const {
    if (reached.is_swapped) return;  // already explained
    if (reached.is_grid_index) {
        cure(made, Cure::block_index, made.parties.front().at, kBlockIndex);
        return;
    }
    const SourcePlace at = made.parties.front().at;
    made.items = static_cast<std::int64_t>(beyond.array / beyond.bytes);
    if (explain_step(indexes_of(source_line(at.path, at.line)), region.name, made)) return;
    if (reached.bytes == beyond.array + beyond.bytes) {
        if (const std::string why = one_past(region.name, at, made.items); !why.empty()) {
            cure(made, Cure::test_index, at, why);
            return;
        }
    }
    made.items = static_cast<std::int64_t>(reached.bytes / beyond.bytes);
    cure(made, Cure::larger_array, source_place(region.site),
         fmt::format(
             "\nThe kernel's accesses go up to index {}: give the array {} items; or, if it is "
             "the\nindex that is wrong, test it before it is used.",
             made.items - 1, made.items));
}

const FindingList::Key* BoundsCauses::explain(const Access& access, const Target& what,
                                              Finding& made) {
    const emulator::SharedRegion* const region = region_before(access, what);
    if (region != nullptr && region->variable != nullptr) {
        if (access.bytes == 0 || what.bytes % access.bytes != 0) return nullptr;
        // If the accesses only load, they read a neighbour that does not exist.
        if (!access.is_store) {
            if (made.items != 0) explain_load(*region, access, what, made);
            return nullptr;
        }
        key_ = key_of(*region);
        const Beyond beyond{what.offset, access.bytes, what.bytes, access.bytes};
        reached_[key_].is_swapped = explain_swapped(beyond, true, made);
        explain_shared(*region, access, what, made);
        return &key_;
    }
    if (region != nullptr) {
        if (const std::string why = IndexSource(run_, access).beyond_row(); !why.empty()) {
            made.advice = "\n" + why;
            return nullptr;
        }
        key_ = key_of(*region);
        made.parties.push_back(call(
            "kernel " + run_.launched.name,
            fmt::format("is launched with {} of dynamic shared memory", bytes_text(what.bytes)),
            run_.launched.site));
        explain_shared(*region, access, what, made);
        put_places(made);
        return &key_;
    }
    if (const LocalArray* const local = run_.local_array_beside(access.address, access.bytes)) {
        if (!explain_local(*local, made)) return nullptr;
        key_ = cause_key(local->site);
        return &key_;
    }
    // Also if the access misses it by far.
    const Watched* const near = memory_of(access);
    const Watched* const memory =
        near != nullptr ? near : run_.device.find(access.address - what.offset, 0);
    const Variable* const variable =
        memory == nullptr && made.items != 0 && static_cast<std::ptrdiff_t>(what.offset) >= 0
            ? device_variable_beside(access.address)
            : nullptr;
    if (variable != nullptr) {
        explain_variable(*variable, IndexSource(run_, access), made);
        return nullptr;
    }
    if (memory == nullptr || memory->bytes != what.bytes || memory->site.file == nullptr ||
        static_cast<std::ptrdiff_t>(what.offset) < 0) {
        return nullptr;
    }
    const Beyond beyond{what.offset, access.bytes, what.bytes, item_bytes(access, *memory)};
    const IndexSource index(run_, access);
    helper_ = index.allocating_call(*memory);
    const bool is_sure = explain_slices(*memory, made) || explain_pitch(*memory, beyond, made) ||
                         (memory->pitch == 0 && (explain_swapped(beyond, false, made) ||
                                                 explain_threads(*memory, beyond, index, made)));
    if (is_sure) {
        put_places(made);
        key_ = cause_key(memory->site);
        return &key_;
    }
    if (explain_passed(*memory, beyond, index, made)) {
        put_places(made);
        return nullptr;
    }
    const bool is_size_wrong = explain_allocation(*memory, beyond, made);
    if (!is_size_wrong && memory->pitch == 0) {
        if (explain_flat(*memory, beyond, index, made) ||
            explain_rows(*memory, beyond, index, made)) {
            later_.erase(key_of_place(made.parties.front().at));  // which says less
        } else {
            explain_limit(*memory, beyond, index, made);
        }
    }
    put_places(made);
    if (!is_size_wrong) return nullptr;
    key_ = cause_key(memory->site);
    return &key_;
}

/// Each thread has several items, at its number times so many: the array has room for one of each,
/// or there are more threads than it has room for.
bool BoundsCauses::explain_threads(const Watched& memory, const Beyond& beyond,
                                   const IndexSource& index, Finding& made) const {
    const IndexText* const used = index.index_to(memory);
    if (used == nullptr || made.items == 0) return false;
    const IndexTerms terms = index_terms(used->index);
    if (terms.products.size() != 1) return false;
    auto [name, factor] = terms.products.front();
    if (names_in(name).empty()) std::swap(name, factor);
    if (!names_in(factor).empty()) return false;
    const std::int64_t each = index.value(factor).value_or(0);
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    const auto threads = static_cast<std::int64_t>(shape.threads());
    const auto [x, y] = position(false);
    const auto number = static_cast<std::int64_t>(y * shape.grid.x * shape.block.x + x);
    const bool is_in_range =
        std::all_of(terms.singles.begin(), terms.singles.end(), [&](const std::string& single) {
            return names_in(single).empty() && index.value(single).value_or(each) < each;
        });
    if (each < 2 || shape.grid.z * shape.block.z != 1 || !is_in_range ||
        index.value(name) != number || !index.limits_of(name).empty()) {
        return false;
    }
    const std::int64_t room = made.items / each;
    if (threads == made.items) {
        cure(made, Cure::none, source_place(memory.site),
             fmt::format("\nThe index is {}: {} items for each of the {} threads. Give {} {} * {} "
                         "* {} bytes;\nor, if "
                         "the array is right, launch {} threads.",
                         used->index, each, threads, allocating(memory), threads, each,
                         beyond.bytes, room));
        return true;
    }
    if (made.items % each != 0 || threads <= room) return false;
    cure(made, Cure::none, source_place(run_.launched.site),
         fmt::format("\nThe index is {}: {} items for each thread. The array has room for {} "
                     "threads, but the "
                     "launch in line {} has\n{}. Is its grid too large?{}",
                     used->index, each, room, run_.launched.site.line, threads,
                     shape.grid.y * shape.block.y == 1
                         ? fmt::format(" If not, use the items only if {} < {}.", name, room)
                         : ""));
    return true;
}

/// A `__device__` array: what lets the index go past its end, and where it is declared.
void BoundsCauses::explain_variable(const Variable& variable, const IndexSource& index,
                                    Finding& made) const {
    const SourcePlace at = made.parties.front().at;
    int line = line_count(at.path);
    for (; line > 0; --line) {
        const std::string code = code_line(at.path, line);
        if (find_word(code, "__device__") != std::string::npos &&
            code.find(variable.name + "[") != std::string::npos) {
            break;
        }
    }
    if (line == 0) return;
    const std::string array = fmt::format("give {} in line {}", variable.name, line);
    made.cure = Cure::none;
    made.advice = fmt::format(
        "\nTest the index before it is used; or, if it is right, {} more items.", array);
    const IndexText* const used = index.index_from(variable.begin);
    if (used == nullptr) return;
    for (const auto& [guard, right] : index.limits_of(used->index)) {
        if (!right || (guard.operation != "<" && guard.operation != "<=")) continue;
        const std::int64_t limit = *right + (guard.operation == "<=");
        if (limit <= made.items) return;
        made.advice = fmt::format(
            "\n{} in line {} lets indexes up to {} through: {} {} items; or, if the\n"
            "array is right, {}.",
            guard.text(), guard.line, limit - 1, array, limit,
            index.is_parameter(guard.right)
                ? fmt::format("pass {} = {} in the launch in line {}", guard.right, made.items,
                              run_.launched.site.line)
                : fmt::format("test for its {} items", made.items));
        return;
    }
    const dim3 grid = run_.worker->launch->shape.grid;
    const auto blocks = static_cast<std::int64_t>(grid.x) * grid.y * grid.z;
    if (blocks > made.items &&
        index.value(used->index) == static_cast<std::int64_t>(run_.block->index)) {
        made.advice = fmt::format(
            "\nThe launch in line {} has {} blocks, and each uses one item: {} {} items.\nOr are "
            "these too many blocks?",
            run_.launched.site.line, blocks, array, blocks);
    }
}

/// The pointer that the launch has passed begins past the end, or inside the array.
bool BoundsCauses::explain_passed(const Watched& memory, const Beyond& beyond,
                                  const IndexSource& index, Finding& made) {
    const PassedPointer passed = index.passed(memory);
    if (passed.position == 0 || passed.pointer == memory.begin) return false;
    const std::size_t begin = passed.pointer - memory.begin;
    if (begin % beyond.bytes != 0 || beyond.array % beyond.bytes != 0) return false;
    const std::size_t item = begin / beyond.bytes, items = beyond.array / beyond.bytes;
    const std::string text =
        passed.is_member || passed.text.empty()
            ? fmt::format("{} {}", passed.is_member ? "a pointer in argument" : "argument",
                          passed.position)
            : passed.text;
    made.parties.push_back(
        call("kernel " + run_.launched.name,
             fmt::format("is launched with {}, which points to item {} of it", text, item),
             run_.launched.site));
    const bool names_bytes = text.find("ytes") != std::string::npos ||
                             text.find("sizeof") != std::string::npos ||
                             text.find("pitch") != std::string::npos;
    const std::string hint = beyond.bytes > 1 && item % beyond.bytes == 0
                                 ? fmt::format(
                                       "Was a number of bytes added to the pointer? A pointer to "
                                       "items of {} bytes counts items.",
                                       beyond.bytes)
                                 : std::string("Is what was added to the pointer right?");
    if (item < items) {
        made.evidence +=
            fmt::format(" The pointer that the\nkernel got has {} item{} before that end.",
                        items - item, items - item == 1 ? "" : "s");
        made.advice = names_bytes ? "\n" + hint
                                  : "\nTest the index before it is used, or pass another pointer.";
        return true;
    }
    made.evidence += " The pointer that the\nkernel got is past its end already.";
    // Parts of one array, all of one length: it has too few of them.
    const std::vector<PassedPointer> all = index.all_passed(memory);
    bool are_parts = all.size() > 1 && all.front().pointer == memory.begin && item == items;
    for (std::size_t i = 2; i < all.size(); ++i) {
        are_parts =
            are_parts && all[i].pointer - all[i - 1].pointer == all[1].pointer - all[0].pointer;
    }
    if (names_bytes || !are_parts) {
        made.cure = Cure::none;
        made.advice = "\n" + hint;
        if (item == items)
            made.advice += fmt::format("\nIf not, give {} more bytes.", allocating(memory));
        return true;
    }
    const std::size_t part = all[1].pointer - all[0].pointer;
    cure(made, Cure::none, source_place(memory.site),
         fmt::format(
             "\nThe launch passes {} pointers, {} items apart: give {} {} * {} * {} bytes. Or "
             "is one of\nthe pointers wrong?",
             all.size(), part / beyond.bytes, allocating(memory), all.size(), part / beyond.bytes,
             beyond.bytes));
    return true;
}

/// The index of the line as row * width + column, if it is the same width for all threads.
static FlatIndex flat_index_to(const Watched& memory, const IndexSource& index,
                               const SourcePlace& at) {
    const IndexText* const used = index.index_to(memory);
    if (used == nullptr) return {};
    FlatIndex flat = flat_index(used->index);
    if (flat.row.empty()) {
        // A variable that holds the index.
        const std::string defined = definition(at.path, at.line, used->index);
        if (!defined.empty()) flat = flat_index(defined);
    }
    if (flat.row.empty()) return {};
    if (index.is_uniform(flat.row) && !index.is_uniform(flat.width))
        std::swap(flat.row, flat.width);
    // Where the block's columns begin, "blockIdx.x * kTile", or that of a whole part of the array.
    for (const auto& [one, other] : index_terms(flat.column).products) {
        const std::optional<std::int64_t> apart =
            index.value(find_word(one, "blockIdx") == 0 ? other : one);
        const std::optional<std::int64_t> width = index.value(flat.width);
        if (!apart || !width || *apart >= *width) return {};
    }
    // One index, of all threads of the grid, or of items that each have several.
    const bool is_one = flat.width.find("blockDim") != std::string::npos ||
                        names_in(flat.column).empty() || !index.is_uniform(flat.width);
    return is_one ? FlatIndex{} : flat;
}

static std::string in_brackets(const std::string& text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

/// The index is row * width + column, and that is all that is known: both limits; empty: it is not.
static std::string both_limits(const Watched& memory, std::size_t item, const IndexSource& index,
                               const SourcePlace& at) {
    const FlatIndex flat = flat_index_to(memory, index, at);
    const std::int64_t width = index.value(flat.width).value_or(0);
    const std::int64_t items = static_cast<std::int64_t>(memory.bytes / item);
    if (width < 2 || width >= items || items % width != 0) return {};
    return fmt::format(
        "\nThe index is {} * {} + {}, and there are {} rows of {} items: test {} < {}\n"
        "and {} < {}; a test of the whole index alone leads into the next row.",
        in_brackets(flat.row), in_brackets(flat.width), flat.column, items / width, width, flat.row,
        items / width, flat.column, flat.width);
}

/// A loop's `<=` that gives an expression, of which its variable is a factor, this value: what to
/// do; empty: there is none.
static std::string closed_loop(const IndexSource& index, const std::string& expression,
                               std::int64_t value) {
    const IndexTerms terms = index_terms(expression);
    std::vector<std::pair<std::string, std::string>> factors = terms.products;
    for (const auto& [one, other] : terms.products) factors.emplace_back(other, one);
    for (const std::string& each : terms.singles) factors.emplace_back(each, "1");
    for (const auto& [name, factor] : factors) {
        for (const auto& [guard, right] : index.limits_of(name)) {
            if (guard.operation != "<=" || !right || !guard.is_loop) continue;
            if (*right * index.value(factor).value_or(0) != value) continue;
            return fmt::format("\n{0} <= {1} in line {2} lets {0} be {3}: write {0} < {1}.",
                               guard.left, guard.right, guard.line, *right);
        }
    }
    return {};
}

/// An index of several variables that are all tested, "(z * h + y) * w + x": that the tests let it
/// go past the end, and how far. Empty: it is not that.
static std::string all_limits(const IndexText& used, const IndexSource& index, const Finding& made,
                              const std::string& size, std::size_t bytes, std::size_t least) {
    std::string last = used.index, tests;
    std::size_t count = 0;
    for (const std::string& name : names_in(used.index)) {
        if (index.is_uniform(name)) continue;
        const std::vector<Limit> limits = index.limits_of(name);
        const auto limit = std::find_if(limits.begin(), limits.end(), [](const Limit& each) {
            return each.guard.operation == "<" && each.value && *each.value > 0;
        });
        if (limit == limits.end()) return {};
        std::string replaced;
        std::size_t done = 0;
        for (const std::size_t at : words_at(last, name)) {
            replaced.append(last, done, at - done);
            replaced += std::to_string(*limit->value - 1);
            done = at + name.size();
        }
        last = replaced.append(last, done, std::string::npos);
        tests += fmt::format("{}{} < {}", count++ == 0 ? "" : ", ", name, limit->guard.right);
        if (limit->guard.right != std::to_string(*limit->value))
            tests += fmt::format(" = {}", *limit->value);
    }
    const std::int64_t most = index.value(last).value_or(0);
    if (count < least || most < made.item) return {};
    return fmt::format(
        "\nThe tests let the index go up to {}: {}.\nGive {} {} * {} bytes; or, if the array is "
        "right, one of these is wrong.",
        most, tests, size, most + 1, bytes);
}

/// The index is row * width + column: which of the two leaves its range.
bool BoundsCauses::explain_flat(const Watched& memory, const Beyond& beyond,
                                const IndexSource& index, Finding& made) {
    if (beyond.offset % beyond.bytes != 0) return false;
    // Of a row that is itself "z * h + y".
    const IndexText* const used = index.index_to(memory);
    if (const std::string why =
            used != nullptr ? all_limits(*used, index, made, allocating(memory), beyond.bytes, 3)
                            : "";
        !why.empty()) {
        made.cure = Cure::none;
        made.advice = why;
        return true;
    }
    const FlatIndex flat = flat_index_to(memory, index, made.parties.front().at);
    if (flat.row.empty()) return false;
    const std::optional<std::int64_t> width = index.value(flat.width);
    const std::int64_t item = static_cast<std::int64_t>(beyond.offset / beyond.bytes);
    const std::int64_t items = static_cast<std::int64_t>(beyond.array / beyond.bytes);
    if (!width || *width < 2 || *width >= items) return false;
    // The column's limit is perhaps the length of a row.
    for (const auto& [guard, right] : index.limits_of(flat.column)) {
        if (guard.operation != "<" || !right || *right < 2 || *right == *width) continue;
        const std::vector<Limit> of_row = index.limits_of(flat.row);
        const std::int64_t rows_meant = items / *right;
        const auto fits = std::find_if(of_row.begin(), of_row.end(), [&](const Limit& each) {
            return each.guard.operation == "<" && each.value == rows_meant;
        });
        if (items % *right != 0 || (items % *width == 0 && fits == of_row.end())) continue;
        made.cure = Cure::none;
        made.advice = fmt::format(
            "\nThe index is {} * {} + {}, with {} = {}, but {} stays below {} = {},"
            " and the {} items are\n{} rows of {}: is {} * {} + {} meant",
            flat.row, flat.width, flat.column, flat.width, *width, flat.column, guard.right, *right,
            items, items / *right, *right, flat.row, guard.right, flat.column);
        // Or rows are as long as the index says, and the tests are wrong.
        made.advice += items % *width != 0
                           ? "?"
                           : fmt::format(", or are the tests to be {} < {} and {} < {}?", flat.row,
                                         guard.right, flat.column, fits->guard.right);
        return true;
    }
    if (items % *width != 0) {
        for (const auto& [guard, height] : index.limits_of(flat.row)) {
            if (guard.operation != "<" || !height || *height * *width <= items) continue;
            const std::int64_t needed = *height * *width;
            made.cure = Cure::none;
            made.advice = fmt::format(
                "\nThe index is {} * {} + {}: {} < {} are {} rows of {}, {} items,"
                " and the array has {}.\nGive {} as many{}; or, if that is right, one of the two "
                "sizes is wrong.",
                flat.row, flat.width, flat.column, flat.row, guard.right, *height, *width, needed,
                items, allocating(memory),
                needed % 65536 == items ? " (its size has wrapped around in 16 bits)" : "");
            return true;
        }
        return false;
    }
    const std::int64_t rows = items / *width;
    const std::optional<std::int64_t> column = index.value(flat.column);
    std::optional<std::int64_t> row = index.value(flat.row);
    if (row && column && *row * *width + *column != item) return false;
    if (!row && column && (item - *column) % *width == 0) row = (item - *column) / *width;
    const bool is_column = column && *column >= *width;
    const bool is_row = row && *row >= rows;
    // A test that lets one of them go too far.
    std::string other, height = index.name_of(rows);
    bool is_closed_test = false;
    const auto look = [&](const std::string& expression, std::int64_t limit,
                          const std::string& name) {
        for (const auto& [guard, right] : index.limits_of(expression)) {
            const bool is_closed = guard.operation == "<=";
            if (!right || !other.empty() || (guard.operation != "<" && !is_closed)) continue;
            if (*right + is_closed <= limit) continue;
            const std::string test = guard.text();
            if (is_closed && *right == limit) {
                is_closed_test = true;
                height = expression == flat.row ? guard.right : height;
                other = fmt::format("\n{} in line {} lets {} through: write {}.", test, guard.line,
                                    *right, guard.below(guard.right));
                continue;
            }
            other =
                fmt::format("\n{} in line {} lets it be up to {}: is it to be tested with {}{}{}?",
                            test, guard.line, *right + is_closed - 1, limit,
                            name == std::to_string(limit) ? "" : fmt::format(" ({})", name),
                            index.is_uniform(guard.right) && guard.right == last_name(guard.right)
                                ? fmt::format(", or is {} wrong\nin the launch in line {}",
                                              guard.right, run_.launched.site.line)
                                : "");
        }
    };
    if (!is_column) look(flat.row, rows, height);
    look(flat.column, *width, flat.width);
    const std::string closed =
        other.empty() && is_row ? closed_loop(index, flat.row, rows) : std::string();
    other += closed;
    if (!is_column && !is_row && other.empty()) return false;
    const bool is_long = flat.row.size() + flat.column.size() > 40;
    made.advice = fmt::format("\nThe index is {} * {} + {}{}:{}the array has {} rows of {} items.",
                              in_brackets(flat.row), in_brackets(flat.width), flat.column,
                              flat.width == std::to_string(*width)
                                  ? ""
                                  : fmt::format(", with {} = {}", flat.width, *width),
                              is_long ? "\n" : " ", rows, *width);
    if (is_column || is_row) {
        made.advice += fmt::format(" {} is {}.", is_column ? flat.column : flat.row,
                                   is_column ? *column : *row);
    }
    made.advice += other;
    const std::string reversed = closed.empty() && other.empty()
                                     ? mirrored(index, made.parties.front().at, "", items)
                                     : std::string();
    made.advice += reversed;
    if (!closed.empty() || !reversed.empty()) {
        made.cure = Cure::none;
        return true;
    }
    made.advice +=
        is_column ? fmt::format("\nTest {} < {}", flat.column, flat.width)
        : is_closed_test || other.empty()
            ? fmt::format("\nTest {} < {} and {} < {}", flat.row, height, flat.column, flat.width)
            : fmt::format("\n{} must stay below {}, and {} below {}", flat.row, rows, flat.column,
                          flat.width);
    made.advice += fmt::format(":{}a test of the whole index alone leads into the next row.",
                               is_long ? "\n" : " ");
    made.cure = Cure::none;
    return true;
}

/// Whether the function around a line multiplies something by this number: a row's length.
static bool is_row_length(const SourcePlace& at, const std::string& name) {
    for (int line = function_around(at.path, at.line).line; line != 0 && line <= at.line; ++line) {
        const std::string code = without_blanks(code_line(at.path, line));
        for (const std::size_t found : words_at(code, name)) {
            const std::size_t end = found + name.size();
            if ((found != 0 && code[found - 1] == '*') || (end < code.size() && code[end] == '*'))
                return true;
        }
    }
    return false;
}

/// What lets the index go so far: a test or a loop with a larger limit, or `<=`; or the array is
/// too small.
void BoundsCauses::explain_limit(const Watched& memory, const Beyond& beyond,
                                 const IndexSource& index, Finding& made) {
    const IndexText* const used = index.index_to(memory);
    const SourcePlace at = made.parties.front().at;
    const bool is_of_struct =
        beyond.item != beyond.bytes && has_members(source_line(at.path, at.line));
    if (made.items == 0 || is_of_struct) return;
    if (explain_step(used != nullptr ? std::vector<IndexText>{*used} : index.indexes(), "", made)) {
        later_.erase(key_of_place(at));
        return;
    }
    if (const std::string why = mirrored(index, at, "", made.items);
        !why.empty() && (used == nullptr || index.limits_of(used->index).empty())) {
        later_.erase(key_of_place(at));
        made.cure = Cure::none;
        made.advice = why;
        return;
    }
    if (used == nullptr) return;
    const std::string size = allocating(memory);
    for (const auto& [guard, right] : index.limits_of(used->index)) {
        if (!right || (guard.operation != "<" && guard.operation != "<=")) continue;
        const std::int64_t limit = *right + (guard.operation == "<=");
        if (limit <= made.items) return;
        const std::string test = guard.text();
        const std::string value = guard.right == std::to_string(*right)
                                      ? ""
                                      : fmt::format(", with {} = {},", guard.right, *right);
        later_.erase(key_of_place(at));  // which says less
        if (guard.operation == "<=" && *right == made.items) {
            made.advice = fmt::format(
                "\n{} in line {}{} lets the index {} through: write {}; or, if that item is "
                "meant, give\n{} {} * {} bytes.",
                test, guard.line, value, *right, guard.below(guard.right), size, limit,
                beyond.bytes);
        } else {
            made.cure = Cure::none;
            const bool is_shifted = made.item > made.items && limit - made.item == made.items;
            const bool is_bytes = *right == static_cast<std::int64_t>(memory.bytes) &&
                                  beyond.bytes > 1 && guard.right == last_name(guard.right);
            const std::string length = index.name_of(made.items);
            made.advice =
                is_shifted ? fmt::format(
                                 "\n{} in line {}{} lets indexes {} to {} through, as many as the "
                                 "array has items:\nis {} to be subtracted from the index?",
                                 test, guard.line, value, made.item, limit - 1, made.item)
                : is_bytes
                    ? fmt::format(
                          "\n{} in line {} is {}, and that is the number of bytes of the array, "
                          "which has {} "
                          "items:\npass the number of items in the launch in line {}; or, if "
                          "the array is to have {}, give {} {} * {} bytes.",
                          guard.right, guard.line, *right, made.items, run_.launched.site.line,
                          *right, size, *right, beyond.bytes)
                : length != std::to_string(made.items) && !is_row_length(at, length)
                    ? fmt::format(
                          "\n{} in line {}{} lets indexes up to {} through: write {}, the "
                          "array's {} items;\nor, if the others are meant, give {} {} * {} bytes.",
                          test, guard.line, value, limit - 1, guard.below(length), made.items, size,
                          limit, beyond.bytes)
                    : fmt::format(
                          "\n{} in line {}{} lets indexes up to {} through. If all of these are "
                          "meant, give\n{} {} * {} bytes; if the array is right, {}.",
                          test, guard.line, value, limit - 1, size, limit, beyond.bytes,
                          index.is_parameter(guard.right)
                              ? fmt::format("pass {} = {} in the launch in line {}", guard.right,
                                            made.items, run_.launched.site.line)
                              : fmt::format("test for its {} items", made.items));
        }
        return;
    }
    if (const std::string why = all_limits(*used, index, made, size, beyond.bytes, 2);
        !why.empty()) {
        later_.erase(key_of_place(at));
        made.cure = Cure::none;
        made.advice = why;
        return;
    }
    const std::optional<std::int64_t> value = index.value(used->index);
    const bool is_number =
        used->index == last_name(used->index) || value == index.value("threadIdx.x");
    const std::string why = made.item == made.items
                                ? one_past(used->array, at, made.items, used->index)
                                : std::string();
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    const auto items = static_cast<std::uint64_t>(made.items);
    const std::string test = test_of(memory, at, used->index, beyond.bytes, made.items, index);
    const auto block = static_cast<std::int64_t>(run_.block->index);
    if (made.item == made.items) {
        if (std::string advice = rounded_down(memory, at, used->index); !advice.empty()) {
            later_.erase(key_of_place(at));
            cure(made, Cure::none, source_place(memory.site), std::move(advice));
            return;
        }
    }
    // An item for each block, or for each thread: which does not test its own number.
    if (why.empty() && !test.empty() && blocks > items && value == block &&
        is_computed_from(at.path, at.line, used->index, "blockIdx") &&
        !is_computed_from(at.path, at.line, used->index, "threadIdx")) {
        later_.erase(key_of_place(at));
        cure(
            made, Cure::none, source_place(memory.site),
            fmt::format("\nThe launch in line {} has {} blocks, and each uses one item: give {} {} "
                        "* {} bytes, and let\nthe host use as many. Or are these too many blocks?",
                        run_.launched.site.line, blocks, size, blocks, beyond.bytes));
        return;
    }
    if (is_number && why.empty() && shape.threads() < 2 * items) {
        const std::int64_t thread = block * static_cast<std::int64_t>(shape.block.x) + run_.number;
        const bool is_tail = value == thread && shape.threads() > items &&
                             shape.grid.y * shape.grid.z * shape.block.y * shape.block.z == 1;
        if (!test.empty()) {
            made.advice = is_tail ? "\n" +
                                        threads_for_items(shape, source_place(run_.launched.site),
                                                          static_cast<std::size_t>(items)) +
                                        "\nLet a thread use an item only if " + test + "."
                                  : "\nUse the item only if " + test + ".";
        }
        return;
    }
    // Of a stencil, the items beside the array do not exist.
    const bool is_stencil =
        std::any_of(index.indexes().begin(), index.indexes().end(), [&](const IndexText& each) {
            return each.array == used->array && each.index.find('-') != std::string::npos &&
                   used->index.find('-') == std::string::npos;
        });
    if (is_stencil && why.empty() && !test.empty()) {
        later_.erase(key_of_place(at));
        made.advice = "\nUse the item only if " + test + ".";
        return;
    }
    const std::string expression = without_blanks(source_line(memory.site.file, memory.site.line));
    const bool is_array = expression.find("-1)*") != std::string::npos;
    offer_more(at, memory, beyond.bytes, made, beyond.offset + beyond.bytes, is_array,
               both_limits(memory, beyond.bytes, index, at), why, test);
}

/// The array has n / size items, and an index i / size, which is one more in the last part. Empty:
/// it is not that.
std::string BoundsCauses::rounded_down(const Watched& memory, const SourcePlace& at,
                                       const std::string& used) {
    const std::string file = memory.site.file;
    const std::vector<std::string> given = call_arguments(file, memory.site.line, memory.call);
    if (given.size() < 2) return {};
    int line = memory.site.line;
    std::string text = size_text(file, line, given[1], "", 1, 1).text;
    for (const std::string& name : names_in(text)) {
        int where = 0;
        const std::string value = definition(file, line, name, &where);
        if (text.find('/') != std::string::npos || value.find('/') == std::string::npos) continue;
        text = value;
        line = where;
    }
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos || slash == 0) return {};
    std::size_t end = text.find_first_not_of(' ', slash + 1), begin = slash;
    const std::size_t divisor = std::min(end, text.size());
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string size = text.substr(divisor, std::min(end, text.size()) - divisor);
    while (begin > 0 && text[begin - 1] == ' ') --begin;
    const std::size_t last = begin;
    while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.')) --begin;
    const std::string all = text.substr(begin, last - begin);
    int where = 0;
    const std::string index = without_blanks(computation(at.path, at.line, used, &where));
    if (all.empty() || size.empty() || size == "2") return {};
    if ((without_blanks(used) + index).find("/" + size) == std::string::npos) return {};
    return fmt::format(
        "\n{0} / {1} in line {2} rounds down, and the last part of the items, which is shorter, "
        "has an index as\nwell: make it ({0} + {1} - 1) / {1}, there and where the array is used.",
        all, size, line);
}

/// "i + 1 < n": the test that keeps an index below the array's length, by the kernel's own name for
/// that, and what limits the index so far; or where that number comes from. Empty: not known.
std::string BoundsCauses::test_of(const Watched& memory, const SourcePlace& at,
                                  const std::string& used, std::size_t item, std::int64_t items,
                                  const IndexSource& index) const {
    for (const char* const each : {"++", "--", "=", "atomic"}) {
        if (used.find(each) != std::string::npos) return {};
    }
    const std::string length = index.name_of(items);
    const bool is_condition = used.find_first_of("?&|<>") != std::string::npos;
    const auto test_with = [&](const std::string& number) {
        return is_condition ? fmt::format("({}) < {}", used, number)
                            : fmt::format("{} < {}", used, number);
    };
    std::string test = test_with(length);
    // "i + 1", of which only i is limited
    const IndexTerms terms = index_terms(used);
    const auto own = std::find_if(
        terms.singles.begin(), terms.singles.end(),
        [&](const std::string& each) { return each != used && !index.is_uniform(each); });
    const bool is_shifted =
        terms.products.empty() && used.find('[') == std::string::npos &&
        std::count_if(terms.singles.begin(), terms.singles.end(),
                      [&](const std::string& each) { return !index.is_uniform(each); }) == 1;
    if (is_shifted && own != terms.singles.end()) {
        for (const auto& [guard, right] : index.limits_of(*own)) {
            if (guard.operation.front() != '<') continue;
            return test + fmt::format(": {} {} {} in line {} limits {} only", guard.left,
                                      guard.operation, guard.right, guard.line, *own);
        }
    }
    if (length != std::to_string(items) || !helper_.empty()) return test;
    const std::vector<std::string> given =
        call_arguments(memory.site.file, memory.site.line, memory.call);
    if (given.size() < 2) return test;
    // "n" of "n * sizeof(float)"
    const std::string bytes =
        size_text(memory.site.file, memory.site.line, given[1], "", item, item).text;
    const std::size_t measure = bytes.find("sizeof"), star = bytes.find('*');
    if (measure == std::string::npos || star == std::string::npos) return test;
    const std::string name =
        trimmed(measure < star ? bytes.substr(star + 1) : bytes.substr(0, star));
    if (name.empty() || name != last_name(name) || name == length) return test;
    for (int line = 1; line < function_around(at.path, at.line).line; ++line) {
        const std::string code = code_line(at.path, line);
        const bool is_of_file = code.rfind("#define", 0) == 0 || code.rfind("const", 0) == 0 ||
                                code.rfind("static", 0) == 0;
        if (is_of_file && find_word(code, name) != std::string::npos) return test_with(name);
    }
    return test + fmt::format(" ({} on the host: give the kernel a parameter for it)", name);
}

/// A load past the end of a block's array: perhaps of items beside a tile, which it does not have.
void BoundsCauses::explain_load(const emulator::SharedRegion& region, const Access& access,
                                const Target& what, Finding& made) {
    const SourcePlace at = made.parties.front().at;
    const std::string code = source_line(at.path, at.line);
    const std::vector<IndexText> indexes = indexes_of(code);
    if (is_grid_index({what.offset, access.bytes, what.bytes, access.bytes}) &&
        is_index_computed_from(at.path, at.line, region.name, "blockIdx")) {
        cure(made, Cure::block_index, at, kBlockIndex);
        return;
    }
    if (const std::string why = past_upper_half(at, region.name); !why.empty()) {
        cure(made, Cure::none, at, why);
        return;
    }
    // What the line also stores in is no tile, and one of two dimensions has rows.
    const std::vector<Assignment> stores = assignments(at.path, at.line);
    if (explain_step(indexes, region.name, made) ||
        std::any_of(stores.begin(), stores.end(), [&](const Assignment& each) {
            return each.target.rfind(std::string(region.name) + "[", 0) == 0;
        })) {
        return;
    }
    // Beyond the last row.
    const std::size_t rows = region.variable->extents.items[0];
    const auto items = static_cast<std::int64_t>(rows != 0 ? rows : what.bytes / access.bytes);
    std::string before = mirrored(IndexSource(run_, access), at, region.name, items);
    if (before.empty() && rows != 0) before = one_past(region.name, at, items);
    if (!before.empty()) {
        cure(made, Cure::none, at, before);
        return;
    }
    if (declared_array(at.path, at.line, region.name).extents.size() != 1) return;
    const std::size_t item = access.bytes, end = what.offset + access.bytes;
    Later& later = later_[key_of_place(at)];
    later.end = end;
    later.memory = reinterpret_cast<std::uintptr_t>(region.variable);
    later.epoch = run_.epoch();
    const std::size_t past = what.bytes / item + 1;
    const std::string why = one_past(region.name, at, static_cast<std::int64_t>(past) - 1);
    later.words = [=, name = region.name](Finding& known, std::size_t reached, bool is_all) {
        const std::size_t needed = (reached + item - 1) / item;
        if (!why.empty() && needed == past) {
            known.advice = why;
            return;
        }
        known.advice = fmt::format(
            "\nTest the index before it is used; or, if items beside the tile are meant (the index "
            "goes up to {}\n{}), give {} {} items, and store those as well before the barrier.",
            needed - 1, is_all ? "here" : "before the kernel is ended", name, needed);
    };
    later.words(made, end, true);
}

/// Both that the index may be wrong and that the array may be too small, the more likely one first.
void BoundsCauses::offer_more(const SourcePlace& at, const Watched& memory, std::size_t item,
                              Finding& made, std::size_t end, bool is_array,
                              const std::string& hint, const std::string& why,
                              const std::string& test) {
    const std::string size = allocating(memory);
    const dim3 grid = run_.worker->launch->shape.grid;
    const std::size_t items = memory.bytes / item, blocks = std::size_t{grid.x} * grid.y * grid.z;
    Later& later = later_[key_of_place(at)];
    later.end = end;
    later.memory = memory.begin;
    later.epoch = run_.epoch();
    const std::string first = test.empty() || !hint.empty()
                                  ? "Test the index before it is used"
                                  : fmt::format("Use the item only if {}", test);
    later.words = [=](Finding& known, std::size_t reached, bool is_all) {
        const std::size_t needed = (reached + item - 1) / item;
        const std::string more = fmt::format("{} * {} bytes", needed, item);
        if (!why.empty() && needed == items + 1) {
            known.advice = why;
        } else if (!is_all) {
            known.advice = fmt::format(
                "\n{};\nor, if it is right (it goes up to {} before the kernel is ended), give {} "
                "more bytes.{}",
                first, needed - 1, size, hint);
        } else if (is_array) {
            known.advice = fmt::format(
                "\nThe kernel's indexes go up to {}: give {} {}; or, if the array is right, test "
                "the\nindex before it is used.",
                needed - 1, size, more);
        } else if (blocks > 1 && items > 1 && needed == blocks * items) {
            known.advice = fmt::format(
                "\nThe index goes up to {}, {} items for each of the {} blocks: give {} {};\nor, "
                "if "
                "the array is right, use the index in the block.",
                needed - 1, items, blocks, size, more);
        } else if (needed == items + 1 && test.find(" + 1 < ") != std::string::npos) {
            known.advice = fmt::format(
                "\nIf an item is where a part begins, the end of the last part needs one more: "
                "give\n{} {}, and copy as many. If not, use the item only if\n{}.",
                size, more, test);
        } else {
            known.advice = fmt::format(
                "\n{};\nor, if the index is right (it goes up to {} here), give {} {}.{}", first,
                needed - 1, size, more, hint);
        }
    };
    later.parts = blocks > 1 && items > 1 ? blocks * memory.bytes : 0;
    for (const auto& [key, other] : later_) {
        const bool is_same = other.memory == memory.begin && other.epoch == run_.epoch();
        if (is_same && other.end == other.parts) later.end = other.end;
    }
    later.words(made, later.end, true);
}

/// The bytes of an array that belong to one thread, judged by the use of the two threads before it
/// at the same place: those of a struct, if the access is to one of its members. One of them is not
/// enough: it may be in another row, or in another round of a loop.
std::size_t BoundsCauses::item_bytes(const Access& access, const Watched& memory) const {
    constexpr std::size_t kMaxBytes = 512;
    const AccessSite& at = site(access.site);
    // The items of a range of bytes are unknown.
    if (at.kind == Kind::read_some || at.kind == Kind::write_some) {
        const bool is_range = at.traits.alignment == 0 || at.traits.alignment == kAlignmentOfBytes;
        if (is_range) return 1;
    }
    if (memory.cells == nullptr || run_.number < 2) return access.bytes;
    // Which bytes of a word a neighbour has used is not known.
    const Place here = place_of(access.site);
    const std::string code = source_line(here.file, here.line);
    if (access.bytes < kWordBytes && !has_members(code)) return access.bytes;
    // The member may be one of another array's items, as in "x[edges[k].to]".
    if (has_members(code)) {
        const IndexSource source(run_, access);
        const IndexText* const used = source.index_to(memory);
        bool is_whole = used != nullptr && used->position == 0;
        for (std::size_t open = 0; is_whole && (open = code.find('[', open)) != std::string::npos;
             ++open) {
            const std::size_t end = after_bracket(code, open);
            if (name_before(code, open) == used->array && end < code.size())
                is_whole = std::string(".[-").find(code[end]) == std::string::npos;
        }
        if (is_whole) return access.bytes;
    }
    const std::size_t offset = access.address - memory.begin;
    const auto has_used = [&](unsigned thread, std::size_t back) {
        if (back > offset || offset - back >= memory.bytes) return false;
        const auto is_it = [&](const Stamp& stamp, unsigned user, SiteId where) {
            return stamp.epoch == run_.epoch() && stamp.block == run_.block->clock.block &&
                   user == thread && where == access.site;
        };
        const auto is_user = [&](const Users& users) {
            return users.holds(thread) && is_it(users, thread, users.of(thread).site);
        };
        const Cell& cell = (*memory.cells)[(offset - back) / kWordBytes];
        return cell.any_read(is_user) || cell.any_atomic(is_user) ||
               is_it(cell.write, cell.write.thread, cell.write.site);
    };
    const unsigned number = static_cast<unsigned>(run_.number);
    for (std::size_t back = kWordBytes; back <= std::min(offset, kMaxBytes); back += kWordBytes) {
        if (!has_used(number - 1, back)) continue;
        // A byte of the nearest word may be 1 to 7 bytes away.
        if (access.bytes < kWordBytes && back == kWordBytes) return access.bytes;
        // The last word of what the neighbour used.
        const std::size_t item =
            back + std::max<std::size_t>(access.bytes, kWordBytes) - kWordBytes;
        return has_used(number - 2, back + item) ? item : access.bytes;
    }
    return access.bytes;
}

/// Rows are as far apart as if the pitch counted items, not bytes.
bool BoundsCauses::explain_pitch(const Watched& memory, const Beyond& beyond, Finding& made) const {
    if (memory.pitch == 0 || beyond.bytes == 1) return false;
    const std::size_t apart = memory.pitch * beyond.bytes;
    const std::size_t height = beyond.array / memory.pitch;
    if (beyond.offset / apart >= height || beyond.offset % apart >= memory.pitch) return false;
    made.parties.push_back(
        call(memory.call, fmt::format("gives a pitch of {} bytes", memory.pitch), memory.site));
    made.cure = Cure::byte_pitch;
    made.items = static_cast<std::int64_t>(beyond.bytes);
    made.advice = fmt::format(
        "\nThe pitch is in bytes, and was used as a number of items, so rows are {} bytes "
        "apart.\nRow y begins at (T*)((char*)data + y * pitch), where T is the type of an item.",
        apart);
    return true;
}

/// Memory of cudaMalloc3D: how an item is found there.
bool BoundsCauses::explain_slices(const Watched& memory, Finding& made) const {
    if (memory.height == 0) return false;
    made.parties.push_back(
        call(memory.call,
             fmt::format("gives rows of {} bytes, {} rows in a slice", memory.pitch, memory.height),
             memory.site));
    made.advice = fmt::format(
        "\nRow y of slice z begins at (char*)ptr + (z * {} + y) * pitch; y goes up to {}, z to {}, "
        "and a "
        "row\nhas {} bytes.",
        memory.height, memory.height - 1, memory.bytes / memory.pitch / memory.height - 1,
        memory.pitch);
    return true;
}

/// x and y of the running thread in the grid, or in its block.
BoundsCauses::Position BoundsCauses::position(bool in_block) const {
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    const uint3 at = run_.block->block->indices[static_cast<std::size_t>(run_.number)];
    const std::size_t block = in_block ? 0 : run_.block->index;
    return {block % shape.grid.x * shape.block.x + at.x,
            block / shape.grid.x % shape.grid.y * shape.block.y + at.y};
}

/// The index is x * p + y of the thread in the grid (or in its block, for memory of the block), but
/// rows of p items need y * p + x.
bool BoundsCauses::explain_swapped(const Beyond& beyond, bool is_of_block, Finding& made) const {
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    if (shape.grid.y * shape.block.y == 1 || beyond.offset % beyond.bytes != 0) return false;
    const auto [x, y] = position(is_of_block);
    const std::size_t item = beyond.offset / beyond.bytes, items = beyond.array / beyond.bytes;
    /// The items of a row, if the index is outer * row + inner; else 0.
    const auto row_of = [&](std::size_t outer, std::size_t inner) {
        if (outer == 0 || item < inner || (item - inner) % outer != 0) return std::size_t{0};
        const std::size_t row = (item - inner) / outer;
        return row > 1 && items % row == 0 ? row : 0;
    };
    const std::size_t row = row_of(x, y);
    if (row == 0 || row == items || x >= row || y >= items / row || row_of(y, x) != 0) return false;
    cure(made, Cure::swapped_index, made.parties.front().at,
         fmt::format("\nIt is x * {} + y of the thread in {}, here {} * {} + {}. If a row has "
                     "{} items,\nthe index is y * {} + x.",
                     row, is_of_block ? "its block" : "the grid", x, row, y, row, row));
    if (items / row != row && !is_of_block) {
        made.advice +=
            fmt::format(" If x is the row and y the column, rows have {} items: x * {} + y.",
                        items / row, items / row);
    }
    return true;
}

/// For an index y * w + x (or x * w + y) of a thread in a grid of two dimensions: which row length
/// it has, if the array has no whole number of such rows, or which of the two is too large.
bool BoundsCauses::explain_rows(const Watched& memory, const Beyond& beyond,
                                const IndexSource& index, Finding& made) const {
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    if (shape.grid.y * shape.block.y == 1 || beyond.offset % beyond.bytes != 0) return false;
    // What a function computes, or does, only looks like it.
    if (made.parties.front().call.is_known()) return false;
    const SourcePlace& at = made.parties.front().at;
    const std::vector<IndexText> indexes = indexes_of(source_line(at.path, at.line));
    if (std::any_of(indexes.begin(), indexes.end(), [](const IndexText& each) {
            const std::size_t open = each.index.find('(');
            return open != std::string::npos && open != 0 && is_word(each.index[open - 1]);
        })) {
        return false;
    }
    const auto [x, y] = position(false);
    const std::size_t item = beyond.offset / beyond.bytes, items = beyond.array / beyond.bytes;
    const auto row_of = [&](std::size_t outer, std::size_t inner) {
        const bool fits = outer > 1 && item >= inner && (item - inner) % outer == 0;
        const std::size_t row = fits ? (item - inner) / outer : 0;
        return row > 1 && inner < row && row < items ? row : 0;
    };
    const std::size_t by_y = row_of(y, x), by_x = row_of(x, y);
    if ((by_y == 0) == (by_x == 0)) return false;
    const std::size_t row = by_y != 0 ? by_y : by_x, outer = by_y != 0 ? y : x;
    // The text may say another length.
    const FlatIndex flat = flat_index_to(memory, index, at);
    const std::optional<std::int64_t> width = index.value(flat.width);
    if (width && *width != static_cast<std::int64_t>(row)) return false;
    const IndexText* const used = index.index_to(memory);
    if (flat.row.empty() && used != nullptr && !index_terms(used->index).products.empty()) {
        return false;
    }
    made.advice += fmt::format("\nx is {} there and y is {}, and the index is {} * {} + {}: ", x, y,
                               by_y != 0 ? "y" : "x", row, by_y != 0 ? "x" : "y");
    made.advice +=
        items % row != 0
            ? fmt::format("if the {} items are not rows of {}, that\nlength is wrong.", items, row)
            : fmt::format(
                  "with rows of {} there are {}, and\n{} goes up to {}: is it tested with "
                  "the right size?",
                  row, items / row, by_y != 0 ? "y" : "x", outer);
    return true;
}

/// A conversion to a pointer of another type, "(const float4*)p": the type, and the line.
struct Conversion {
    std::string type;
    int line = 0;  ///< 0: there is none
};

/// That of a variable of this name in a launch, or of the arrays that a kernel's line uses, to
/// items of so many bytes.
static Conversion conversion_of(const SourcePlace& at, emulator::Site launch,
                                const std::string& variable, std::size_t item) {
    const auto is_of_item = [&](const std::string& type) {
        std::string name = trimmed(type.substr(0, type.find('*')));
        if (name.rfind("const ", 0) == 0) name = name.substr(6);
        return size_of_type(name) == item;
    };
    const auto type_in = [](const std::string& text) {
        const std::size_t cast = text.find("_cast<");
        const std::size_t begin =
            cast != std::string::npos ? text.find('<', cast) + 1 : text.find('(') + 1;
        const std::size_t end = text.find(cast != std::string::npos ? '>' : ')', begin);
        if (end == std::string::npos || text[end - 1] != '*' || begin == 0) return std::string();
        return text.substr(begin, end - begin);
    };
    for (const std::string& each : call_arguments(file_of(launch), launch.line, ">>>")) {
        const std::string type = type_in(each);
        if (!variable.empty() && !type.empty() && find_word(each, variable) != std::string::npos)
            return {type, launch.line};
    }
    for (const IndexText& each : indexes_of(code_line(at.path, at.line))) {
        int line = at.line;
        const std::string type = type_in(definition(at.path, at.line, each.array, &line));
        if (!type.empty() && is_of_item(type) && line >= function_around(at.path, at.line).line)
            return {type, line};
    }
    // "((double*)data)[i]", "*reinterpret_cast<double*>(data + i)"
    const std::string code = code_line(at.path, at.line);
    for (std::size_t begin = code.find_first_of("(<"); begin != std::string::npos;
         begin = code.find_first_of("(<", begin + 1)) {
        const std::size_t end = code.find_first_of(")>", begin);
        if (end == std::string::npos || code[end - 1] != '*') continue;
        const std::string type = code.substr(begin + 1, end - begin - 1);
        if (is_of_item(type)) return {type, at.line};
    }
    return {};
}

/// False: the index may just as well be wrong.
bool BoundsCauses::explain_allocation(const Watched& memory, const Beyond& beyond, Finding& made) {
    if (memory.call.rfind("cudaMalloc", 0) != 0 && memory.call != "cudaHostAlloc") return false;
    if (memory.pitch != 0) return false;
    // Of several calls in one line, the text does not say which it is.
    const std::string made_in = source_line(memory.site.file, memory.site.line);
    const std::size_t first = made_in.find(memory.call + "(");
    const bool is_only = first == made_in.rfind(memory.call + "(");
    const std::vector<std::string> arguments =
        call_arguments(memory.site.file, memory.site.line, memory.call);
    SizeText size;
    if (arguments.size() > 1 && is_only) {
        size = size_text(memory.site.file, memory.site.line, arguments[1], last_name(arguments[0]),
                         beyond.item, beyond.bytes);
    }
    // The bytes are right: only the last vector is incomplete.
    // A copy: parties are added below.
    const SourcePlace at = made.parties.front().at;
    const bool is_vector = !size.is_pointer && size.bytes != 0 && beyond.item == beyond.bytes &&
                           (beyond.item == 2 * size.bytes || beyond.item == 4 * size.bytes);
    if (beyond.offset < beyond.array && is_vector) return false;
    // The type is right, if the items are no struct of several: a thread may use several items.
    const std::string code = source_line(at.path, at.line);
    const bool is_right_type = !size.is_pointer && size.bytes == beyond.bytes && !has_members(code);
    const FunctionText function = function_around(at.path, at.line);
    std::string type;
    for (const IndexText& each : indexes_of(code)) {
        for (const std::string& parameter : function.parameters) {
            const std::size_t star = parameter.find('*');
            if (last_name(parameter) == each.array && star != std::string::npos) {
                type = last_name(parameter.substr(0, star));
            }
        }
    }
    std::string advice = is_right_type ? ""
                                       : size_advice(size, beyond.array, beyond.item, memory.call,
                                                     type, has_members(code));
    // The kernel is perhaps that of another type.
    const std::string launch = source_line(file_of(run_.launched.site), run_.launched.site.line);
    const std::size_t configured = launch.find("<<<");
    const bool is_converted = configured != std::string::npos &&
                              (launch.find("*)", configured) != std::string::npos ||
                               launch.find("_cast<", configured) != std::string::npos ||
                               (configured != 0 && launch[configured - 1] == '>'));
    if (!advice.empty() && !size.is_pointer && size.bytes != 0 && is_converted) {
        advice += fmt::format(
            "\nOr is the kernel launched for the wrong type? In line {} it is for items of {} "
            "bytes.",
            run_.launched.site.line, beyond.item);
    }
    const Conversion wider = conversion_of(
        at, run_.launched.site, last_name(arguments.empty() ? "" : arguments[0]), beyond.item);
    if (!advice.empty() && !size.is_pointer && size.bytes != 0 && wider.line != 0) {
        made.parties.push_back(
            call(memory.call, fmt::format("gives {}, {}", bytes_text(beyond.array), size.text),
                 memory.site));
        const bool is_vector_type = wider.type.find_first_of("234") != std::string::npos;
        const std::string smaller =
            is_vector_type ? fmt::format(
                                 "smaller than {} bytes, as three floats are, use a type of their "
                                 "size; if not, give\n",
                                 beyond.item)
                           : fmt::format("of {}, use a pointer to their own type;\nif not, give ",
                                         bytes_text(size.bytes));
        cure(made, Cure::none, {at.path, wider.line},
             fmt::format(
                 "\nLine {} makes {} of the pointer, with items of {} bytes, but {} is {}.\nIf the "
                 "items in memory are {}{} the number of items times {}.",
                 wider.line, wider.type, beyond.item, size.measure, bytes_text(size.bytes), smaller,
                 allocating(memory), beyond.item));
        return true;
    }
    if (beyond.bytes == 1 && leaves_out_end(size)) {
        made.parties.push_back(
            call(memory.call, fmt::format("gives {}, {}", bytes_text(beyond.array), size.text),
                 memory.site));
        cure(made, Cure::none, source_place(memory.site),
             fmt::format("\nstrlen() does not count the 0 at the end, which the kernel looks for: "
                         "give {} and the copy one byte\nmore.",
                         memory.call));
        return true;
    }
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    const std::uint64_t threads = shape.threads();
    const std::size_t unit = is_right_type ? beyond.bytes : beyond.item;
    const std::size_t items = unit != 0 ? beyond.array / unit : 0;
    // The end of part r is often where part r + 1 begins: n parts need n + 1 such places.
    const bool is_next = made.items != 0 && made.item == made.items &&
                         source_line(at.path, at.line).find("+ 1]") != std::string::npos;
    if (advice.empty() && !is_next && (threads < 2 * items || items == 0)) return false;
    made.parties.push_back(
        call(memory.call,
             size.text.empty() || size.text == std::to_string(beyond.array)
                 ? "gives " + bytes_text(beyond.array)
                 : fmt::format("gives {}, {}", bytes_text(beyond.array), size.text),
             memory.site));
    if (advice.empty()) {
        offer_more(at, memory, unit, made, beyond.offset + beyond.bytes, false);
        return false;
    }
    const auto filled = std::find_if(run_.fills.begin(), run_.fills.end(), [&](const Filled& each) {
        return each.begin == memory.begin && each.bytes == memory.bytes;
    });
    if (size.is_in_items && filled != run_.fills.end()) {
        advice += fmt::format(
            "\n{} in line {} has the same number: the same there, and in every "
            "other copy of the array.",
            filled->call, filled->site.line);
    }
    cure(made, Cure::allocate_bytes, source_place(memory.site), advice);
    made.items = static_cast<std::int64_t>(beyond.item);
    return true;
}

void BoundsCauses::explain_launch(const Beyond& beyond, const Reached& reached,
                                  Finding& made) const {
    const emulator::Site launch = run_.launched.site;
    const std::vector<std::string> arguments = call_arguments(file_of(launch), launch.line, "<<<");
    SizeText size;
    if (arguments.size() > 2) {
        size = size_text(file_of(launch), launch.line, arguments[2], "", beyond.item, beyond.bytes);
    }
    const std::string reach = fmt::format("\nThe kernel's accesses go up to byte {} of these {}",
                                          reached.bytes, beyond.array);
    constexpr const char* kCure = "Multiply the number of items by the size of one.";
    cure(made, Cure::launch_bytes, source_place(launch), "");
    made.item = static_cast<std::int64_t>(beyond.array);
    made.items = static_cast<std::int64_t>(reached.bytes);
    if (beyond.array == 0) {
        made.advice = fmt::format(
            "\nThe launch requests no dynamic shared memory: the third number in <<<...>>> is the "
            "number of bytes. The\nkernel's accesses go up to byte {}.",
            reached.bytes);
    } else if (size.is_in_items && reached.bytes == beyond.array * beyond.item) {
        made.advice =
            reach +
            fmt::format(": the launch's third number\nis in bytes, not in items. {}", kCure);
    } else if (size.bytes != 0 && size.bytes < beyond.item &&
               reached.bytes == beyond.array / size.bytes * beyond.item) {
        made.advice = reach + fmt::format(": {} is {} bytes,\nand an item has {}. {}", size.measure,
                                          size.bytes, beyond.item, kCure);
    } else if (reached.is_stored) {
        made.advice =
            reach +
            ": request that\nmany in the launch; or, if it is the index that is wrong, test it "
            "before it is used.";
    } else {
        cure(made, Cure::test_index, made.parties.front().at,
             reach +
                 ": test the index\nbefore it is used; or, if it is right, request that many in "
                 "the launch.");
        made.items = static_cast<std::int64_t>(beyond.array / beyond.bytes);
    }
}

}  // namespace lab
