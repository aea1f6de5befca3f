#include "rules.hpp"

#include <algorithm>
#include <cstdlib>

#include "index_source.hpp"
#include "program_end.hpp"
#include "source_below_zero.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

void OutOfBounds::index(emulator::Site site, const char* array, std::int64_t value) {
    constexpr std::size_t kMax = 16;
    if (indexes_.size() < kMax) {
        indexes_.push_back({site, array, value, run_.number, who(run_, run_.number)});
    }
}

namespace {

/// 'float [8][9]': the type of an array as compilers write it. clang adds the meaning of a type's
/// name, and leaves out the blank: 'Tile' (aka 'float[8][9]').
std::string array_type(std::string type) {
    const std::size_t known_as = type.find("(aka '");
    if (known_as != std::string::npos) {
        type = type.substr(known_as + 5, type.size() - known_as - 6);
    }
    if (type.size() > 2 && type.front() == '\'') type = type.substr(1, type.size() - 2);
    const std::size_t bracket = type.find('[');
    if (bracket != std::string::npos && bracket != 0 && type[bracket - 1] != ' ') {
        type.insert(bracket, 1, ' ');
    }
    return type;
}

/// "t >= off" of "s[t - off]": the test that keeps the index from going below 0; empty: not known.
std::string not_below(const std::string& item) {
    const std::size_t open = item.find('['), minus = item.find('-', open);
    if (minus == std::string::npos || item.find_first_of("-%/?", minus + 1) != std::string::npos)
        return {};
    std::string right = trimmed(item.substr(minus + 1));
    std::size_t end = 0;
    while (end < right.size() && (is_word(right[end]) || right[end] == '.')) ++end;
    const char after = end < right.size() ? right[end] : ' ';
    right.resize(end);
    const std::size_t bracket = item.rfind('(', minus);
    const std::size_t begin = bracket == std::string::npos || bracket < open ? open : bracket;
    const std::string left = trimmed(item.substr(begin + 1, minus - begin - 1));
    const bool is_whole = after == ']' || (begin == bracket && after == ')');
    if (right.empty() || names_in(left).empty() || !is_whole ||
        left.find_first_of("[]()%/?") != std::string::npos) {
        return {};
    }
    std::string made = fmt::format("Use the item only if {} >= {}", left, right);
    const std::string column = trimmed(left.substr(left.rfind('+') + 1));
    if (left.find('*') != std::string::npos && column != left &&
        left.find("block") == std::string::npos) {
        made += fmt::format("; if each row begins at 0 again, only if {} >= {}", column, right);
    }
    return made + ".";
}

}  // namespace

