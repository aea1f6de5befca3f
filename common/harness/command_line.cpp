#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <fstream>
#include <list>
#include <sstream>

#include "backend.hpp"
#include "fmt.hpp"
#include "text.hpp"

namespace tutorial {
namespace {

const std::vector<std::string> kOrders = {"forward", "reverse", "shuffle"};

/// An option of CLI11 whose value is taken as text: this file knows what it means, so it can say
/// better what is wrong with it.
struct TextOption {
    std::string name;
    std::string text;
    CLI::Option* option = nullptr;

    bool given() const { return option->count() > 0; }
};

bool is_one_of(const std::string& value, const std::vector<std::string>& allowed) {
    return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

void require_one_of(const std::string& option, const std::string& value,
                    const std::vector<std::string>& allowed) {
    if (is_one_of(value, allowed)) return;
    throw UsageError(fmt::format("{}: unknown value '{}'; allowed: {}", option, value,
                                 fmt::join(allowed, ", ")));
}

std::size_t size_value(const std::string& option, const std::string& text) {
    try {
        return parse_size(text);
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

std::uint64_t seed_value(const std::string& text) {
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), [](char character) {
        return std::isdigit(static_cast<unsigned char>(character));
    });
    try {
        if (digits) return std::stoull(text);
    } catch (const std::out_of_range&) {
    }
    throw UsageError(
        fmt::format("--seed: '{}' is not a whole number from 0 to {}", text, UINT64_MAX));
}

/// CLI11's options of one chapter, and the texts they fill.
class Parser {
  public:
    explicit Parser(const CommandLine& line) : line_(line), app_(line.title, line.program) {
        app_.allow_extras();  // reported in our own words
        n_ = add("--n", "N",
                 fmt::format("number of {}s: 1000, 64k, 1M (powers of 1024), 2^20, 2^20+3; "
                             "default {}{}; at most {}",
                             line.item, format_size(line.default_n),
                             line.has_stages ? ", with --faults half as many" : "",
                             format_size(line.max_n)));
        input_ = add("--input", "KIND",
                     fmt::format("kind of input: {}; default {}", fmt::join(line.inputs, ", "),
                                 options_.input));
        seed_ = add("--seed", "S", fmt::format("seed of the input; default {}", options_.seed));
        csv_ = add("--csv", "FILE", "append the results to this file");
        if (line.has_stages) add_stage_options();
        for (const ChapterOption& extra : line.extra) add_extra(extra);
    }

    ParsedLine parse(int argc, const char* const* argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            return {{}, app_.help()};
        } catch (const CLI::ParseError& error) {
            throw UsageError(fmt::format("{}; --help lists the options", error.what()));
        }
        const std::vector<std::string> unknown = app_.remaining();
        if (!unknown.empty()) {
            throw UsageError(
                fmt::format("unknown option '{}'; --help lists the options", unknown.front()));
        }
        require_values();
        read_values();
        return {options_, {}};
    }

  private:
    /// The options of a table of stages.
    void add_stage_options() {
        stage_ = app_.add_option("--stage", options_.stages, "run only these stages; see --list")
                     ->expected(0, -1)
                     ->delimiter(',')
                     ->type_name("NAME");
        batch_ = add("--batch", "FILE", "run once for each line of options in this file");
        app_.add_flag("--list", options_.list, "list the stages and stop");
        app_.add_flag("--explain", options_.explain, "show what each source line does to memory");
        app_.add_flag("--faults", options_.faults,
                      "look for races, accesses out of bounds and the like");
        trace_ = add("--trace", "FILE",
                     "write each access of each thread to this file, for small n; also looks for "
                     "faults");
        app_.add_flag("--json", options_.json, "with --explain: as JSON");
        app_.add_flag("--once", options_.once,
                      "run and check each stage once, time nothing; a profiler sees only that run");
        order_ = add("--order", "ORDER",
                     fmt::format("order in which the emulator runs the threads: {}; "
                                 "default {}",
                                 fmt::join(kOrders, ", "), options_.order));
        if (!on_emulator()) order_->option->group("");  // known, but not listed in --help
    }

    /// If given twice, the last one counts, so that a script's defaults can be overridden.
    TextOption* add(const std::string& name, const std::string& value, const std::string& help) {
        texts_.emplace_back();
        TextOption& added = texts_.back();
        added.name = name;
        added.option = app_.add_option(name, added.text, help)
                           ->type_name(value)
                           ->expected(0, 1)
                           ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        return &added;
    }

    /// CLI11 would say the same in terms of its own.
    void require_values() {
        for (const TextOption& text : texts_) {
            if (!text.given() || !text.text.empty()) continue;
            throw UsageError(fmt::format("{}: a value is missing", text.name));
        }
        const bool no_stage = std::any_of(options_.stages.begin(), options_.stages.end(),
                                          [](const std::string& name) { return name.empty(); });
        const bool is_asked = stage_ != nullptr && stage_->count() > 0;
        if (no_stage || (is_asked && options_.stages.empty())) {
            throw UsageError("--stage: a name is missing; --list lists the stages");
        }
    }

    void add_extra(const ChapterOption& extra) {
        if (extra.flag != nullptr) {
            app_.add_flag(extra.name, *extra.flag, extra.help);
        } else if (extra.choice != nullptr) {
            extras_.push_back(add(extra.name, "VALUE",
                                  fmt::format("{}: {}; default {}", extra.help,
                                              fmt::join(extra.choices, ", "), *extra.choice)));
        } else {
            extras_.push_back(add(extra.name, "N",
                                  fmt::format("{}: {} to {}; default {}", extra.help, extra.least,
                                              extra.most, *extra.number)));
        }
    }

    void read_stage_values() {
        if (batch_->given()) options_.batch = batch_->text;
        if (trace_->given()) options_.trace = trace_->text;
        if (!order_->given()) return;
        if (!on_emulator()) {
            throw UsageError("--order works only on the emulator");
        }
        require_one_of("--order", order_->text, kOrders);
        options_.order = order_->text;
    }

    void read_values() {
        // Finding faults means searching each access's history, which takes time; a few items are
        // enough.
        const std::size_t usual = options_.faults ? (line_.default_n + 1) / 2 : line_.default_n;
        options_.n = n_->given() ? size_value("--n", n_->text) : usual;
        if (options_.n > line_.max_n) {
            throw UsageError(fmt::format("--n: {} is too many: {} takes at most {} {}s{}{}",
                                         options_.n, line_.program, format_size(line_.max_n),
                                         line_.item, line_.why_max_n.empty() ? "" : ": ",
                                         line_.why_max_n));
        }
        if (input_->given()) {
            require_one_of("--input", input_->text, line_.inputs);
            options_.input = input_->text;
        }
        if (seed_->given()) options_.seed = seed_value(seed_->text);
        if (csv_->given()) options_.csv = csv_->text;
        if (line_.has_stages) read_stage_values();
        auto value = extras_.begin();
        for (const ChapterOption& extra : line_.extra) {
            if (extra.flag != nullptr) continue;
            const TextOption& text = **value++;
            if (!text.given()) continue;
            if (extra.choice != nullptr) {
                require_one_of(extra.name, text.text, extra.choices);
                *extra.choice = text.text;
                continue;
            }
            const std::size_t number = size_value(extra.name, text.text);
            if (number < extra.least || number > extra.most) {
                throw UsageError(fmt::format("{}: {} is not from {} to {}", extra.name, number,
                                             extra.least, extra.most));
            }
            *extra.number = number;
        }
    }

    const CommandLine& line_;
    CLI::App app_;
    Options options_;
    std::list<TextOption> texts_;  // a list: CLI11 keeps pointers to the texts
    std::vector<TextOption*> extras_;
    TextOption* n_ = nullptr;
    TextOption* input_ = nullptr;
    TextOption* seed_ = nullptr;
    TextOption* csv_ = nullptr;
    TextOption* batch_ = nullptr;
    TextOption* trace_ = nullptr;
    CLI::Option* stage_ = nullptr;
    TextOption* order_ = nullptr;
};

}  // namespace

ParsedLine parse_command_line(const CommandLine& line, int argc, const char* const* argv) {
    return Parser(line).parse(argc, argv);
}

std::vector<std::vector<std::string>> read_batch(const std::string& file) {
    std::ifstream stream(file);
    if (!stream) throw UsageError(fmt::format("--batch {}: cannot be read", file));
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream text(line.substr(0, line.find('#')));
        std::vector<std::string> words;
        for (std::string word; text >> word;) words.push_back(word);
        if (words.empty()) continue;
        if (words == std::vector<std::string>{"--"}) words.clear();
        lines.push_back(words);
    }
    if (lines.empty()) throw UsageError(fmt::format("--batch {}: contains no options", file));
    return lines;
}

ChapterValues::ChapterValues(const std::vector<ChapterOption>& options) : options_(options) {
    for (const ChapterOption& option : options_) {
        values_.push_back({option.flag != nullptr && *option.flag,
                           option.choice != nullptr ? *option.choice : std::string(),
                           option.number != nullptr ? *option.number : 0});
    }
}

void ChapterValues::put_back() const {
    for (std::size_t i = 0; i < options_.size(); ++i) {
        if (options_[i].flag != nullptr) *options_[i].flag = values_[i].flag;
        if (options_[i].choice != nullptr) *options_[i].choice = values_[i].choice;
        if (options_[i].number != nullptr) *options_[i].number = values_[i].number;
    }
}

std::string chapter_options_text(const std::vector<ChapterOption>& extra) {
    std::vector<std::string> words;
    for (const ChapterOption& option : extra) {
        const std::string name = option.name.substr(option.name.find_first_not_of('-'));
        if (option.flag != nullptr) {
            if (*option.flag) words.push_back(name);
        } else if (option.choice != nullptr) {
            words.push_back(fmt::format("{}={}", name, *option.choice));
        } else {
            words.push_back(fmt::format("{}={}", name, *option.number));
        }
    }
    return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace tutorial
