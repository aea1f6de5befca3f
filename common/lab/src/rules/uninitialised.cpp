#include "rules.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "index_source.hpp"
#include "never_written.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

/// Which items of an array have values.
struct Written {
    std::size_t first = 0, last = 0, items = 0;
    std::vector<bool> has;             ///< for each item
    std::vector<std::size_t> missing;  ///< the first ones
    Stamp writer;                      ///< of one of them
};

Written written_items(Cells& cells, std::size_t begin, std::size_t bytes, std::uint32_t item,
                      std::uint32_t serial) {
    constexpr std::size_t kMaxItems = std::size_t{1} << 20;
    constexpr std::size_t kMaxMissing = 8;
    Written made;
    const std::size_t all = std::min(bytes / item, kMaxItems);
    made.has.resize(all);
    for (std::size_t i = 0; i < all; ++i) {
        const std::size_t at = begin + i * item;
        const Cell& cell = cells[at / kWordBytes];
        if ((serial != 0 && cell.serial != serial) || (cell.written >> at % kWordBytes & 1u) == 0) {
            if (made.missing.size() < kMaxMissing) made.missing.push_back(i);
            continue;
        }
        made.has[i] = true;
        if (made.items++ == 0) made.first = i;
        made.last = i;
        if (cell.write.epoch != 0) made.writer = cell.write;
    }
    return made;
}

/// Whether an item has values up to a byte, and the item before it in all bytes, from the same
/// place: then what is missing is no padding.
bool is_cut_short(Cells& cells, std::size_t begin, std::size_t bytes) {
    if (begin < bytes) return false;
    const auto is_written = [&](std::size_t at) {
        return (cells[at / kWordBytes].written >> at % kWordBytes & 1u) != 0;
    };
    std::size_t has = 0;
    while (has < bytes && is_written(begin + has)) ++has;
    for (std::size_t i = has; i < bytes; ++i) {
        if (is_written(begin + i)) return false;
    }
    const SiteId writer = cells[begin / kWordBytes].write.site;
    for (std::size_t at = begin - bytes; at < begin; ++at) {
        if (!is_written(at) || cells[at / kWordBytes].write.site != writer) return false;
    }
    return has != 0;
}

bool is_run(const Written& written) {
    return written.items > 1 && written.last - written.first + 1 == written.items;
}

/// "0 to 7", or "tile[0 to 7][0 to 31]" of an array with rows: the items with values, if they are
/// all of a range of each index; else empty.
std::string written_part(const Written& written, const emulator::SharedRegion& region,
                         std::size_t all) {
    const std::size_t one_row[] = {all};
    const std::size_t* extents = one_row;
    std::size_t dimensions = 1;
    if (region.variable != nullptr) {
        const auto& items = region.variable->extents.items;
        const std::size_t held =
            items[0] * std::max<std::size_t>(items[1], 1) * std::max<std::size_t>(items[2], 1);
        if (items[1] != 0 && held == all) {
            extents = items;
            dimensions = items[2] != 0 ? 3 : 2;
        }
    }
    if (dimensions == 1) {
        return is_run(written) ? fmt::format("{} to {}", written.first, written.last)
                               : std::string{};
    }
    std::vector<std::pair<std::size_t, std::size_t>> range(dimensions, {all, 0});
    for (std::size_t i = 0; i < written.has.size(); ++i) {
        if (!written.has[i]) continue;
        std::size_t left = i;
        for (std::size_t d = dimensions; d-- > 0;) {
            range[d].first = std::min(range[d].first, left % extents[d]);
            range[d].second = std::max(range[d].second, left % extents[d]);
            left /= extents[d];
        }
    }
    std::size_t within = 1;
    std::string text = region.name;
    for (const auto& [first, last] : range) {
        within *= last - first + 1;
        text += first == last ? fmt::format("[{}]", first) : fmt::format("[{} to {}]", first, last);
    }
    return within == written.items ? text : std::string{};
}