/// Which array it is, and whether that should be larger.
bool OutOfBounds::explain_declared(Finding& made, const std::string& type,
                                   const FindingList::Key& key) {
    const SourcePlace at = made.parties.front().at;
    const std::size_t extents = static_cast<std::size_t>(std::count(type.begin(), type.end(), '['));
    const SourceValues values(at.path, at.line, [](const std::string&) { return std::nullopt; });
    std::string index, name, extent, other;  // the other one of two extents
    int line = 0;
    for (const IndexText& each : indexes_of(source_line(at.path, at.line))) {
        const DeclaredArray declared = declared_array(at.path, at.line, each.array);
        const std::size_t last = declared.extents.size();
        if (declared.line == 0 || last < extents || last - extents != each.position) continue;
        const std::string& one = declared.extents[last - extents];
        const std::optional<std::int64_t> known = values.of(one);
        if (known && *known != made.items) continue;
        if (line != 0 && name != each.array) return true;  // it may be either
        line = declared.line;
        name = each.array;
        extent = one;
        other = last == 2 ? declared.extents[extents - 1] : std::string();
        if (index.empty()) index = each.index;
    }
    if (line == 0) return true;
    // The first line that goes beyond it, with the largest index of all: a store there may have
    // changed what other lines index it with.
    FindingList::Key& known = arrays_.try_emplace({at.path, line, extents}, key).first->second;
    if (Finding* const first = known != key ? findings_.find(known) : nullptr; first != nullptr) {
        ++first->times;
        if (made.item > first->item) {
            first->item = made.item;
            explain_declared(*first, type, known);
        }
        return false;
    }
    known = key;
    const std::string whose =
        fmt::format("\n{} is declared in line {}, with [{}]", name, line, extent);
    if (const std::string why = index_of_character(at.path, at.line, made.item); !why.empty()) {
        made.advice = fmt::format("{}. {}", whose, why);
        return true;
    }
    if (const std::string why = made.item == made.items
                                    ? why_one_past(at.path, at.line, index, made.items, values)
                                    : "";
        !why.empty()) {
        made.advice = fmt::format("{}. {}", whose, why);
        return true;
    }
    if (const SteppedIndex step = stepped_index(at.path, at.line, index, made.items);
        step.line != 0) {
        cure(made, Cure::none, {at.path, step.line}, whose + ". " + step.why);
        return true;
    }
    // A loop that takes the other index as far says that both sizes are meant.
    const auto goes_as_far = [&](const IndexText& each) {
        if (each.array != name || each.index == index) return false;
        const std::vector<Guard> guards = guards_of(at.path, at.line, each.index);
        return std::any_of(guards.begin(), guards.end(), [&](const Guard& guard) {
            return guard.operation == "<" && values.of(guard.right).value_or(0) > made.items;
        });
    };
    const std::vector<IndexText> all = indexes_of(source_line(at.path, at.line));
    if (!other.empty() && made.item >= made.items && values.of(other) == made.item + 1 &&
        std::none_of(all.begin(), all.end(), goes_as_far)) {
        made.cure = Cure::none;
        made.advice = fmt::format(
            "{}, and the index goes up to {}: are its two sizes exchanged? Declare\n{}, or "
            "exchange the indexes.",
            whose, made.item,
            extents == 1 ? fmt::format("{}[{}][{}]", name, extent, other)
                         : fmt::format("{}[{}][{}]", name, other, extent));
        return true;
    }
    constexpr std::int64_t kAbsurd = 16;
    if (made.item >= kAbsurd * made.items) {
        made.advice = fmt::format("{}, and the index goes up to {}: test it before it is used.",
                                  whose, made.item);
        return true;
    }
    const bool is_next = without_blanks(index).find("+1") != std::string::npos;
    if (made.item >= 2 * made.items || is_next) {
        made.advice = fmt::format(
            "{}, and the index goes up to {}: test it before it is used; or, if it is\nright, give "
            "the array {} items.",
            whose, made.item, made.item + 1);
        return true;
    }
    made.advice = fmt::format(
        "{}, and the index goes up to {}: give it {} items there; or, if the\nindex is wrong, test "
        "it before it is used.",
        whose, made.item, made.item + 1);
    return true;
}

void OutOfBounds::report_indexes() {
    std::vector<Index> left;
    left.swap(indexes_);
    for (const Index& each : left) {
        const FindingList::Key key =
            FindingList::key_of(Fault::out_of_bounds, source_place(each.site));
        if (run_.block == nullptr) continue;
        told_.insert(each.site.line);
        if (findings_.is_known(key)) {
            Finding* const known = findings_.find(key);
            const bool is_below = known != nullptr && known->item < 0;
            if (known == nullptr || is_below || each.value <= known->item || known->items == 0)
                continue;
            known->item = each.value;
            explain_declared(*known, array_type(each.array), key);
            continue;
        }
        // The index belongs to the first extent.
        const std::string type = array_type(each.array);
        const std::size_t bracket = type.find('[');
        const long items = bracket == std::string::npos ? 0 : std::atol(type.c_str() + bracket + 1);
        const std::int64_t block = static_cast<std::int64_t>(run_.block->index);
        Party mine =
            party_at(source_place(each.site), fmt::format("{} of block {}", each.who, block),
                     fmt::format("uses item {} of {}", each.value, type), block, each.thread);
        Finding made;
        made.fault = Fault::out_of_bounds;
        made.kernel = run_.launched.name;
        made.title = "out of bounds in " + made.kernel;
        made.parties = {std::move(mine)};
        // -1, -2, ... as unsigned 32-bit numbers.
        constexpr std::int64_t kWrapped = std::int64_t{1} << 32;
        const bool is_below_zero = each.value < kWrapped && each.value > kWrapped - 65536;
        made.evidence = fmt::format(
            "Its items are 0 to {}. {}", items - 1,
            is_below_zero ? fmt::format("{} is what {} becomes as an unsigned number: the index "
                                        "went below 0.",
                                        each.value, each.value - kWrapped)
                          : "What lies there belongs to another row of the array, or to another "
                            "variable.");
        made.item = each.value;
        made.items = items;
        cure(made, Cure::test_index, made.parties.front().at,
             "\nTest the index before it is used.");
        if (each.value < 0) {
            const SourcePlace& at = made.parties.front().at;
            std::string why = negative_index(at.path, at.line, each.value);
            if (why.empty()) why = not_below(subtracting_index(code_line(at.path, at.line)));
            if (!why.empty()) made.advice = "\n" + why;
        }
        if (!is_below_zero && each.value >= items && !explain_declared(made, type, key)) continue;
        findings_.add(key, std::move(made));
    }
}

