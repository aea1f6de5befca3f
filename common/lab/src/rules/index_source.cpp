#include "index_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "lines.hpp"
#include "places.hpp"
#include "source_below_zero.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_structs.hpp"
#include "source_updates.hpp"
#include "source_words.hpp"
#include "words.hpp"

namespace lab {
namespace {

constexpr std::size_t kReach = 4096;  // past the end of an allocation

/// What a helper or a kernel calls its parameter: "in" of "const float* __restrict__ in".
std::string parameter_name(const std::string& parameter) {
    return last_name(parameter.substr(0, parameter.find_first_of("=[")));
}

/// "Image" of "const Image<T> image".
std::string type_of_object(const std::string& parameter) {
    std::vector<std::string> names = names_in(parameter.substr(0, parameter.find('<')));
    names.erase(std::remove(names.begin(), names.end(), "const"), names.end());
    return names.empty() ? std::string() : names.front();
}

bool is_unsigned(const std::string& type) {
    static const auto& known =
        *new const std::set<std::string>{"size_t",        "std::size_t",   "uint32_t", "uint64_t",
                                         "std::uint32_t", "std::uint64_t", "uint",     "unsigned"};
    return known.count(type) != 0 || type.rfind("unsigned ", 0) == 0;
}

bool is_short(const std::string& type) {
    return type == "short" || type == "int16_t" || type == "std::int16_t" || type == "short int";
}

}  // namespace

std::string launch_argument(emulator::Site launch, int position) {
    if (launch.file == nullptr) return {};
    const std::vector<std::string> all = call_arguments(launch.file, launch.line, ">>>");
    const std::size_t at = static_cast<std::size_t>(position) - 1;
    return at < all.size() ? all[at] : std::string();
}

IndexSource::IndexSource(const Execution& run, const Access& access, const Place& at, int thread)
    : run_(run),
      number_(thread),
      access_(access),
      file_(at.file),
      line_(at.line),
      function_(function_around(file_, line_)),
      indexes_(indexes_of(code_line(file_, line_))),
      values_(file_, line_, [this](const std::string& name) { return value_of_name(name); }) {}

std::optional<std::int64_t> IndexSource::value_of_name(const std::string& name) const {
    if (run_.worker == nullptr || run_.block == nullptr) return std::nullopt;
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    const uint3 at = run_.block->block->indices[static_cast<std::size_t>(number_)];
    const std::uint64_t block = run_.block->index;
    const std::size_t dot = name.find('.');
    const std::string what = name.substr(0, dot);
    if (what == "threadIdx" || what == "blockDim" || what == "gridDim" || what == "blockIdx") {
        const std::size_t axis = static_cast<std::size_t>(name.back() - 'x');
        if (axis > 2) return std::nullopt;
        const unsigned threads[] = {at.x, at.y, at.z};
        const unsigned blocks[] = {shape.block.x, shape.block.y, shape.block.z};
        const unsigned grids[] = {shape.grid.x, shape.grid.y, shape.grid.z};
        const std::uint64_t indices[] = {block % shape.grid.x, block / shape.grid.x % shape.grid.y,
                                         block / shape.grid.x / shape.grid.y};
        if (what == "threadIdx") return threads[axis];
        if (what == "blockDim") return blocks[axis];
        if (what == "gridDim") return grids[axis];
        return static_cast<std::int64_t>(indices[axis]);
    }
    if (!function_.is_kernel) {
        const std::string given = text_in_kernel(name);
        return given.empty() ? std::nullopt : kernel_line().value(given);
    }
    if (dot != std::string::npos) return member_value(what, name.substr(dot + 1));
    for (const emulator::LaunchArgument& each : run_.arguments) {
        if (each.kind == emulator::LaunchArgument::Kind::number &&
            parameter_name(function_.parameter(each.position)) == name) {
            return each.number;
        }
    }
    return template_value(name);
}

IndexSource IndexSource::kernel_line() const {
    return IndexSource(run_, access_, call_of(access_.site));
}

/// What the kernel's call gives a parameter of the function, or the object's member of this name;
/// empty: the kernel does not call the function itself.
std::string IndexSource::text_in_kernel(const std::string& name) const {
    const Place call = call_of(access_.site);
    if (call.line == 0 || function_.is_kernel || function_.name.empty()) return {};
    if (!function_around(call.file, call.line).is_kernel) return {};
    const std::vector<std::string> given = call_arguments(call.file, call.line, function_.name);
    for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
        if (parameter_name(function_.parameters[i]) != name) continue;
        return i < given.size() ? "(" + given[i] + ")" : std::string();
    }
    const std::string code = code_line(call.file, call.line);
    const std::size_t at = find_word(code, function_.name);
    const bool is_member = at != std::string::npos && at > 1 && code[at - 1] == '.' &&
                           type_of(file_, line_, name).type.empty();
    return is_member ? name_before(code, at - 1) + "." + name : std::string();
}

