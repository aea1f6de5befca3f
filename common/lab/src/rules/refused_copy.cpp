#include "refused_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_structs.hpp"
#include "source_values.hpp"
#include "source_words.hpp"
#include "words.hpp"

namespace lab {
namespace {

/// What the emulator's text says about a copy that does not fit.
struct Overrun {
    bool is_source = false;
    bool is_fill = false;
    std::size_t bytes = 0;  ///< of the copy
    std::size_t begin = 0;  ///< where it begins in the memory
    std::size_t left = 0;   ///< bytes from there on
    bool is_host = false;   ///< memory that CUDA has not allocated: its begin is not known
    int allocated = 0;      ///< the line; 0: not known
    std::string allocator;  ///< "cudaMalloc"
};

/// The number after these words; 0: they are not there.
std::size_t number_after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    return at == std::string::npos ? 0
                                   : std::strtoull(text.c_str() + at + words.size(), nullptr, 10);
}

/// No bytes: it is not that.
Overrun overrun_in(const std::string& said, const std::string& file) {
    Overrun made;
    const std::size_t source = said.find("the source"), target = said.find("the destination");
    made.is_source = source < target;
    const std::string side = made.is_source ? "source" : "destination";
    if (const std::size_t go = said.find(", go "); go != std::string::npos) {
        made.bytes = number_after(said, " of ");
        made.begin = number_after(said, "bytes from byte ");
        const std::size_t beyond = number_after(said, ", go ");
        made.left = made.bytes - std::min(made.bytes, beyond);
        const std::size_t from = said.find(" from ", said.find("the " + side));
        const std::size_t at = said.rfind(" at " + file + ":", go);
        if (from < at && at < go) {
            made.allocated = std::atoi(said.c_str() + at + file.size() + 5);
            made.allocator = said.substr(from + 6, at - from - 6);
        }
    } else if (said.find(side + " is host memory with room for ") != std::string::npos ||
               said.find(" of host memory of ") != std::string::npos) {
        made.bytes = number_after(said, " of ");
        made.is_host = true;
        made.left = number_after(said, "room for ") + number_after(said, "of which ");
    }
    return made;
}

/// "n" of "n * sizeof(float)" and "sizeof(float) * n"; empty: it has no sizeof.
std::string items_of_bytes(const std::string& bytes) {
    std::string text = without_brackets(trimmed(bytes));
    const std::size_t at = find_word(text, "sizeof");
    if (at == std::string::npos) return {};
    std::size_t end = text.find_first_not_of(' ', at + 6);
    if (end == std::string::npos) return {};
    end = text[end] == '(' ? after_bracket(text, end)
                           : std::min(text.find_first_of(" *", end), text.size());
    std::string before = trimmed(text.substr(0, at)), after = trimmed(text.substr(end));
    if (!before.empty() && before.back() == '*')
        before.pop_back();
    else if (!after.empty() && after.front() == '*')
        after.erase(0, 1);
    else
        return {};
    before = trimmed(before), after = trimmed(after);
    const bool is_sum = (before + after).find_first_of("+-?/%") != std::string::npos &&
                        without_brackets(before + after) == before + after;
    return is_sum || (!before.empty() && !after.empty()) ? std::string()
                                                         : without_brackets(before + after);
}

/// A pointer into an array: "h" and "first" of "h + first", "&h[first]" and "h.data() + first".
struct Begin {
    std::string array, index;
};
Begin begin_of(const std::string& pointer) {
    const std::string text = without_brackets(trimmed(pointer));
    if (!text.empty() && text.front() == '&') {
        const std::vector<IndexText> all = indexes_of(text);
        return all.size() == 1 && text.back() == ']' ? Begin{all.front().array, all.front().index}
                                                     : Begin{};
    }
    const std::size_t plus = text.find('+');
    const std::string array = trimmed(text.substr(0, plus));
    std::size_t end = 0;
    while (end < array.size() && is_word(array[end])) ++end;
    const std::string call = array.substr(end);
    if (end == 0 || !(call.empty() || call == ".data()" || call == ".get()")) return {};
    return {array.substr(0, end),
            plus == std::string::npos ? std::string() : trimmed(text.substr(plus + 1))};
}

/// The size of the items that a pointer leads to, by its declaration; 0: not known.
std::size_t item_bytes_at(const std::string& file, int line, const std::string& pointer) {
    const std::string array = begin_of(pointer).array;
    std::string type = array.empty() ? array : type_of(file, line, array).type;
    if (const std::size_t of = type.find("vector<"); of != std::string::npos)
        type = type.substr(of + 7, type.find('>') - of - 7);
    type = type.substr(0, type.find_first_of("*&"));
    return size_of_type(trimmed(type));
}

/// How many items a host's array has, as written; empty: not known.
std::string host_items(const std::string& file, int line, const std::string& array) {
    const DeclaredArray declared = declared_array(file, line, array);
    if (declared.extents.size() == 1) return declared.extents.front();
    if (type_of(file, line, array).type.find("vector<") != std::string::npos)
        return array + ".size()";
    int made = 0;
    const std::string value = definition(file, line, array, &made);
    if (value.find("malloc(") != std::string::npos) {
        const std::vector<std::string> given = call_arguments(file, made, "malloc");
        return given.size() == 1 ? items_of_bytes(given.front()) : std::string();
    }
    const std::size_t open = value.find('[');
    return value.rfind("new ", 0) == 0 && open != std::string::npos
               ? trimmed(value.substr(open + 1, after_bracket(value, open) - open - 2))
               : std::string();
}

/// The call's pointer moves on in a loop of the host: the last part is shorter.
std::string advice_for_parts(const Overrun& copy, const std::string& path, int line,
                             const std::vector<std::string>& given, const std::string& allocated) {
    const int loop = loop_around(path, line);
    if (loop == 0 || loop > line) return {};
    const int last = end_of_loop(path, loop, line);
    const std::string& pointer = given[copy.is_source ? 1 : 0];
    const std::vector<std::string> names = names_in(pointer);
    const bool moves = std::any_of(names.begin(), names.end(), [&](const std::string& each) {
        int where = 0;
        definition(path, line, each, &where);
        return where >= loop || changes_in_loop(path, loop, last, each);
    });
    if (!moves || (!copy.is_host && copy.begin == 0)) return {};
    if (copy.left == 0) {
        return fmt::format("\nThat is in the loop of line {}: does it have a round too many?",
                           loop);
    }
    const SizeText size = size_text(path, line, given[2], {}, 1, 1);
    const std::size_t item = size.bytes != 0 && !size.is_pointer ? size.bytes : 1;
    const std::string count = items_of_bytes(size.text);
    const Begin begin = begin_of(pointer);
    const std::string all =
        copy.is_host ? host_items(path, line, begin.array) : items_of_bytes(allocated);
    const bool is_whole = size.bytes != 0 && copy.left % item == 0 && copy.begin % item == 0;
    std::string made =
        fmt::format("\nThat is in a round of the loop of line {} in which only {} {} are left",
                    loop, copy.left / (is_whole ? item : 1), is_whole ? "items" : "bytes");
    if (!count.empty() && !all.empty() && !begin.index.empty()) {
        const bool is_sum = names_in(begin.index) != std::vector<std::string>{begin.index} &&
                            begin.index.find_first_of("+-") != std::string::npos;
        made += fmt::format(":\ncopy min({}, {} - {}) items in line {}", count, all,
                            is_sum ? "(" + begin.index + ")" : begin.index, line);
    } else {
        made += fmt::format(": copy no more than these in line {}", line);
    }
    for (int at = loop; at <= last; ++at) {
        if (code_line(path, at).find("<<<") == std::string::npos) continue;
        return made + ", and give the kernel their number.";
    }
    return made + ".";
}

/// Whether the names in an expression mean the same on both lines.
bool is_in_scope(const std::string& path, int line, int other) {
    const std::string function = host_function_around(path, line);
    return !function.empty() && function == host_function_around(path, other);
}

/// The memory is too small from its begin on.
std::string advice_for_whole(const Overrun& copy, const std::string& path, int line,
                             const std::vector<std::string>& given, const std::string& allocated) {
    const std::string& pointer = given[copy.is_source ? 1 : 0];
    if (copy.begin != 0) {
        return fmt::format("\nFrom {} on it has {}: copy no more, or allocate more in line {}.",
                           pointer, bytes_text(copy.left), copy.allocated);
    }
    const SizeText measured = size_text(path, line, given[2], {}, 1, 1);
    const SizeText room = size_text(path, copy.allocated, allocated, {}, 2, 2);
    const bool is_known = is_in_scope(path, line, copy.allocated);
    const std::size_t count = measured.bytes != 0 ? copy.bytes / measured.bytes : 0;
    if (count > 1 && copy.bytes % measured.bytes == 0 && copy.left % count == 0) {
        const std::size_t item = copy.left / count;
        if (item == 1 && room.measure.empty()) {
            return fmt::format(
                "\nThe size that {} takes in line {} is in bytes, not in items: "
                "give it {}.",
                copy.allocator, copy.allocated,
                is_known && given[2].size() < 40 ? given[2]
                                                 : "the number of items times the size of one");
        }
        // Not if the memory has fewer items of the same size.
        const bool is_other =
            item != measured.bytes && (item & (item - 1)) == 0 && room.bytes != measured.bytes;
        const bool is_plain = std::all_of(pointer.begin(), pointer.end(),
                                          [](char each) { return is_word(each) || each == '.'; });
        if (is_other && is_plain && item <= 16) {
            const std::string of_line = fmt::format(
                "\n{} is {} bytes, but line {} has allocated {} for each of the {} items: ",
                measured.measure, measured.bytes, copy.allocated, item, count);
            const std::string& other = given[copy.is_source ? 0 : 1];
            const std::size_t own_item = item_bytes_at(path, line, pointer);
            const std::size_t other_item =
                copy.is_fill ? own_item : item_bytes_at(path, line, other);
            if (other_item != 0 && other_item != (own_item != 0 ? own_item : item)) {
                return of_line + fmt::format(
                                     "those at {}\nare of {}. A copy converts nothing: use "
                                     "one type on both sides.",
                                     other, bytes_text(other_item));
            }
            const std::string items = items_of_bytes(measured.text);
            return of_line + fmt::format(
                                 "give both calls the size of what\n{} points to, {} * "
                                 "sizeof(*{}){}.",
                                 pointer, items.empty() ? std::to_string(count) : items, pointer,
                                 other_item == 0 && !copy.is_fill
                                     ? ", if the other side's items are of "
                                       "that type as well"
                                     : "");
        }
    }
    constexpr std::size_t kShort = 40;
    const bool is_text = is_known && given[2] != allocated && !allocated.empty() &&
                         given[2].size() < kShort && allocated.size() < kShort;
    return is_text ? fmt::format("\nLine {} allocates {} bytes: allocate {}, or copy only {}.",
                                 copy.allocated, allocated, given[2], allocated)
                   : fmt::format("\nAllocate {} in line {}, or copy only {}.",
                                 bytes_text(copy.bytes), copy.allocated, bytes_text(copy.left));
}

/// cudaMemset gets an array of the host: the device's one of the same size may be meant.
void explain_fill(const Execution& run, const std::string& path, int line, std::size_t bytes,
                  const std::string& array, Finding& made) {
    const std::string name = names_in(array).size() == 1 ? last_name(array) : std::string();
    std::string meant;
    emulator::Site allocated;
    std::size_t count = 0, alike = 0;
    run.device.find_if([&](const Watched& each) {
        const std::string from = each.site.file != nullptr ? each.site.file : "";
        if (each.kind != emulator::MemoryKind::device || each.bytes != bytes || from != path ||
            !is_in_scope(path, line, each.site.line))
            return false;
        ++count;
        const std::string code = code_line(path, each.site.line);
        for (const std::size_t call : words_at(code, each.call)) {
            const std::vector<std::string> given = split(code, code.find('(', call) + 1, ")");
            const std::string other = given.empty() ? std::string() : last_name(given.front());
            const bool is_alike = !name.empty() && other.find(name) != std::string::npos;
            alike += is_alike;
            if (!is_alike && !meant.empty()) continue;
            meant = other;
            allocated = each.site;
        }
        return false;
    });
    const bool is_known = !meant.empty() && (count == 1 || alike == 1);
    if (is_known) made.cure_place = source_place(allocated);
    made.advice +=
        is_known ? fmt::format(
                       "\nIt sets device memory only: was {} meant, which line {} has allocated? "
                       "For an array of the host, use memset.",
                       meant, allocated.line)
                 : std::string(
                       "\nIt sets device memory only: for an array of the host, use "
                       "memset.");
}

}  // namespace