bool OutOfBounds::report_far(const Access& access) {
    const Watched* const memory = causes_.far_from(access);
    if (memory == nullptr) return false;
    report(access, {memory->call, memory->description, memory->description,
                    access.address - memory->begin, memory->bytes});
    return true;
}

void OutOfBounds::check_host(SiteId id, std::uintptr_t address, bool is_store) {
    const emulator::HostBlock block =
        emulator::host_block_before(reinterpret_cast<const void*>(address));
    const Place here = place_of(id);
    if (block.begin == nullptr || !here.is_known()) return;
    const std::size_t behind =
        address - reinterpret_cast<std::uintptr_t>(block.begin) - block.bytes;
    const std::size_t bytes = site(id).bytes;
    const FindingList::Key key = findings_.key_of(Fault::out_of_bounds, id);
    if (!findings_.is_known(key)) {
        Finding made;
        made.fault = Fault::out_of_bounds;
        made.code = "out_of_bounds";
        made.title = "out of bounds on the host";
        made.parties = {host(id, fmt::format("{} {}", does(is_store), bytes_text(bytes)))};
        made.evidence =
            fmt::format("{} host memory of {}, from new or malloc().",
                        behind == 0 ? std::string("Just past the end of")
                                    : fmt::format("{} past the end of", bytes_text(behind)),
                        bytes_text(block.bytes));
        made.advice = "\nTest the index before it is used, or make the array larger.";
        if (bytes != 0 && block.bytes % bytes == 0 && behind % bytes == 0 && block.bytes != 0) {
            made.items = static_cast<std::int64_t>(block.bytes / bytes);
            made.item = made.items + static_cast<std::int64_t>(behind / bytes);
            made.evidence += fmt::format("\nThat is index {}; the array has {} items, 0 to {}.",
                                         made.item, made.items, made.items - 1);
            const SourceValues values(here.file, here.line,
                                      [](const std::string&) { return std::nullopt; });
            for (const IndexText& each : indexes_of(code_line(here.file, here.line))) {
                const std::string why =
                    behind == 0 ? why_one_past(here.file, here.line, each.index, made.items, values)
                                : std::string();
                if (!why.empty()) made.advice = "\n" + why;
            }
        }
        findings_.add(key, std::move(made));
    }
    // The next stores would change what belongs to others, perhaps to what prints the report.
    auto* const end = end_now.load(std::memory_order_relaxed);
    if (is_store && end != nullptr && behind >= emulator::kBehindBlock / 2)
        end("the lab, as the host went on to store past the end of its memory");
}

/// Which line moves the pointer on that this one follows; empty: none is near.
static std::string moved_pointer(const Place& here) {
    constexpr int kMaxLines = 6;
    const std::string code = without_blanks(code_line(here.file, here.line));
    for (const std::string& name : names_in(code)) {
        if (code.rfind("*" + name + "=", 0) != 0 && code.find("=*" + name) == std::string::npos) {
            continue;
        }
        for (int line = here.line - kMaxLines; line <= here.line + kMaxLines; ++line) {
            const std::string other = without_blanks(code_line(here.file, line));
            if (other.rfind(name + "+=", 0) != 0 && other.rfind("++" + name, 0) != 0) continue;
            return fmt::format(
                "\nLine {} moves {} on in each round: is there a round too many, or is the array "
                "too "
                "small?",
                line, name);
        }
    }
    return {};
}