std::vector<Limit> IndexSource::limits_of(const std::string& expression) const {
    std::vector<Limit> made;
    for (const Guard& each : guards_of(file_, line_, expression)) {
        made.push_back({each, value(each.right)});
    }
    std::string given = text_in_kernel(expression);
    if (!made.empty() || given.empty()) return made;
    const IndexSource kernel = kernel_line();
    if (given.front() == '(') given = given.substr(1, given.size() - 2);
    for (const Guard& each : guards_of(kernel.file_, kernel.line_, given)) {
        made.push_back({each, kernel.value(each.right)});
    }
    return made;
}

/// A member of an object that the launch has passed.
std::optional<std::int64_t> IndexSource::member_value(const std::string& object,
                                                      const std::string& member) const {
    for (const emulator::LaunchArgument& each : run_.arguments) {
        const std::string parameter = function_.parameter(each.position);
        if (each.kind != emulator::LaunchArgument::Kind::object ||
            parameter_name(parameter) != object) {
            continue;
        }
        const std::string type = type_of_object(parameter);
        if (type.empty()) return std::nullopt;
        return integer_member(file_, type, member, each.pointer, each.bytes);
    }
    return std::nullopt;
}

/// A parameter of the kernel's template: 16 for "T" of "tile<16>", of template <int T>.
std::optional<std::int64_t> IndexSource::template_value(const std::string& name) const {
    constexpr int kMaxLines = 3;  // from "template" to "__global__"
    const std::string& kernel = run_.launched.name;
    const std::size_t open = kernel.find('<');
    if (open == std::string::npos) return std::nullopt;
    for (int line = function_.line; line > std::max(0, function_.line - kMaxLines); --line) {
        const std::string code = code_line(file_, line);
        const std::size_t begin = find_word(code, "template");
        if (begin == std::string::npos && line != function_.line &&
            code.find_first_of(";}") != std::string::npos) {
            return std::nullopt;  // the end of what comes before it
        }
        const std::size_t first = begin == std::string::npos ? begin : code.find('<', begin);
        if (first == std::string::npos) continue;
        const std::vector<std::string> names = split(code, first + 1, ">");
        const std::vector<std::string> values = split(kernel, open + 1, ">");
        for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) {
            const bool is_number = values[i].find_first_not_of("0123456789u") == std::string::npos;
            if (is_number && !values[i].empty() && parameter_name(names[i]) == name) {
                return std::strtoll(values[i].c_str(), nullptr, 10);
            }
        }
        return std::nullopt;
    }
    return std::nullopt;
}

std::string IndexSource::name_of(std::int64_t value) const {
    if (function_.is_kernel) {
        for (const emulator::LaunchArgument& each : run_.arguments) {
            const std::string parameter = function_.parameter(each.position);
            if (each.kind == emulator::LaunchArgument::Kind::number && each.number == value &&
                !parameter.empty()) {
                return parameter_name(parameter);
            }
        }
    }
    return std::to_string(value);
}

bool IndexSource::is_parameter(const std::string& name) const {
    return function_.is_kernel &&
           std::any_of(run_.arguments.begin(), run_.arguments.end(),
                       [&](const emulator::LaunchArgument& each) {
                           return each.kind == emulator::LaunchArgument::Kind::number &&
                                  parameter_name(function_.parameter(each.position)) == name;
                       });
}