/// Whether the items without a value are those in the corners of an array with rows: in some of its
/// rows, the first and the last ones among them, and there in some of its columns.
bool has_no_corners(const Written& written, const emulator::SharedRegion& region, std::size_t all) {
    if (region.variable == nullptr) return false;
    const auto& items = region.variable->extents.items;
    const std::size_t columns = items[1];
    if (columns == 0 || items[2] != 0 || items[0] * columns != all) return false;
    std::set<std::size_t> rows_without, columns_without;
    for (std::size_t i = 0; i < written.has.size(); ++i) {
        if (written.has[i]) continue;
        rows_without.insert(i / columns);
        columns_without.insert(i % columns);
    }
    return rows_without.size() * columns_without.size() == all - written.items &&
           rows_without.count(0) + rows_without.count(items[0] - 1) == 2 &&
           columns_without.count(0) + columns_without.count(columns - 1) == 2;
}

}  // namespace

void Uninitialised::check(const Access& access, Cells& cells, std::size_t offset,
                          std::uint32_t serial) {
    if (serial == kHoldsValues) return;
    const bool has_poison = serial == kHoldsPoison;
    if (has_poison) serial = 0;
    const std::size_t in_word = offset % kWordBytes;
    if (in_word + access.bytes <= kWordBytes) {  // nearly all
        const Cell& cell = cells[offset / kWordBytes];
        const unsigned mask = ((1u << access.bytes) - 1u) << in_word;
        if ((serial == 0 || cell.serial == serial) && (cell.written & mask) == mask) return;
    }
    std::size_t missing = 0;
    for (std::size_t i = 0; i < access.bytes; ++i) {
        const Cell& cell = cells[(offset + i) / kWordBytes];
        const bool is_known = serial == 0 || cell.serial == serial;
        missing += !is_known || (cell.written >> (offset + i) % kWordBytes & 1u) == 0;
    }
    // A struct may hold bytes that no member uses.
    const Kind kind = site(access.site).kind;
    const bool may_have_padding = kind == Kind::read_some || access.bytes > 8;
    if (missing == 0) return;
    if (may_have_padding && missing < access.bytes &&
        (serial != 0 || !is_cut_short(cells, offset, access.bytes))) {
        return;
    }
    if (has_poison && !is_poison(access.address, access.bytes)) return;
    report(access, missing);
}

void Uninitialised::report(const Access& access, std::size_t missing) {
    // "atomicExch(&flag, 1);" is a store.
    const Place store = place_of(access.site);
    if (site(access.site).kind == Kind::atomic &&
        trimmed(source_line(store.file, store.line)).rfind("atomicExch", 0) == 0) {
        return;
    }
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (findings_.is_known(key)) return;
    Watched* const of_host = run_.device.find(access.address, 0);
    if (of_host != nullptr && is_written_unseen(*of_host)) return;
    const Target what = target(run_, access.address, access.bytes);
    const bool is_shared = run_.is_shared(access.address);
    // What is read of the same array in other places lacks a value for the same reason.
    const std::pair<std::string, std::string> array{run_.launched.name, what.name};
    if (const auto told = told_of_.find(array); is_shared && told != told_of_.end()) {
        if (findings_.is_known(told->second)) return;
    }
    Finding made = finding(run_, Fault::uninitialised, "uninitialised", "uninitialised memory",
                           party(run_, access, fmt::format("reads {},", what.item)));
    made.evidence = kNothingWritten;
    const Watched* const memory = is_shared ? nullptr : run_.device.find(access.address, 0);
    if (memory != nullptr && missing < access.bytes) {
        made.evidence = fmt::format("Only {} of its {} bytes have been written.",
                                    access.bytes - missing, access.bytes);
    }
    cure(made, Cure::initialise, memory != nullptr ? source_place(memory->site) : SourcePlace{},
         is_shared ? "\nShared memory holds arbitrary values when a block begins: write it "
                     "first,\nand call __syncthreads() before other threads use it."
                   : "\nIt holds whatever was there before: write it first, in a kernel, or "
                     "with\ncudaMemcpy, or cudaMemset if 0 is the value that you mean.",
         Spot::after);
    const Place here = place_of(access.site);
    if (source_line(here.file, here.line).find("curand") != std::string::npos) {
        made.advice =
            "\nA generator's state gets its first value from curand_init(), in a kernel that runs "
            "before.";
    }
    if (memory != nullptr && !explain_early_copy(*memory, made)) explain_short_copy(access, made);
    if (made.parties.size() == 1) explain_others(access, memory, made);
    if (is_shared && made.evidence != kNothingWritten) told_of_.emplace(array, key);
    findings_.add(key, std::move(made));
}