/// Which line of a function that calls itself has given it the index of a line; empty: none has, or
/// it is not known.
static std::string passed_to_itself(const Execution& run, const Place& here) {
    if (run.thread == nullptr || run.thread->calls.empty()) return {};
    const FunctionText function = function_around(here.file, here.line);
    const Place from = user_place(run.thread->calls.back().caller - 1);
    if (function.is_kernel || from.file != here.file ||
        function_around(from.file, from.line).line != function.line ||
        words_at(code_line(from.file, from.line), function.name).size() != 1) {
        return {};
    }
    const std::vector<std::string> given = call_arguments(from.file, from.line, function.name);
    for (const IndexText& each : indexes_of(code_line(here.file, here.line))) {
        for (std::size_t i = 0; i < std::min(given.size(), function.parameters.size()); ++i) {
            if (last_name(function.parameters[i]) != each.index) continue;
            return fmt::format("\nLine {} has called {}() with {} = {}: test that before the call.",
                               from.line, function.name, each.index, given[i]);
        }
    }
    return {};
}

/// Where a kernel calls a helper for items beside its own, "at(in, x - 1)", and what to test there,
/// at both ends; empty: the index does not come from such a call.
static std::string neighbours_passed(const IndexSource& kernel, const Place& from,
                                     const Place& here, std::int64_t index, std::int64_t items) {
    const FunctionText helper = function_around(here.file, here.line);
    if (from.file != here.file || helper.is_kernel) return {};
    std::string used;
    for (const IndexText& each : indexes_of(code_line(here.file, here.line)))
        used += each.index + ' ';
    std::string given, tests;
    int first = 0, last = 0;
    bool is_it = false;
    std::vector<std::int64_t> limits = {1};
    const auto add = [](std::string& to, const std::string& one, const char* comma) {
        if ((to + ',').find(one + ',') == std::string::npos) to += (to.empty() ? "" : comma) + one;
    };
    const int head = function_around(from.file, from.line).line;
    for (const int line : calls_of_function(here.file, here.line)) {
        if (function_around(here.file, line).line != head) continue;
        const std::string code = code_lines(here.file, line, 3);
        const std::size_t own = code_line(here.file, line).size();
        for (const std::size_t at : words_at(code, helper.name)) {
            const std::size_t open = code.find('(', at);
            if (at >= own || open == std::string::npos) continue;
            const std::vector<std::string> all = split(code, open + 1, ")");
            for (std::size_t i = 0; i < std::min(all.size(), helper.parameters.size()); ++i) {
                const std::size_t sign = all[i].find_first_of("+-");
                if (find_word(used, last_name(helper.parameters[i])) == std::string::npos ||
                    sign == std::string::npos ||
                    all[i].find_first_of("()[]*/%?<>+-", sign + 1) < all[i].size()) {
                    continue;
                }
                const std::string item = trimmed(all[i].substr(0, sign)),
                                  by = trimmed(all[i].substr(sign + 1));
                if (names_in(item) != std::vector<std::string>{item}) continue;
                const bool is_number = by.find_first_not_of("0123456789u") == std::string::npos;
                if (all[i][sign] == '-') add(tests, fmt::format("{} >= {}", item, by), ", ");
                if (all[i][sign] == '+' && !is_number) add(tests, all[i] + " >= 0", ", ");
                for (const Guard& each : guards_of(here.file, line, item)) {
                    if (each.operation != "<") continue;
                    limits.push_back(kernel.value(each.right).value_or(0));
                    if (all[i][sign] == '+')
                        add(tests, fmt::format("{} < {}", all[i], each.right), ", ");
                }
                add(given, all[i], ", ");
                if (first == 0) first = line;
                last = line;
                is_it = is_it || line == from.line;
            }
        }
    }
    // Beyond an array that is smaller than what the kernel works on, that is the cause.
    const bool is_whole = std::any_of(limits.begin(), limits.end(), [&](std::int64_t one) {
        return std::any_of(limits.begin(), limits.end(),
                           [&](std::int64_t other) { return one * other == items; });
    });
    if (index >= items && !is_whole) is_it = false;
    if (!is_it) return {};
    if (tests.empty()) return {};
    return fmt::format(
        "{} {}() with {}.\nMake each of these calls only if its item exists ({}); elsewhere "
        "use\na value that changes nothing, such as 0 in a sum, or the nearest item that exists.",
        first == last ? fmt::format("Line {} calls", first)
                      : fmt::format("Lines {} to {} call", first, last),
        helper.name, given, tests);
}

