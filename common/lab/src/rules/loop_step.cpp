// A loop over the items of an array that several blocks run, each over the items of the others; or
// that each thread runs by a step of its own.
#include <fmt/format.h>

#include <algorithm>

#include "index_source.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

/// "i += step" in a line of the loop.
struct Step {
    std::string name, by;
    int line = 0;
};
Step step_of(const std::string& file, int head, int end) {
    for (int line = head; line <= end; ++line) {
        const std::string code = without_blanks(code_line(file, line));
        for (std::size_t at = code.find('='); at != std::string::npos;
             at = code.find('=', at + 1)) {
            // "i += step", "i = i + step"
            const std::size_t end = at != 0 && code[at - 1] == '+' ? at - 1 : at;
            const std::string name = name_before(code, end);
            const std::size_t from = end != at ? at + 1 : at + name.size() + 2;
            if (name.empty() || (end == at && code.compare(at + 1, name.size() + 1, name + "+")))
                continue;
            const std::string condition = line == head ? code : code_line(file, head);
            if (find_word(condition, name) == std::string::npos) continue;
            const std::vector<std::string> parts = split(code + ")", from, ")");
            const std::string by = parts.empty() ? std::string() : parts.front();
            return {name, by.substr(0, by.find(';')), line};
        }
    }
    return {};
}

}  // namespace

std::string IndexSource::step_of_one_block(bool is_between_blocks) const {
    const emulator::LaunchShape& shape = run_.worker->launch->shape;
    for (int head = loop_around(file_, line_), inner = line_; head != 0;
         inner = head, head = inner > 1 ? loop_around(file_, inner - 1) : 0) {
        const Step step = step_of(file_, head, end_of_loop(file_, head, inner));
        const std::optional<std::int64_t> by =
            step.line == 0 ? std::nullopt
                           : SourceValues(file_, head, [this](const std::string& name) {
                                 return value_of_name(name);
                             }).of(step.by);
        if (!by) continue;
        const auto comes_from = [&](const std::string& text, const char* variable) {
            return is_computed_from(file_, head, text, variable);
        };
        // Multiples of a number of the thread's own are those of other threads as well.
        if (comes_from(step.by, "threadIdx")) {
            const Place own = place_of(access_.site);
            const std::string operation = operation_for(own.file, own.line);
            if (operation.empty()) return {};
            return fmt::format(
                "In the loop of line {} each thread goes on by a step of its own,\n{}, so several "
                "threads come to the same item: use {} in line {}.{}",
                head, step.by, operation, own.line,
                access_.bytes < 4 ? "\nThere are no such operations for single bytes: make it an "
                                    "array of int."
                                  : "");
        }
        std::string begin = definition(file_, head, step.name);
        const bool has_thread = comes_from(begin, "threadIdx"),
                   has_block = comes_from(begin, "blockIdx");
        // Parts of the array for each block end where those of the next one begin.
        const std::string code = code_line(file_, head);
        const std::size_t test = code.find(';');
        const std::string limit = test == std::string::npos
                                      ? condition_of(code)
                                      : code.substr(test, code.find(';', test + 1) - test);
        const bool is_part =
            comes_from(limit.substr(std::min(limit.find('<'), limit.size())), "blockIdx");
        if (!has_thread || is_part) continue;
        const bool is_y = comes_from(begin, "threadIdx.y");
        const char axis = is_y ? 'y' : 'x';
        const std::int64_t blocks = is_y ? shape.grid.y : shape.grid.x;
        const std::int64_t threads = is_y ? shape.block.y : shape.block.x;
        // A block may do all items in memory of its own.
        const bool is_own = !has_block && (!is_between_blocks ||
                                           is_index_computed_from(file_, line_, "", "blockIdx"));
        // Another number is no number of threads: it belongs to the data.
        const bool is_of_threads =
            *by == threads || (*by == blocks && comes_from(step.by, "gridDim"));
        if (blocks < 2 || !is_of_threads || is_own || run_.is_shared(access_.address)) continue;
        std::string made = fmt::format(
            "The loop in line {} goes on by {}{},\nand {} blocks of {} threads run it, so several "
            "blocks do the same items: ",
            head, step.by, step.by == std::to_string(*by) ? "" : fmt::format(" = {}", *by), blocks,
            threads);
        const std::string all = fmt::format("blockDim.{0} * gridDim.{0}", axis);
        if (has_block) return made + fmt::format("go on by\n{}, all threads of the grid.", all);
        return made +
               fmt::format(
                   "begin with\nblockIdx.{0} * blockDim.{0} + threadIdx.{0}, and go on by {1}. If "
                   "each block\nis to do all of them, it needs an array of its own.",
                   axis, all);
    }
    return {};
}

}  // namespace lab