/// Says which items of a shared array have values, if they are a part that has a name.
void Uninitialised::explain_shared(const Access& access, Finding& made) {
    if (!run_.is_shared(access.address)) return;
    const std::size_t offset = access.address - run_.block->arena;
    const emulator::SharedRegion* const region = run_.find_region(offset, access.bytes);
    if (region == nullptr) return;
    const Written written = written_items(*run_.block->shared, region->offset, region->bytes,
                                          access.bytes, run_.block->serial);
    // Everything before a barrier has happened.
    const bool is_all = written.writer.epoch == run_.block->serial &&
                        written.writer.interval < run_.block->clock.interval;
    if (!is_all || written.items < 2 || written.writer.site == kNoSite) return;
    const std::size_t all = region->bytes / access.bytes;
    const auto name = [&](std::size_t item) {
        return item_of(*region, item * access.bytes, access.bytes);
    };
    constexpr std::size_t kFew = 4;
    const bool are_few = all - written.items <= kFew && all > 2 * kFew;
    const std::string part = written_part(written, *region, all);
    if (part.empty() && !are_few) {
        if (!has_no_corners(written, *region, all)) return;
        made.evidence = fmt::format("All of its {} items but the {} in its corners have values.",
                                    all, all - written.items);
        made.advice =
            " Store those too:\nlet the threads of the block go over the whole array in a "
            "loop.";
        return;
    }
    if (part.empty()) {
        std::string others;
        for (const std::size_t item : written.missing) {
            others += fmt::format("{}{}", others.empty() ? "" : ", ", name(item));
        }
        made.evidence = fmt::format("All of its {} items but {} have values.", all, others);
        made.advice = written.missing.size() == 1 ? " Store that one too, or\ndo not read it."
                                                  : " Store those too,\nor do not read them.";
        return;
    }
    made.evidence = fmt::format("Of its {} items {} have values, from line {}.", all, part,
                                place_of(written.writer.site).line);
    const Place by = place_of(written.writer.site);
    // "if (i < n) tile[t] = in[i];"
    const std::vector<Assignment> stores = assignments(by.file, by.line);
    std::string tests;
    for (const Guard& each : guards_of_indexes(by.file, by.line)) {
        if (each.is_loop) continue;
        tests += fmt::format("{}{} {} {}", tests.empty() ? "" : " && ", each.left, each.operation,
                             each.right);
    }
    if (!tests.empty() && stores.size() == 1 && written.first == 0 &&
        written.items < run_.block->block->indices.size()) {
        const std::string& value = stores.front().value;
        made.advice =
            names_in(value).empty()
                ? fmt::format(" {} in line {}\nleaves out the others: let it store all {} items.",
                              tests, by.line, all)
                : fmt::format(
                      " The other\nthreads do not store, but all items are read: let them store a "
                      "value that changes nothing, such as 0 in a sum,\n{} = {} ? {} : 0.",
                      stores.front().target, tests, value);
        return;
    }
    const bool is_one_each = written.items == run_.block->block->indices.size() &&
                             !is_in_loop(by.file, by.line, by.line);
    if (is_one_each) {
        constexpr std::size_t kWarp = 32;
        const std::string written_for = fmt::format("<{}>", all);
        const bool is_of_size = run_.launched.name.find(written_for) != std::string::npos;
        const bool is_swapped =
            written.items < kWarp && run_.worker->launch->blocks >= 2 * written.items;
        if (written.first != 0 && written.last + 1 < all && !written.has.empty()) {
            made.advice = fmt::format(
                " Those beside\nthem, such as {} and {}, are missing: let some of the threads "
                "store "
                "these as well.",
                name(written.first - 1), name(written.last + 1));
            return;
        }
        cure(made, Cure::launch_shape, source_place(run_.launched.site),
             fmt::format(" The launch in line {} has {}\nthreads in a block, and each has stored "
                         "one: {}",
                         run_.launched.site.line, written.items,
                         is_of_size
                             ? fmt::format("launch {} with {} threads.", run_.launched.name, all)
                         : is_swapped ? "are the numbers of blocks and of threads swapped?"
                                      : "if the kernel is not written for more threads, let "
                                        "each\nstore several, in a loop."));
    } else {
        made.advice =
            " If the others exist too, as\nthe values beside a tile do, store them first, there or "
            "in a loop. If not, read only those that have values, and\ntake one that changes "
            "nothing (0 for a sum) in place of the others.";
    }
}