bool IndexSource::is_uniform(const std::string& expression) const {
    for (const char* const size : {"blockDim.", "gridDim."}) {  // its x is no variable
        if (expression.rfind(size, 0) == 0 && expression.size() == std::strlen(size) + 1)
            return true;
    }
    const std::vector<std::string> names = names_in(expression);
    for (const char* const own : {"threadIdx", "blockIdx"}) {
        if (find_word(expression, own) != std::string::npos) return false;
    }
    if (!function_.is_kernel) {
        return value(expression).has_value() &&
               std::all_of(names.begin(), names.end(), [&](const std::string& name) {
                   const std::string given = text_in_kernel(name);
                   return given.empty() || kernel_line().is_uniform(given);
               });
    }
    return value(expression).has_value() &&
           std::all_of(names.begin(), names.end(), [&](const std::string& name) {
               const std::vector<std::string>& all = function_.parameters;
               const bool is_parameter = std::any_of(
                   all.begin(), all.end(),
                   [&](const std::string& each) { return parameter_name(each) == name; });
               return is_parameter || type_of(file_, line_, name).type.empty();
           });
}

std::vector<PassedPointer> IndexSource::all_passed(const Watched& memory) const {
    std::vector<PassedPointer> made;
    const auto add = [&](int position, std::uintptr_t pointer, bool is_member) {
        if (pointer < memory.begin || pointer > memory.begin + memory.bytes + kReach) return;
        made.push_back(
            {position, launch_argument(run_.launched.site, position), pointer, is_member});
    };
    for (const emulator::LaunchArgument& each : run_.arguments) {
        if (each.kind == emulator::LaunchArgument::Kind::data) {
            add(each.position, reinterpret_cast<std::uintptr_t>(each.pointer), false);
        }
        if (each.kind != emulator::LaunchArgument::Kind::object) continue;
        for (std::size_t at = 0; at + sizeof(void*) <= each.bytes; at += sizeof(void*)) {
            std::uintptr_t word = 0;
            std::memcpy(&word, static_cast<const char*>(each.pointer) + at, sizeof word);
            add(each.position, word, true);
        }
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const PassedPointer& one, const PassedPointer& other) {
                         return one.pointer < other.pointer;
                     });
    return made;
}

bool IndexSource::names_parameter(int position) const {
    const std::string name = parameter_name(function_.parameter(position));
    return !name.empty() && find_word(code_line(file_, line_), name) != std::string::npos;
}

std::optional<std::uintptr_t> IndexSource::start_of(const IndexText& each) const {
    const std::optional<std::int64_t> index = each.position != 0 ? std::nullopt : value(each.index);
    if (!index) return std::nullopt;
    return access_.address - static_cast<std::uintptr_t>(*index) * access_.bytes;
}

PassedPointer IndexSource::passed(const Watched& memory) const {
    std::vector<PassedPointer> all = all_passed(memory);
    if (all.empty()) return {};
    // The index tells how far it is from the pointer to the item.
    for (const IndexText& each : indexes_) {
        const std::optional<std::uintptr_t> from = start_of(each);
        if (!from) continue;
        for (const PassedPointer& one : all) {
            if (one.pointer == *from) return one;
        }
    }
    // Only those whose parameters the line names.
    if (function_.is_kernel) {
        std::vector<PassedPointer> named;
        std::copy_if(all.begin(), all.end(), std::back_inserter(named),
                     [&](const PassedPointer& one) { return names_parameter(one.position); });
        if (!named.empty()) all = std::move(named);
    }
    if (all.front().pointer == all.back().pointer) return all.front();
    const std::uintptr_t end = memory.begin + memory.bytes;
    for (std::size_t i = all.size(); i-- > 0;) {
        if (all[i].pointer <= access_.address && all[i].pointer >= end) return all[i];
    }
    return {};
}

const Watched* IndexSource::array_meant() const {
    constexpr std::size_t kNear = std::size_t{1} << 20;
    for (const IndexText& each : indexes_) {
        const std::optional<std::uintptr_t> from = start_of(each);
        if (!from) continue;
        for (const emulator::LaunchArgument& argument : run_.arguments) {
            if (argument.kind != emulator::LaunchArgument::Kind::data ||
                reinterpret_cast<std::uintptr_t>(argument.pointer) != *from) {
                continue;
            }
            return run_.device.find_if([&](const Watched& one) {
                return *from - one.begin < one.bytes &&
                       access_.address - one.begin < one.bytes + kNear;
            });
        }
    }
    return nullptr;
}