/// The item whose index is below 0, as written: of the memory that the access misses, if that is
/// known; else the first of the side of the line on which it is. Empty: none subtracts anything.
static std::string item_below(const Execution& run, const Access& access, const Watched* memory) {
    const Place here = place_of(access.site);
    const std::string code = code_line(here.file, here.line);
    const IndexSource source(run, access);
    const IndexText* const used = memory != nullptr ? source.index_to(*memory) : nullptr;
    if (used != nullptr) {
        return used->index.find('-') != std::string::npos
                   ? fmt::format("{}[{}]", used->array, used->index)
                   : std::string();
    }
    const std::size_t equals = code.find(" = ");
    const bool is_right = !access.is_store && equals != std::string::npos &&
                          assignments(here.file, here.line).size() == 1;
    return subtracting_index(is_right ? code.substr(equals) : code);
}

/// For a line that fills a tile in shared memory with this item alone, "tile[t] = in[i - R]": what
/// it may store if there is no such item; empty: it is none.
static std::string in_place_of(const Place& here, const std::string& item) {
    const std::vector<Assignment> all = assignments(here.file, here.line);
    const std::vector<IndexText> read = indexes_of(item);
    if (all.size() != 1 || read.size() != 1 || all.front().value != without_blanks(item)) return {};
    const std::string code = trimmed(code_line(here.file, here.line));
    const std::string tile = all.front().target.substr(0, all.front().target.find('['));
    const DeclaredArray declared = declared_array(here.file, here.line, tile);
    const std::size_t begin = code.find(tile), equals = code.find(" = ");
    if (find_word(code_line(here.file, declared.line), "__shared__") == std::string::npos ||
        begin > equals || equals == std::string::npos) {
        return {};
    }
    const std::string& index = read.front().index;
    const std::size_t minus = index.find(" - ");
    const bool is_one = minus != std::string::npos &&
                        index.find_first_of("-+*/%?(,", minus + 2) == std::string::npos &&
                        index.find_first_of("*/%?(,") == std::string::npos;
    return fmt::format(
        "\nIf it is for items beside the array, store a value that changes nothing there, such as "
        "0 "
        "in a sum:\n{} = {} ? {} : 0;",
        code.substr(begin, equals - begin),
        is_one ? fmt::format("{} >= {}", index.substr(0, minus), index.substr(minus + 3))
               : index + " >= 0",
        item);
}