/// The last launch has stored at places from an atomic counter, but the first of them is not 0.
bool Uninitialised::explain_counter(const Access& access, const Watched& memory,
                                    Finding& made) const {
    Stamp last;
    std::size_t first = 0;
    for (std::size_t item = 0; item < memory.bytes / access.bytes; ++item) {
        const Stamp& write = (*memory.cells)[item * access.bytes / kWordBytes].write;
        if (write.site == kNoSite || write.epoch >= run_.epoch() || write.epoch <= last.epoch) {
            continue;
        }
        last = write;
        first = item;
    }
    const Place at = last.epoch != 0 ? place_of(last.site) : Place{};
    if ((access.address - memory.begin) / access.bytes >= first ||
        !is_index_from(at.file, at.line, "atomic")) {
        return false;
    }
    // "next[place + 1]" may leave out the first one by itself.
    const std::vector<IndexText> all = indexes_of(source_line(at.file, at.line));
    if (std::any_of(all.begin(), all.end(), [](const IndexText& each) {
            return each.index.find('+') != std::string::npos;
        })) {
        return false;
    }
    const StreamOperation& by = run_.streams.operation_of_epoch(last.epoch);
    made.parties.push_back(call(by.what, fmt::format("wrote from item {} on", first), by.site));
    put_places(made);
    made.evidence = fmt::format(
        "Line {} takes the place from an atomic counter, which was not 0 when that launch began:",
        at.line);
    cure(made, Cure::host_sets, source_place(by.site), "\nset it to 0 before each launch.",
         Spot::before);
    return true;
}