std::string IndexSource::allocating_call(const Watched& memory) const {
    constexpr int kMaxLines = 100;
    const emulator::Site launch = run_.launched.site;
    if (launch.file == nullptr || memory.site.file == nullptr) return {};
    const std::string maker = host_function_around(memory.site.file, memory.site.line);
    const std::vector<std::string> names = names_in(passed(memory).text);
    if (maker.empty() || names.empty()) return {};
    if (maker == host_function_around(launch.file, launch.line)) return {};
    for (int line = launch.line - 1; line > 0 && line > launch.line - kMaxLines; --line) {
        const std::string code = code_line(launch.file, line);
        const std::size_t variable = find_word(code, names.front()), call = find_word(code, maker);
        if (variable == std::string::npos || call == std::string::npos) continue;
        // "Buffer<int> rows(n)", or "rows = upload(n)", or "reserve(&rows, n)"
        const std::size_t after = variable + names.front().size();
        const bool is_object = call < variable && after < code.size() && code[after] == '(';
        const std::size_t begin = is_object ? variable : call;
        const std::size_t open = code.find('(', begin);
        if (open == std::string::npos) return {};
        return fmt::format("{} in line {}", code.substr(begin, after_bracket(code, open) - begin),
                           line);
    }
    return {};
}

const IndexText* IndexSource::index_to(const Watched& memory) const {
    const std::vector<PassedPointer> all = all_passed(memory);
    for (const IndexText& each : indexes_) {
        const std::optional<std::uintptr_t> from = start_of(each);
        if (!from) continue;
        const bool is_it = std::any_of(
            all.begin(), all.end(), [&](const PassedPointer& one) { return one.pointer == *from; });
        if (is_it) return &each;
    }
    // Of those with unknown values, the only one of a parameter that leads there.
    const IndexText* found = nullptr;
    for (const IndexText& each : indexes_) {
        const bool is_other =
            value(each.index).has_value() ||
            (function_.is_kernel && !all.empty() &&
             std::none_of(all.begin(), all.end(), [&](const PassedPointer& one) {
                 return one.is_member ||
                        parameter_name(function_.parameter(one.position)) == each.array;
             }));
        if (is_other || each.position != 0) continue;
        // "x[i + 1] - x[i]": the first one leaves the array first.
        const auto is_above = [](const IndexText& one, const IndexText& other) {
            return one.array == other.array && one.index.rfind(other.index + " + ", 0) == 0;
        };
        if (found != nullptr && is_above(*found, each)) continue;
        if (found != nullptr && found->index != each.index && !is_above(each, *found))
            return nullptr;
        found = &each;
    }
    return found;
}

const IndexText* IndexSource::index_from(std::uintptr_t begin) const {
    const IndexText* found = nullptr;
    for (const IndexText& each : indexes_) {
        const std::optional<std::uintptr_t> from = start_of(each);
        if (from == begin) return &each;
        if (from || each.position != 0) continue;
        if (found != nullptr && found->index != each.index) return nullptr;
        found = &each;
    }
    return found;
}

/// How often the function says a name, with its parameters.
int IndexSource::uses_of(const std::string& name) const {
    constexpr int kMaxLines = 200;
    int uses = 0;
    for (int line = function_.line; line < function_.line + kMaxLines; ++line) {
        const std::string code = code_line(file_, line);
        if (line > line_ && (find_word(code, "__global__") != std::string::npos ||
                             find_word(code, "__device__") != std::string::npos ||
                             find_word(code, "main") != std::string::npos)) {
            break;
        }
        uses += static_cast<int>(words_at(code, name).size());
    }
    return uses;
}