void explain_refused_copy(const Execution& run, const emulator::Report& said,
                          const std::string& path, Finding& made) {
    if (said.reason != emulator::Reason::copy || path.empty()) return;
    const std::string call = said.text.substr(0, said.text.find(' '));
    const std::vector<std::string> given = call_arguments(path, said.line, call);
    // Of several calls in one line, the text does not say which it is.
    if (given.size() < 3 || words_at(code_line(path, said.line), call).size() > 1) return;
    if (call == "cudaMemset" || call == "cudaMemsetAsync") {
        const std::size_t bytes = number_after(said.text, " of ");
        if (said.text.find("the destination is host memory") != std::string::npos)
            return explain_fill(run, path, said.line, bytes, given[0], made);
    } else if (call != "cudaMemcpy" && call != "cudaMemcpyAsync") {
        return;
    }
    Overrun copy = overrun_in(said.text, file_name(said.file));
    copy.is_fill = call.rfind("cudaMemset", 0) == 0;
    if (copy.bytes == 0) return;
    std::string allocated;
    if (copy.allocated != 0) {
        const std::vector<std::string> sizes = call_arguments(path, copy.allocated, copy.allocator);
        const bool is_one = words_at(code_line(path, copy.allocated), copy.allocator).size() == 1;
        if (is_one && sizes.size() > 1) allocated = sizes[1];
        if (!copy.is_source) made.cure_place = {path, copy.allocated};
    }
    std::string parts = advice_for_parts(copy, path, said.line, given, allocated);
    // What the emulator says in general is told about this loop.
    if (!parts.empty()) made.title.resize(std::min(made.title.find("\nCopy "), made.title.size()));
    made.advice += !parts.empty() || copy.allocated == 0
                       ? parts
                       : advice_for_whole(copy, path, said.line, given, allocated);
}

}  // namespace lab