/// Says which items of the array have values; or, if none has, which array may have been meant.
void Uninitialised::explain_others(const Access& access, const Watched* memory, Finding& made) {
    if (memory == nullptr) {
        explain_shared(access, made);
        return;
    }
    if (memory->cells == nullptr || memory->kind == emulator::MemoryKind::symbol) return;
    const auto items_of = [&](const Watched& each) {
        return written_items(*each.cells, 0, each.bytes, access.bytes, 0);
    };
    const Written written = items_of(*memory);
    const std::uint32_t epoch = written.writer.epoch;
    if (explain_counter(access, *memory, made)) return;
    const std::size_t all = memory->bytes / access.bytes;
    // Two arrays that change places in a loop: both need the items that no round stores.
    const std::string launch_file =
        run_.launched.site.file != nullptr ? run_.launched.site.file : "";
    constexpr int kNear = 6;
    const bool is_exchanged = written.items != 0 && epoch != 0 && epoch < run_.epoch() &&
                              line_of_swap(launch_file, run_.launched.site.line + kNear) >
                                  run_.launched.site.line - kNear;
    const auto is_other = [&](const Watched& each) {
        return &each != memory && each.bytes == memory->bytes && each.cells != nullptr &&
               each.kind != emulator::MemoryKind::symbol &&
               items_of(each).items == each.bytes / access.bytes;
    };
    const auto is_likely = [&](const Watched& each) {
        return is_other(each) && (copied_again_.count(each.begin) != 0 || is_output(access, each));
    };
    const Watched* const likely = run_.device.find_if(is_likely);
    const Watched* const other = likely != nullptr ? likely : run_.device.find_if(is_other);
    const auto want_more_threads = [&](const emulator::LaunchShape& shape, emulator::Site launch) {
        made.evidence = threads_for_items(shape, source_place(launch), all);
        cure(made, Cure::launch_shape, source_place(launch),
             more_threads(shape) +
                 (shape.grid.x == 1 ? " Or let one thread write the rest as well." : ""));
    };
    if (is_run(written) && epoch != 0 && epoch < run_.epoch() &&
        !(is_exchanged && other != nullptr)) {
        const StreamOperation& by = run_.streams.operation_of_epoch(epoch);
        made.parties.push_back(call(
            by.what, fmt::format("wrote items {} to {}", written.first, written.last), by.site));
        put_places(made);
        made.evidence = "The others have no values: is it the item you meant?";
        const auto writer = std::find_if(run_.launches.begin(), run_.launches.end(),
                                         [&](const auto& each) { return each.first == epoch; });
        if (writer != run_.launches.end() && writer->second.threads() == written.items) {
            want_more_threads(writer->second, by.site);
            return;
        }
        const Place place = place_of(access.site);
        if (is_index_from(place.file, place.line, "atomic")) {
            made.evidence = "The others have no values.";
            made.advice =
                " An atomic operation gives out the index: use the\nitem only if that is below the "
                "number of items that have values.";
        }
        return;
    }
    // This kernel may have written them again.
    if (is_run(written) && written.first == 0 && written.items < all) {
        for (std::size_t i = run_.launches.size(); i-- > 1;) {
            const auto& [earlier, shape] = run_.launches[i - 1];
            const bool is_block = shape.block.x == written.items && shape.grid.x > 1;
            if (shape.threads() != written.items && !is_block) continue;
            const StreamOperation& by = run_.streams.operation_of_epoch(earlier);
            made.parties.push_back(call(
                by.what,
                is_block ? fmt::format("had {} blocks of {} threads", shape.grid.x, written.items)
                         : fmt::format("had {} threads", written.items),
                by.site));
            put_places(made);
            if (!is_block) {
                want_more_threads(shape, by.site);
                return;
            }
            made.evidence = fmt::format(
                "Of the {} items {} to {} have values: have all its blocks written these?", all,
                written.first, written.last);
            made.advice =
                " The index of a thread in\nthe grid is blockIdx.x * blockDim.x + threadIdx.x.";
            return;
        }
    }
    // A sum that begins nowhere needs a first value.
    const Place here = place_of(access.site);
    const std::string code = without_blanks(source_line(here.file, here.line));
    // "sum += x[i]" reads an input.
    const std::size_t adds = access.is_atomic ? std::string::npos : code.find("+=");
    const std::string sum = adds != std::string::npos ? name_before(code, adds) : "";
    const bool is_input =
        !sum.empty() &&
        (adds == sum.size() || std::strchr("*>.", code[adds - sum.size() - 1]) == nullptr);
    if (written.items == 0 && !is_input && (access.is_atomic || is_operation(code))) {
        if (memory->call.rfind("cuda", 0) != 0) return;  // of the kernels' own heap
        const bool is_extreme = code.find("atomicM") != std::string::npos;
        const bool is_sum = code.find("atomicAdd") != std::string::npos ||
                            code.find("+=") != std::string::npos ||
                            code.find("++") != std::string::npos;
        if (!is_extreme && !is_sum) return;
        made.evidence = "Nothing has been written to that array.";
        made.advice = fmt::format(
            "\n{} before the launch in line {}.",
            is_sum ? "A sum begins with 0, and a count too: set it with cudaMemset"
                   : "Copy a first value there, such as the first item, or the least number for a "
                     "maximum,",
            run_.launched.site.line);
        return;
    }
    if (written.items == 0 && likely == nullptr) {
        if (memory->call.rfind("cuda", 0) == 0) explain_missing(access, *memory, made);
        return;
    }
    if (other == nullptr || other->site.file == nullptr) return;
    if (written.items != 0) {
        if (epoch == 0 || epoch >= run_.epoch()) return;
        const StreamOperation& by = run_.streams.operation_of_epoch(epoch);
        made.parties.push_back(
            call(by.what, fmt::format("wrote {} of its {} items, not this one", written.items, all),
                 by.site));
        const auto writer = std::find_if(run_.launches.begin(), run_.launches.end(),
                                         [&](const auto& each) { return each.first == epoch; });
        if (writer != run_.launches.end() && writer->second.threads() == written.items) {
            put_places(made);
            made.evidence = threads_for_items(writer->second, source_place(by.site), all);
            cure(made, Cure::launch_shape, source_place(by.site), more_threads(writer->second));
            return;
        }
        made.parties.push_back(call(
            other->call, "made an array of the same size, which has values there", other->site));
        put_places(made);
        made.evidence = "Are the two exchanged between launches?";
        made.advice =
            " Then copy the one to the other before the first\nlaunch, "
            "cudaMemcpyDeviceToDevice. cudaMemset is right only if 0 is the value that you mean.";
        return;
    }
    if (const auto again = copied_again_.find(other->begin); again != copied_again_.end()) {
        made.parties.push_back(call(again->second.call,
                                    "replaces what a copy had just written to another array",
                                    again->second.site));
        put_places(made);
        made.evidence = fmt::format(
            "No kernel and no copy has written to the first one, and no kernel has used what line "
            "{} copied to the\nother.",
            again->second.first.line);
        made.cure = Cure::none;
        made.advice = fmt::format(" Was the first one meant in line {}?", again->second.site.line);
        return;
    }
    made.parties.push_back(
        call(other->call, "made an array of the same size, which has values", other->site));
    put_places(made);
    const emulator::Site launch = run_.launched.site;
    const int swap = line_of_swap(launch.file != nullptr ? launch.file : "", launch.line);
    made.evidence = "No kernel and no copy has written to the first one.";
    cure(made, Cure::other_array, source_place(launch),
         fmt::format(
             " If the kernel is to read the other one,\nexchange the two pointers in the launch "
             "in line {}{}.\nIf not, write to the first one before that, in a kernel, or with "
             "cudaMemset or cudaMemcpy.",
             launch.line,
             swap == 0 ? "" : fmt::format(", or move the swap in line {} to after it", swap)));
}