std::string IndexSource::atomic_origin(const std::string& index, std::int64_t item,
                                       std::int64_t items) const {
    const std::size_t at = index.find("atomic");
    const std::size_t open = at == std::string::npos ? at : index.find('(', at);
    if (open == std::string::npos) return {};
    const std::string name = name_before(index, open);
    const std::vector<std::string> given = split(index, open + 1, ")");
    if (given.size() < 2) return {};
    if (name.rfind("atomicInc", 0) == 0 && value(given[1]) == item && item == items) {
        return fmt::format(
            "{}({}, {}) returns 0 to {}, and only then 0 again: these are {} values. Give it {} - "
            "1.",
            name, given[0], given[1], given[1], items + 1, given[1]);
    }
    const bool is_down = name.rfind("atomicSub", 0) == 0 || name.rfind("atomicDec", 0) == 0 ||
                         (name.rfind("atomicAdd", 0) == 0 && given[1].front() == '-');
    if (item < 0 && is_down) {
        return fmt::format(
            "It comes from what {} has returned: use the item only if that was not 0. A test "
            "before the operation does\nnot help, another thread may come between the two.",
            name);
    }
    if (name.rfind("atomicAdd", 0) != 0 || run_.worker == nullptr) return {};
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    const std::int64_t threads = static_cast<std::int64_t>(shape.threads());
    const std::int64_t earlier =
        emulator::order() == emulator::Order::forward
            ? static_cast<std::int64_t>(run_.block->index * run_.block->block->indices.size()) +
                  run_.number
            : threads;
    const bool is_by_one = without_blanks(given[1]) == "1" || without_blanks(given[1]) == "1u";
    if (is_by_one && item > earlier && !names_in(given[0]).empty() &&
        uses_of(names_in(given[0]).front()) <= 2 && function_.is_kernel &&
        !is_in_loop(file_, line_, line_)) {
        return fmt::format(
            "It is what {} has returned, and {}{} came before this one: {} was not 0 "
            "when the launch\nin line {} began. Set it to 0 before each launch.",
            name, earlier == 0 ? "no" : fmt::format("only {}", earlier),
            earlier < 2 ? " thread" : " threads",
            given[0].front() == '&' ? given[0].substr(1) : "*" + given[0], run_.launched.site.line);
    }
    return {};
}

std::string IndexSource::origin_of(const std::string& index, std::int64_t item,
                                   std::int64_t items) const {
    for (const std::string& name : names_in(index)) {
        const TypeText type = type_of(file_, line_, name);
        if (item < 0 && item >= -32768 && is_short(type.type)) {
            return fmt::format(
                "{} is a {} (line {}), which holds -32768 to 32767: declare it as int.", name,
                type.type, type.line);
        }
        if (item >= 0 || !is_unsigned(type.type)) continue;
        for (const Guard& guard : guards_of(file_, line_, name)) {
            if (guard.operation != ">=" || guard.right != "0") continue;
            return fmt::format(
                "{} >= 0 in line {} is always true, because {} is unsigned: after 0 comes the "
                "largest number. Declare it\nas int.",
                name, guard.line, name);
        }
    }
    if (item == items && run_.launched.site.file != nullptr) {
        const emulator::Site& launch = run_.launched.site;
        std::string made = inclusive_place(file_, line_, index, launch.file, launch.line);
        if (!made.empty()) return made;
    }
    return atomic_origin(index, item, items);
}

/// An int of which cudaMemset has set each byte.
std::string IndexSource::filled_origin(std::int64_t item) const {
    const std::uint32_t word = static_cast<std::uint32_t>(item);
    const std::uint32_t byte = word & 0xffu;
    if (byte == 0 || byte == 0xffu || word != byte * 0x01010101u || item != word) return {};
    for (std::size_t i = run_.fills.size(); i-- > 0;) {
        const Filled& each = run_.fills[i];
        if (each.is_copy) continue;
        const Watched* const memory = run_.device.find_if([&](const Watched& one) {
            return each.begin - one.begin < one.bytes && one.kind != emulator::MemoryKind::symbol;
        });
        if (memory == nullptr) continue;
        const unsigned char* const set = reinterpret_cast<const unsigned char*>(each.begin);
        const bool is_it =
            std::any_of(set, set + each.bytes, [&](unsigned char one) { return one == byte; });
        if (!is_it) continue;
        return fmt::format(
            "{} is 0x{:08x}: {} in line {} has set each byte to {}, not each int. Set the ints in "
            "a kernel, or copy them.",
            item, word, each.call, each.site.line, byte);
    }
    return {};
}