void OutOfBounds::report(const Access& access, const Target& what) {
    const Place here = place_of(access.site);
    indexes_.erase(std::remove_if(indexes_.begin(), indexes_.end(),
                                  [&](const Index& each) { return each.site.line == here.line; }),
                   indexes_.end());
    if (causes_.is_explained(access, what)) return;
    const FindingList::Key key = findings_.key_of(Fault::out_of_bounds, access.site);
    if (findings_.is_known(key)) {
        causes_.reached(key, what.offset + access.bytes);
        return;
    }
    const std::string code = code_line(here.file, here.line);
    const std::vector<IndexText> indexes = indexes_of(code);
    // An array of which a row is said to be too short.
    for (const IndexText& each : indexes) {
        const int line = declared_array(here.file, here.line, each.array).line;
        const auto row = arrays_.lower_bound({here.file, line, 0});
        if (line == 0 || each.position == 0 || row == arrays_.end() ||
            std::get<0>(row->first) != here.file || std::get<1>(row->first) != line) {
            continue;
        }
        const Finding* const first = findings_.find(row->second);
        if (first != nullptr && first->item >= first->items) return;
    }
    // Members of one item, "hits[k].x" and "hits[k].y" on several lines: one fault. Not all of them
    // show which item it is.
    if (has_members(code) && !indexes.empty()) {
        const auto [known, fresh] =
            members_.try_emplace({here.file, function_around(here.file, here.line).line,
                                  indexes.front().array + '[' + indexes.front().index},
                                 key);
        Finding* const first = fresh ? nullptr : findings_.find(known->second);
        if (first != nullptr) {
            const std::size_t items = what.bytes / access.bytes;
            const std::string why =
                first->items != 0
                    ? std::string()
                    : IndexSource(run_, access)
                          .origin(static_cast<std::ptrdiff_t>(what.offset / access.bytes),
                                  static_cast<std::ptrdiff_t>(items));
            if (!why.empty()) {
                first->advice = "\n" + why;
                first->items = static_cast<std::int64_t>(items);
            }
            return;
        }
    }
    Finding made = finding(
        run_, Fault::out_of_bounds, "out_of_bounds", "out of bounds",
        party(run_, access, fmt::format("{} {}", does(access.is_store), bytes_text(access.bytes))));
    const std::ptrdiff_t within = static_cast<std::ptrdiff_t>(what.offset);
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(what.bytes);
    const Watched* const memory = causes_.memory_of(access);
    const bool is_of_struct = has_members(source_line(here.file, here.line)) && memory != nullptr &&
                              memory->bytes == what.bytes &&
                              causes_.item_bytes(access, *memory) > access.bytes && within > 0;
    const std::ptrdiff_t item = static_cast<std::ptrdiff_t>(access.bytes);
    const std::string where =
        within < 0
            ? fmt::format("{} before the start of", bytes_text(static_cast<std::size_t>(-within)))
        : within == size ? std::string("Just past the end of")
        : within > size
            ? fmt::format("{} past the end of", bytes_text(static_cast<std::size_t>(within - size)))
            : std::string("Across the end of");
    made.evidence = fmt::format("{} {}.", where, what.declaration);
    const bool is_part =
        access.bytes < kWordBytes && has_members(source_line(here.file, here.line));
    const bool is_item =
        size != 0 && size % item == 0 && within % item == 0 && !is_of_struct && !is_part;
    if (is_of_struct) {
        const std::ptrdiff_t whole =
            static_cast<std::ptrdiff_t>(causes_.item_bytes(access, *memory));
        made.evidence +=
            fmt::format("\nThat is in item {}, if each has {} bytes; there is room for {}.",
                        within / whole, whole, size / whole);
    }
    if (is_item) {
        made.item = within / item;
        made.items = size / item;
        made.evidence +=
            fmt::format("\nThat is index {}; the array has ", made.item) +
            (made.items == 1 ? "1 item, 0"
                             : fmt::format("{} items, 0 to {}", made.items, made.items - 1));
    }
    const bool is_across = within >= 0 && within < size;
    if (is_across) {
        made.evidence += fmt::format("\nThe first {} of these bytes {} in it, the others are not.",
                                     size - within, size - within == 1 ? "is" : "are");
    }
    cure(made, within < 0 ? Cure::test_lower : Cure::test_index, made.parties.front().at, "");
    const std::string expression = within < 0 ? item_below(run_, access, memory) : "";
    made.evidence += is_item && !expression.empty()
                         ? fmt::format(". The index of {} is below 0.", expression)
                     : is_item ? "."
                               : "";
    made.advice = is_across
                      ? "\nTest the index of the last item that it uses, not only that of "
                        "the first, and use those that are left\none by one; or make the "
                        "array long enough for the whole access."
                      : (is_item ? " " : "\n") + std::string("Test the index before it is used.");
    if (const std::string why = is_item ? not_below(expression) : ""; !why.empty())
        made.advice = "\n" + why;
    const Place from = call_of(access.site);
    if (const std::string why = is_item && from.line != 0
                                    ? neighbours_passed(IndexSource(run_, access, from), from, here,
                                                        made.item, made.items)
                                    : "";
        !why.empty()) {
        cure(made, Cure::none, source_place(from), "\n" + why);
        findings_.add(key, std::move(made));
        return;
    }
    if (const std::string why =
            is_item ? IndexSource(run_, access).origin(made.item, made.items) : "";
        !why.empty()) {
        made.advice = "\n" + why;
        findings_.add(key, std::move(made));
        return;
    }
    if (const std::string why = is_item ? passed_to_itself(run_, here) : ""; !why.empty())
        made.advice = why;
    if (const std::string why = within >= size ? moved_pointer(here) : ""; !why.empty())
        made.advice = why;
    const bool is_counted = is_index_from(here.file, here.line, "atomicAdd") ||
                            is_index_from(here.file, here.line, "atomicInc") ||
                            is_index_from(here.file, here.line, "fetch_add");
    if (within >= size && is_counted) {
        made.advice +=
            "\nIt is what an atomic operation has returned, whose counter goes past the end even "
            "if "
            "the store is left\nout: limit it where it is read, or make the array larger. If it is "
            "to begin at 0, set it before each launch.";
    }
    if (!access.is_store && is_item) made.advice += in_place_of(here, expression);
    const FindingList::Key* const cause = causes_.explain(access, what, made);
    findings_.add(cause != nullptr ? *cause : key, std::move(made));
}

}  // namespace lab