/// Whether the launch has passed the array, and the kernel only stores in it.
bool Uninitialised::is_output(const Access& access, const Watched& memory) const {
    const Place kernel = kernel_place_of(access.site);
    const FunctionText function = function_around(kernel.file, kernel.line);
    const std::vector<PassedPointer> all = IndexSource(run_, access).all_passed(memory);
    return std::any_of(all.begin(), all.end(), [&](const PassedPointer& each) {
        const std::string name = last_name(function.parameter(each.position));
        return !each.is_member && each.pointer == memory.begin && !name.empty() &&
               is_only_stored(kernel.file, function.line, name);
    });
}

/// Nothing has written to the array: a kernel or a copy before the launch is missing.
void Uninitialised::explain_missing(const Access& access, const Watched& memory,
                                    Finding& made) const {
    const emulator::Site launch = run_.launched.site;
    const PassedPointer passed = IndexSource(run_, access).passed(memory);
    const UnlaunchedKernel kernel = unlaunched_kernel(launch.file != nullptr ? launch.file : "");
    made.evidence = "No kernel and no copy has written to that array.";
    if (!kernel.name.empty() && kernel.name != run_.launched.name) {
        made.advice = fmt::format(
            "\nNothing launches kernel {}, line {}: if it is to do that, launch it before line {}.",
            kernel.name, kernel.line, launch.line);
        return;
    }
    const bool is_name =
        !passed.is_member && !passed.text.empty() && passed.text == last_name(passed.text);
    made.advice = fmt::format(
        "\nIf the host has its values, copy them before the launch in line {}: cudaMemcpy({}, "
        "array of the host, bytes,\ncudaMemcpyHostToDevice). If not, let a kernel store them; or, "
        "if 0 is the value that you mean, cudaMemset.",
        launch.line, is_name ? passed.text : "pointer");
}