std::string IndexSource::thread_number_fault(int other) const {
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    const unsigned extents[] = {shape.block.x, shape.block.y, shape.block.z};
    const auto axis_of = [&](const std::string& term) {
        const std::string defined = definition(file_, line_, term);
        std::string text = without_blanks(defined.empty() ? term : defined);
        if (text.rfind("int(", 0) == 0 && text.back() == ')') text = text.substr(4, 11);
        constexpr char kBuiltin[] = "threadIdx.";
        const bool is_axis = text.rfind(kBuiltin, 0) == 0 && text.size() == sizeof kBuiltin;
        return is_axis ? text.back() - 'x' : -1;
    };
    const auto number_in = [&](int thread, int axis) {
        for (int i = 0; i < axis; ++i) thread /= static_cast<int>(extents[i]);
        return thread % static_cast<int>(extents[axis]);
    };
    for (const IndexText& each : indexes_) {
        int at = line_;
        const bool is_name = names_in(each.index) == std::vector<std::string>{each.index};
        const std::string text = is_name ? definition(file_, line_, each.index, &at) : each.index;
        const IndexTerms terms = index_terms(text);
        if (terms.products.size() != 1 || terms.singles.size() != 1) continue;
        const auto& [one, two] = terms.products.front();
        const bool is_first = axis_of(one) >= 0;
        const std::string &row = is_first ? one : two, &factor = is_first ? two : one;
        const int rows = axis_of(row), columns = axis_of(terms.singles.front());
        const std::optional<std::int64_t> by = value(factor);
        if (rows < 0 || columns < 0 || columns > 2 || rows == columns || !by) continue;
        const auto index = [&](int thread) {
            return number_in(thread, rows) * *by + number_in(thread, columns);
        };
        if (index(other) != index(run_.number) || *by >= extents[columns]) continue;
        return fmt::format(
            "{} is {}{} {} multiplies {}\nby {}{}, but there are {} values of {}: multiply by "
            "blockDim.{}.",
            is_name ? each.index : "The index", index(other), kInBothThreads, at, row, factor,
            factor == std::to_string(*by) ? "" : fmt::format(" = {}", *by), extents[columns],
            terms.singles.front(), static_cast<char>('x' + columns));
    }
    return {};
}

std::string IndexSource::beyond_row() const {
    for (const IndexText& each : indexes_) {
        const IndexTerms terms = index_terms(each.index);
        if (terms.products.size() != 1 || terms.singles.empty()) continue;
        const auto& [one, two] = terms.products.front();
        const std::string &length = is_uniform(two) ? two : one, &column = terms.singles.front();
        const std::optional<std::int64_t> items = value(length), at = value(column);
        std::string sum;
        for (const std::string& term : terms.singles) sum += fmt::format("+({})", term);
        if (value(sum.substr(1)).value_or(0) < items.value_or(1)) continue;
        if (!is_uniform(length) || is_uniform(column) || !items || !at || *items < 2 ||
            *at < *items || !is_computed_from(file_, line_, column, "threadIdx"))
            continue;
        const bool is_number = length == std::to_string(*items);
        return fmt::format(
            "A row has {}{} items, and a thread with {} >= {}\nuses those of the "
            "next row: let only threads with {} < {} load and store.",
            length, is_number ? "" : fmt::format(" = {}", *items), column, length, column, length);
    }
    return {};
}

/// The direction of a thread's number in the grid: 0 of "x" after "int x = blockIdx.x * blockDim.x
/// + threadIdx.x;"; -1: it is no such number.
int IndexSource::axis_of(const std::string& term) const {
    const std::string defined = definition(file_, line_, term);
    const IndexTerms terms = index_terms(defined.empty() ? term : defined);
    if (terms.products.size() != 1 || terms.singles.size() != 1) return -1;
    const auto& [one, two] = terms.products.front();
    for (const char axis : {'x', 'y', 'z'}) {
        const std::string block = fmt::format("blockIdx.{}", axis);
        const std::string size = fmt::format("blockDim.{}", axis);
        if (terms.singles.front() == fmt::format("threadIdx.{}", axis) &&
            ((one == block && two == size) || (one == size && two == block))) {
            return axis - 'x';
        }
    }
    return -1;
}

