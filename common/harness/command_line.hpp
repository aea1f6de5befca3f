// The command line of a chapter: what every chapter takes, and what one chapter adds; on one GPU or
// on several.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "inputs.hpp"
#include "options.hpp"

namespace tutorial {

/// An option of one chapter alone. Exactly one of the three pointers is set: it holds the default
/// and receives the value.
struct ChapterOption {
    std::string name;  ///< as typed, e.g. "--type"
    std::string help;
    bool* flag = nullptr;
    std::string* choice = nullptr;
    std::vector<std::string> choices = {};
    std::size_t* number = nullptr;
    std::size_t least = 0;
    std::size_t most = 0;
};

/// What the command line of a chapter may contain.
struct CommandLine {
    std::string program;  ///< the chapter's name
    std::string title;
    std::string item;  ///< what n counts
    std::size_t default_n = 0;
    std::size_t max_n = 0;
    std::string why_max_n;  ///< a clause for the message about a larger n
    std::vector<ChapterOption> extra = {};
    std::vector<std::string> inputs = input_kinds();  ///< what --input takes
    bool has_stages = true;  ///< a table of stages: --stage, --list, --faults and the like
};

struct ParsedLine {
    Options options;
    std::string help;  ///< not empty: --help was asked for, and this is the answer
};

/// Throws UsageError, one line, for anything wrong in it.
ParsedLine parse_command_line(const CommandLine& line, int argc, const char* const* argv);

/// The words of each line of a file of options: text after a # is a comment, empty lines are left
/// out; a line with only "--" is a run without options. Throws UsageError if it cannot be read or
/// contains no line.
std::vector<std::vector<std::string>> read_batch(const std::string& file);

/// The values of the chapter's own options, to be restored before the next line of a batch.
class ChapterValues {
  public:
    explicit ChapterValues(const std::vector<ChapterOption>& options);
    void put_back() const;

  private:
    struct Value {
        bool flag;
        std::string choice;
        std::size_t number;
    };
    std::vector<ChapterOption> options_;
    std::vector<Value> values_;
};

/// The chapter's own options as one field of the CSV: "type=float bits=8".
std::string chapter_options_text(const std::vector<ChapterOption>& extra);

}  // namespace tutorial