void Uninitialised::note_early_copy(const emulator::Copy& copy, const Watched& memory) {
    if (memory.cells == nullptr || memory.holds_values || early_copies_.count(memory.begin) != 0) {
        return;
    }
    // Nearly always the first item has a value. A copy of rows asks for each of them.
    for (std::size_t word = 0; word < (memory.bytes + kWordBytes - 1) / kWordBytes; ++word) {
        if ((*memory.cells)[word].written != 0) return;
    }
    early_copies_[memory.begin] = {copy.call, copy.site};
}

/// If a copy has used the array as its source and nothing has written to it, that is the cause.
bool Uninitialised::explain_early_copy(const Watched& memory, Finding& made) const {
    const auto found = early_copies_.find(memory.begin);
    if (found == early_copies_.end()) return false;
    const EarlyCopy& copy = found->second;
    made.parties.push_back(
        call(copy.call, "has copied it to the host, before it had values", copy.site));
    made.evidence = "Are destination and source of that copy swapped?";
    made.advice = fmt::format(
        " The destination comes first:\n{}(device, host, bytes, "
        "cudaMemcpyHostToDevice).",
        copy.call);
    return true;
}

void Uninitialised::note_copy(const emulator::Copy& copy, const Watched& memory) {
    const std::size_t begin = reinterpret_cast<std::uintptr_t>(copy.to) - memory.begin;
    if (begin == 0 && copy.bytes == memory.bytes && copy.from != nullptr) {
        const auto [last, fresh] = whole_copies_.try_emplace(memory.begin);
        if (!fresh && last->second.launch == run_.launch_count && last->second.from != copy.from) {
            copied_again_[memory.begin] = {copy.call, copy.site, last->second.site};
        } else {
            copied_again_.erase(memory.begin);
        }
        last->second = {run_.launch_count, copy.site, copy.from};
    }
    const auto known = short_copies_.find(memory.begin);
    if (known != short_copies_.end() && known->second.site.line == copy.site.line &&
        known->second.bytes == copy.bytes && begin > known->second.begin) {
        ShortCopy& last = known->second;
        if (last.rows == 1) last.pitch = begin - last.begin;
        ++last.rows;
        return;
    }
    if (begin == 0 && copy.bytes >= memory.bytes) {
        short_copies_.erase(memory.begin);
    } else if (known == short_copies_.end() || begin < known->second.begin ||
               begin + copy.bytes > known->second.begin + known->second.bytes ||
               copy.bytes == known->second.bytes) {
        // A smaller one within it, the value of one item, leaves the rest as it was.
        const emulator::HostBlock from = emulator::host_block_at(copy.from);
        const std::size_t room =
            from.begin != nullptr
                ? static_cast<std::size_t>(from.begin + from.bytes -
                                           static_cast<const std::byte*>(copy.from))
                : 0;
        short_copies_[memory.begin] = {copy.call, copy.site, begin,           copy.bytes,
                                       0,         1,         copy.from_pitch, room};
    }
}