std::string IndexSource::stride_fault(std::int64_t items) const {
    for (const IndexText& each : indexes_) {
        const bool is_name = names_in(each.index) == std::vector<std::string>{each.index};
        const std::string defined = is_name ? definition(file_, line_, each.index) : "";
        const std::string& index = defined.empty() ? each.index : defined;
        const IndexTerms terms = index_terms(index);
        std::string row, factor;
        std::optional<std::int64_t> least;
        for (const auto& [one, other] : terms.products) {
            const bool is_first = is_uniform(one) && !is_uniform(other);
            const std::optional<std::int64_t> by = value(is_first ? one : other);
            if (!is_uniform(is_first ? one : other) || !by || (least && *least <= *by)) continue;
            least = by;
            row = is_first ? other : one;
            factor = is_first ? one : other;
        }
        if (!least || *least < 2) continue;
        for (const std::string& single : terms.singles) {
            for (const Guard& guard : guards_of(file_, line_, single)) {
                const std::optional<std::int64_t> limit = value(guard.right);
                if (guard.operation != "<" || !limit || *limit <= *least ||
                    !is_uniform(guard.right))
                    continue;
                const std::vector<Guard> rows = guards_of(file_, line_, row);
                const bool is_whole = *limit * *least == items ||
                                      std::any_of(rows.begin(), rows.end(), [&](const Guard& each) {
                                          return each.operation == "<" &&
                                                 value(each.right).value_or(0) * *limit == items;
                                      });
                if (items != 0 && !is_whole) continue;
                return fmt::format(
                    "{} goes up to {} = {}, but {} is multiplied by {} = {}\nin the index {}: "
                    "different threads get one "
                    "item. Multiply {} by {}.",
                    single, guard.right, *limit, row, factor, *least, index, row, guard.right);
            }
            const int across = axis_of(single), down = axis_of(row);
            if (across < 0 || down < 0 || !guards_of(file_, line_, single).empty()) continue;
            const emulator::LaunchShape& shape = run_.worker->launch->shape;
            const unsigned grid[] = {shape.grid.x, shape.grid.y, shape.grid.z};
            const unsigned block[] = {shape.block.x, shape.block.y, shape.block.z};
            const std::int64_t columns = std::int64_t{grid[across]} * block[across];
            const std::int64_t rows = std::int64_t{grid[down]} * block[down];
            if (columns <= *least || rows < 2 || (items != 0 && columns * rows != items)) continue;
            const std::string length = name_of(columns);
            const char axis = static_cast<char>('x' + across);
            return fmt::format(
                "{} has {} values, but {} is multiplied by {}{}\nin the index {}: different "
                "threads get one item.\nMultiply {} by the length of a row: {}.",
                single, columns, row, factor,
                factor == std::to_string(*least) ? "" : fmt::format(" = {}", *least), index, row,
                length != std::to_string(columns)
                    ? length
                    : fmt::format(
                          "gridDim.{0} * blockDim.{0}, if each thread has an item of its own",
                          axis));
        }
    }
    return {};
}

std::string IndexSource::row_pointers() const {
    for (const emulator::LaunchArgument& each : run_.arguments) {
        const std::string parameter = function_.parameter(each.position);
        if (each.kind != emulator::LaunchArgument::Kind::data || !function_.is_kernel) continue;
        const std::string name = parameter_name(parameter);
        const bool is_used = std::any_of(
            indexes_.begin(), indexes_.end(),
            [&](const IndexText& one) { return one.array == name && one.position != 0; });
        const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(each.pointer);
        const Watched* const memory =
            run_.device.find_if([&](const Watched& one) { return at - one.begin < one.bytes; });
        const std::size_t stars = without_blanks(parameter).find("**");
        if (!is_used || stars == std::string::npos || memory == nullptr) continue;
        return fmt::format(
            "{} is a pointer to pointers, and {} in line {} gave the memory that argument {} of "
            "the launch points to: it\nholds no addresses of rows. If it is one flat array, take "
            "{}* {} and use {}[row * columns + column].",
            name, memory->call, memory->site.line, each.position,
            trimmed(parameter.substr(0, parameter.find('*'))), name, name);
    }
    return {};
}