/// If a copy has written less of the array than this, it is named as the cause.
void Uninitialised::explain_short_copy(const Access& access, Finding& made) {
    const Watched* const memory = run_.device.find(access.address, 0);
    if (pitches.explain(memory, made)) return;
    const auto found = short_copies_.find(memory->begin);
    if (found == short_copies_.end()) return;
    const ShortCopy& copy = found->second;
    const std::size_t at = access.address - memory->begin;
    if (access.bytes == 1 && copy.site.file != nullptr) {
        const std::vector<std::string> given =
            call_arguments(copy.site.file, copy.site.line, copy.call);
        const SizeText size = given.size() > 2
                                  ? size_text(copy.site.file, copy.site.line, given[2], "", 1, 1)
                                  : SizeText{};
        // Just behind what was copied.
        const std::size_t before = at != 0 ? at - 1 : 0;
        const Cell& last = (*memory->cells)[before / kWordBytes];
        if (leaves_out_end(size) && at != 0 && (last.written >> before % kWordBytes & 1u) != 0) {
            made.parties.push_back(
                call(copy.call, fmt::format("copies {} bytes", size.text), copy.site));
            made.evidence = "strlen() does not count the 0 at the end, which the kernel looks for:";
            cure(made, Cure::none, source_place(copy.site), " give the copy one byte more.");
            return;
        }
    }
    // An item of which a part was copied: of rows, only if their last one is cut; else only if the
    // copy counts items.
    const bool is_part = copy.rows == 1 && copy.bytes * access.bytes != memory->bytes;
    if ((is_part ? at + 1 : at + access.bytes) <= copy.begin + copy.bytes) return;
    // Others have written items past it as well.
    if (copy.rows == 1 && memory->cells != nullptr && access.bytes <= memory->bytes) {
        const Written written = written_items(*memory->cells, 0, memory->bytes, access.bytes, 0);
        if (written.items != 0 && written.last * access.bytes >= copy.begin + copy.bytes) return;
    }
    const bool has_rows = copy.rows > 1;
    // Wider rows would be read from past those of the source.
    const std::size_t needed = !has_rows              ? memory->bytes - copy.begin
                               : copy.from_pitch != 0 ? std::min(copy.pitch, copy.from_pitch)
                                                      : copy.pitch;
    const bool is_whole = copy.bytes == needed;
    made.parties.push_back(
        call(copy.call,
             has_rows ? fmt::format("writes {} of {} bytes of each row", copy.bytes, copy.pitch)
                      : fmt::format("writes {} of its {} bytes", copy.bytes, memory->bytes),
             copy.site));
    const bool counts_items = copy.bytes * access.bytes == needed;
    made.evidence =
        copy.bytes == 0
            ? std::string(
                  "Are its value and its size swapped? It takes the pointer, the value, "
                  "and the bytes.")
        : counts_items ? fmt::format("{} is the number of items: the {} is in bytes.", copy.bytes,
                                     has_rows ? "width" : "size")
        : copy.bytes == sizeof(void*)
            ? fmt::format("{} bytes are the size of a pointer.", copy.bytes)
            : std::string("Nothing has been written past that: is it the item you meant?");
    if (!has_rows && memory->pitch != 0) {
        made.evidence = fmt::format("The rows of that memory are {} bytes apart:", memory->pitch);
        made.advice = " copy them with cudaMemcpy2D, which takes\nthe pitch of both sides.";
        return;
    }
    if (has_rows && memory->pitch != 0 && is_whole && at % memory->pitch >= copy.bytes) {
        made.evidence = fmt::format("That is past the end of a row; the rows are {} bytes apart:",
                                    memory->pitch);
        made.advice =
            " row y begins at\n(T*)((char*)data + y * pitch), where T is the type of an item.";
    }
    if (is_whole) return;
    made.item = static_cast<std::int64_t>(copy.bytes);
    made.items = static_cast<std::int64_t>(needed);
    if (!has_rows && copy.room != 0 && copy.room < needed) {
        cure(made, Cure::none, source_place(copy.site),
             fmt::format("\nThe source has {} bytes, no more: give the other items values of their "
                         "own, in a "
                         "kernel or by another copy, or do not\nread them.",
                         copy.room));
        return;
    }
    cure(made, Cure::copy_bytes, source_place(copy.site),
         fmt::format(" Give it the number of items times\nthe size of one, {} * {}.",
                     needed / access.bytes, access.bytes));
}

}  // namespace lab