std::string IndexSource::unset_origin() const {
    constexpr std::uint32_t kUnset = 0xfefefefeu;  // what the compiler fills variables with
    for (const UnsetText& each : variables_without_value(file_, line_)) {
        for (const IndexText& index : indexes_) {
            if (find_word(index.index, each.name) == std::string::npos) continue;
            return fmt::format(
                "The index is computed from {}, which line {} declares without a value:\n"
                "give it one there, such as 0.",
                each.name, each.line);
        }
    }
    const Place at = kernel_place_of(access_.site);
    const std::string name = run_.launched.name.substr(0, run_.launched.name.find('<'));
    FunctionText kernel = function_around(at.file, at.line);
    for (int line = 1; !kernel.is_kernel && line <= line_count(at.file); ++line) {
        const FunctionText other = function_around(at.file, line);
        if (other.is_kernel && other.name == name) kernel = other;
    }
    for (const emulator::LaunchArgument& each : run_.arguments) {
        if (each.kind != emulator::LaunchArgument::Kind::object) continue;
        const std::string type = type_of_object(kernel.parameter(each.position));
        for (std::size_t offset = 0; offset + 4 <= each.bytes; offset += 4) {
            std::uint32_t word = 0;
            std::memcpy(&word, static_cast<const char*>(each.pointer) + offset, sizeof word);
            const std::string member =
                word == kUnset ? integer_at(at.file, type, offset, each.bytes) : std::string();
            if (member.empty()) continue;
            const std::string text = launch_argument(run_.launched.site, each.position);
            return fmt::format(
                "Argument {} of the launch in line {} has a member that was never set, and the "
                "index depends on it:\nset {}.{} before the launch.",
                each.position, run_.launched.site.line, text.empty() ? "its" : text, member);
        }
    }
    return {};
}

std::string IndexSource::far_origin(std::int64_t* item) const {
    for (const emulator::LaunchArgument& each : run_.arguments) {
        const bool is_named = !function_.is_kernel || names_parameter(each.position);
        if (each.kind != emulator::LaunchArgument::Kind::data || !is_named) continue;
        const std::int64_t apart =
            static_cast<std::int64_t>(access_.address) -
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(each.pointer));
        if (apart % access_.bytes != 0) continue;
        *item = apart / access_.bytes;
        if (std::string made = filled_origin(*item); !made.empty()) return made;
    }
    return {};
}

std::string IndexSource::origin(std::int64_t item, std::int64_t items) const {
    if (std::string filled = filled_origin(item); !filled.empty()) return filled;
    for (const IndexText& each : indexes_) {
        if (std::string made = origin_of(each.index, item, items); !made.empty()) return made;
        for (const std::string& name : names_in(each.index)) {
            const std::string defined = definition(file_, line_, name);
            if (defined.empty()) continue;
            if (std::string made = origin_of(defined, item, items); !made.empty()) return made;
        }
    }
    if (item >= 0) return index_of_character(file_, line_, item);
    if (std::string negative = negative_index(file_, line_, item); !negative.empty()) {
        return negative;
    }
    std::string made;
    for (const IndexText& each : indexes_) {
        int at = line_;
        const std::string defined = definition(file_, line_, each.index, &at);
        const std::string& text = defined.empty() ? each.index : defined;
        const std::size_t minus = text.find('-');
        if (minus == std::string::npos || text.find_first_of("?[") != std::string::npos) continue;
        if (find_word(text, "max") < minus) {
            return fmt::format(
                "{} in line {} does not stop that: an unsigned number is never below 0.\nTest "
                "before the subtraction, as in i > 0 ? i - 1 : 0, or subtract as int.",
                text, at);
        }
        if (at == line_ || find_word(text, "min") < minus) continue;
        if (!made.empty()) return {};
        made = fmt::format(
            "{} = {} in line {} goes below 0: test before the subtraction, or use the item\nonly "
            "if the result is not below 0.",
            each.index, text, at);
    }
    return made;
}

}  // namespace lab
