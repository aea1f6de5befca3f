#include "multi_gpu.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <list>

#include "../backend.hpp"
#include "../csv.hpp"
#include "../device_info.hpp"
#include "../fmt.hpp"
#include "../report.hpp"
#include "../text.hpp"
#include "link_counts.hpp"
#include "part_input.hpp"

namespace tutorial {
namespace {

/// --help was asked for: this is the answer.
struct HelpWanted {
    std::string text;
};

/// A wrong result; the line is printed already.
struct WrongResult {};

/// A failure that all ranks know of already, so no rank waits for another.
struct AgreedFailure {
    std::string text;
};

struct Extra {
    std::string name, help;
    bool* flag = nullptr;
    std::string* choice = nullptr;
    std::vector<std::string> choices;
    std::size_t* number = nullptr;
    std::size_t least = 0, most = 0;
};

struct Row {
    std::string name;
    double items = 0.0;
    Quartiles time;
    Verdict verdict;
};

/// Throws ResourceError where the device has too little for its share.
void require_memory(const MultiGpuExperiment& experiment) {
    const std::size_t needed = experiment.device_bytes();
    const std::size_t free = free_device_bytes();
    if (needed <= free) return;
    throw ResourceError(fmt::format("its share needs {} of device memory, and {} are free",
                                    format_bytes(needed), format_bytes(free)));
}

}  // namespace

struct MultiGpu::Impl {
    std::string name, title, item, one_gpu;
    std::size_t gpu_default = 0, cpu_default = 0, gpu_max = 0, cpu_max = 0;
    std::list<Extra> extras;
    bool same_n = false;

    MultiGpuOptions parse(int argc, char** argv, int ranks) const;
    std::string options_text() const;
    std::vector<Row> run_same_total(const MultiGpuOptions& options,
                                    const MakeMultiGpuExperiment& make) const;
    void run_rows(const MultiGpuOptions& options, const std::vector<Row>& same_total,
                  MultiGpuExperiment& experiment, Ranks& ranks) const;
    void print_counts(const std::string& row, Ranks& ranks) const;
    void print_estimates(const MultiGpuOptions& options, const MultiGpuExperiment& experiment,
                         const Ranks& ranks, const Links& links, double alone) const;
    void write_csv(const MultiGpuOptions& options, const std::vector<Row>& rows, const Ranks& ranks,
                   const Links& links, const Prediction& prediction) const;
};

MultiGpu::MultiGpu(std::string name, std::string title, std::string item)
    : impl_(std::make_unique<Impl>()) {
    impl_->name = std::move(name);
    impl_->title = std::move(title);
    impl_->item = std::move(item);
}

MultiGpu::~MultiGpu() = default;

MultiGpu& MultiGpu::sizes(std::size_t gpu_default, std::size_t cpu_default, std::size_t gpu_max,
                          std::size_t cpu_max) {
    impl_->gpu_default = gpu_default;
    impl_->cpu_default = cpu_default;
    impl_->gpu_max = gpu_max;
    impl_->cpu_max = cpu_max;
    return *this;
}

MultiGpu& MultiGpu::flag(const std::string& option, const std::string& help, bool& value) {
    impl_->extras.push_back({option, help, &value, nullptr, {}, nullptr, 0, 0});
    return *this;
}

MultiGpu& MultiGpu::choice(const std::string& option, const std::string& help,
                           const std::vector<std::string>& choices, std::string& value) {
    impl_->extras.push_back({option, help, nullptr, &value, choices, nullptr, 0, 0});
    return *this;
}

MultiGpu& MultiGpu::number(const std::string& option, const std::string& help, std::size_t& value,
                           std::size_t least, std::size_t most) {
    impl_->extras.push_back({option, help, nullptr, nullptr, {}, &value, least, most});
    return *this;
}

MultiGpu& MultiGpu::one_gpu(const std::string& stage) {
    impl_->one_gpu = stage;
    return *this;
}

MultiGpu& MultiGpu::same_n_on_more_gpus(bool value) {
    impl_->same_n = value;
    return *this;
}

MultiGpuOptions MultiGpu::Impl::parse(int argc, char** argv, int ranks) const {
    const bool cpu = on_emulator();
    const std::size_t max_n = cpu ? cpu_max : gpu_max;
    const std::size_t shares = same_n ? 1 : static_cast<std::size_t>(ranks);
    const std::size_t default_n = std::min((cpu ? cpu_default : gpu_default) * shares, max_n);
    MultiGpuOptions options;
    std::string n = std::to_string(default_n), seed = "1", samples = "15";
    CLI::App app(title, name);
    app.add_option(
           "--n", n,
           fmt::format("number of {}s of all ranks together: 1000, 64k, 2^20; default {} with so "
                       "many ranks, at most {}",
                       item, format_size(default_n), format_size(max_n)))
        ->type_name("N")
        ->take_last();
    app.add_option(
           "--input", options.input,
           fmt::format("kind of input: {}; default random", fmt::join(part_input_kinds(), ", ")))
        ->type_name("KIND")
        ->take_last();
    app.add_option("--seed", seed, "seed of the input; default 1")->type_name("S")->take_last();
    app.add_option("--samples", samples, "timed runs of each row, 1 to 1000; default 15")
        ->type_name("N")
        ->take_last();
    app.add_option("--csv", options.csv, "append the results to this file")
        ->type_name("FILE")
        ->take_last();
    app.add_flag("--estimate", options.estimate,
                 "what the alpha-beta model says, before the run and next to what was measured");
    app.add_flag("--same-total", options.same_total,
                 "one more row: one GPU with all N items, if it can hold them");
    std::list<std::string> numbers;
    std::vector<std::pair<const Extra*, const std::string*>> given;
    for (const Extra& extra : extras) {
        if (extra.flag != nullptr) app.add_flag(extra.name, *extra.flag, extra.help);
        if (extra.choice != nullptr) {
            app.add_option(extra.name, *extra.choice,
                           fmt::format("{}: {}; default {}", extra.help,
                                       fmt::join(extra.choices, ", "), *extra.choice))
                ->take_last();
        }
        if (extra.number != nullptr) {
            numbers.push_back(std::to_string(*extra.number));
            given.emplace_back(&extra, &numbers.back());
            app.add_option(extra.name, numbers.back(),
                           fmt::format("{}, {} to {}; default {}", extra.help, extra.least,
                                       extra.most, *extra.number))
                ->take_last();
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        throw HelpWanted{app.help()};
    } catch (const CLI::ParseError& error) {
        throw UsageError(fmt::format("{}; --help lists the options", error.what()));
    }
    const auto size_of = [](const std::string& option, const std::string& text, std::size_t least,
                            std::size_t most) {
        std::size_t value = 0;
        try {
            value = parse_size(text);
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}: {}", option, error.what()));
        }
        if (value < least || value > most) {
            throw UsageError(fmt::format("{} is {}; it must be {} to {}", option, text,
                                         format_size(least), format_size(most)));
        }
        return value;
    };
    const auto one_of = [](const std::string& option, const std::string& value,
                           const std::vector<std::string>& allowed) {
        if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
        throw UsageError(fmt::format("{}: unknown value '{}'; allowed: {}", option, value,
                                     fmt::join(allowed, ", ")));
    };
    options.n = size_of("--n", n, 0, max_n);
    options.seed = size_of("--seed", seed, 0, SIZE_MAX);
    options.samples = static_cast<int>(size_of("--samples", samples, 1, 1000));
    one_of("--input", options.input, part_input_kinds());
    for (const Extra& extra : extras) {
        if (extra.choice != nullptr) one_of(extra.name, *extra.choice, extra.choices);
    }
    for (const auto& [extra, text] : given) {
        *extra->number = size_of(extra->name, *text, extra->least, extra->most);
    }
    return options;
}

std::string MultiGpu::Impl::options_text() const {
    std::string text;
    for (const Extra& extra : extras) {
        text += text.empty() ? "" : " ";
        text += extra.name.substr(2) + "=";
        if (extra.flag != nullptr) text += *extra.flag ? "yes" : "no";
        if (extra.choice != nullptr) text += *extra.choice;
        if (extra.number != nullptr) text += std::to_string(*extra.number);
    }
    return text;
}

void MultiGpu::Impl::print_counts(const std::string& row, Ranks& ranks) const {
    const std::vector<LinkCount> all = ranks.gather_all(link_counts(ranks.size()));
    if (!ranks.is_first() || ranks.size() == 1) return;
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<std::vector<std::string>> table = {{"from", "to", "messages", "bytes"}};
    for (std::size_t from = 0; from < size; ++from) {
        for (std::size_t to = 0; to < size; ++to) {
            const LinkCount& count = all[from * size + to];
            if (count.messages == 0) continue;
            table.push_back({fmt::format("rank {}", from), fmt::format("rank {}", to),
                             std::to_string(count.messages), std::to_string(count.bytes)});
        }
    }
    fmt::print("\nWhat {} sent, counted (times on a CPU say nothing about a GPU):\n{}", row,
               text_table(table));
}

void MultiGpu::Impl::print_estimates(const MultiGpuOptions& options,
                                     const MultiGpuExperiment& experiment, const Ranks& ranks,
                                     const Links& links, double alone) const {
    const double n = static_cast<double>(options.n);
    fmt::print(
        "\nThe alpha-beta model, from what was measured here: a message takes {} and {}B/s "
        "each way; an all-reduce of 8 bytes {}\n",
        format_time(links.latency), format_rate(links.bandwidth),
        format_time(links.reduce_latency));
    std::vector<std::vector<std::string>> table = {
        {"GPUs", "n", "own work", "messages", "in all", "x one GPU"}};
    for (const int more : {1, ranks.size(), 8, 64, 1024}) {
        if (more < ranks.size() && more != 1) continue;
        if (table.size() > 2 && more == ranks.size()) continue;
        const double all = same_n ? n : n / ranks.size() * more;
        const Prediction prediction = experiment.predict(links, more, all, alone);
        const double rate = all / prediction.seconds();
        const double one = experiment.items_alone() / alone;
        table.push_back({std::to_string(more), format_rate(all), format_time(prediction.local),
                         format_time(prediction.messages), format_time(prediction.seconds()),
                         format_number(rate / one)});
    }
    fmt::print(
        "{}More GPUs than ran here: a model, not a measurement; all links as fast as this "
        "one.\n",
        text_table(table));
}

void MultiGpu::Impl::write_csv(const MultiGpuOptions& options, const std::vector<Row>& rows,
                               const Ranks& ranks, const Links& links,
                               const Prediction& prediction) const {
    if (options.csv.empty()) return;
    const DeviceInfo& device = device_info();
    CsvFile file(options.csv, {"chapter",
                               "date",
                               "device",
                               "cuda",
                               "driver",
                               "ranks",
                               "n",
                               "input",
                               "seed",
                               "options",
                               "row",
                               "items",
                               "seconds_median",
                               "seconds_lower_quartile",
                               "seconds_upper_quartile",
                               "samples",
                               "predicted_seconds",
                               "link_latency",
                               "link_bytes_per_second",
                               "reduce_latency",
                               "check"});
    const std::string date = utc_date();
    for (const Row& row : rows) {
        const bool together = &row == &rows.back();
        file.append({name,
                     date,
                     device.name,
                     std::to_string(device.cuda_version),
                     device.driver,
                     std::to_string(ranks.size()),
                     std::to_string(options.n),
                     options.input,
                     std::to_string(options.seed),
                     options_text(),
                     row.name,
                     fmt::format("{:.0f}", row.items),
                     fmt::format("{:.9g}", row.time.median),
                     fmt::format("{:.9g}", row.time.lower),
                     fmt::format("{:.9g}", row.time.upper),
                     std::to_string(row.time.samples),
                     together ? fmt::format("{:.9g}", prediction.seconds()) : "",
                     fmt::format("{:.9g}", links.latency),
                     fmt::format("{:.9g}", links.bandwidth),
                     fmt::format("{:.9g}", links.reduce_latency),
                     row.verdict.ok ? "ok" : row.verdict.message});
    }
}

/// What strong scaling is compared with: the row of one GPU with all n items, on this rank alone.
/// None where they are too many for it.
std::vector<Row> MultiGpu::Impl::run_same_total(const MultiGpuOptions& options,
                                                const MakeMultiGpuExperiment& make) const {
    Ranks alone = Ranks::alone();
    std::unique_ptr<MultiGpuExperiment> experiment;
    try {
        experiment = make(options, alone);
        require_memory(*experiment);
    } catch (const std::exception& error) {
        fmt::print("same_total: left out: {}\n", error.what());
        return {};
    }
    experiment->prepare();
    experiment->share_facts({});
    experiment->reset();
    experiment->run_alone();
    alone.wait();
    Row row = {"same_total", static_cast<double>(options.n), {}, experiment->check_alone()};
    if (row.verdict.ok && !on_emulator()) {
        row.time = time_together(
            alone, options.samples, [&] { experiment->reset(); }, [&] { experiment->run_alone(); });
        row.verdict = experiment->check_alone();
    }
    if (!row.verdict.ok) throw std::runtime_error("same_total: " + row.verdict.message);
    return {row};
}

void MultiGpu::Impl::run_rows(const MultiGpuOptions& options, const std::vector<Row>& same_total,
                              MultiGpuExperiment& experiment, Ranks& ranks) const {
    const DeviceInfo& device = device_info();
    const bool cpu = device.is_emulator;
    if (ranks.is_first()) {
        fmt::print(
            "{}: {}\n{} {}, one process each; {}\nn = {} {}s in all, input {}, seed {}{}{}\n", name,
            title, ranks.size(), cpu ? "devices of the emulator" : "x " + device.name, utc_date(),
            format_size(options.n), item, options.input, options.seed, extras.empty() ? "" : ", ",
            options_text());
        std::fflush(stdout);
    }
    const Links links = measure_links(ranks);
    experiment.share_facts(links);
    Prediction prediction;
    std::vector<Row> rows;
    for (const bool together : {false, true}) {
        Row row;
        row.name = together ? fmt::format("{}_gpu{}", ranks.size(), ranks.size() > 1 ? "s" : "")
                            : "one_gpu";
        if (together && ranks.size() == 1) row.name = "multi_gpu";
        row.items = together ? static_cast<double>(options.n) : experiment.items_alone();
        const auto run = [&] { together ? experiment.run() : experiment.run_alone(); };
        const auto check = [&] {
            const Verdict verdict = together ? experiment.check() : experiment.check_alone();
            const std::string wrong = ranks.first_failure(verdict.ok ? "" : verdict.message);
            if (!wrong.empty() || !row.verdict.ok) row.verdict = {wrong.empty(), wrong};
        };
        experiment.reset();
        ranks.wait();
        reset_link_counts();
        run();
        ranks.wait();
        const std::string counted = row.name;
        check();
        if (cpu && together) print_counts(counted, ranks);
        if (!cpu && row.verdict.ok) {
            row.time = time_together(
                ranks, options.samples, [&] { experiment.reset(); }, run);
            check();  // once more, after the timed runs
        }
        rows.push_back(row);
        if (!together) rows.insert(rows.end(), same_total.begin(), same_total.end());
        if (!together && !cpu && row.time.median > 0) {
            prediction = experiment.predict(links, ranks.size(), static_cast<double>(options.n),
                                            row.time.median);
            if (options.estimate && ranks.is_first()) {
                print_estimates(options, experiment, ranks, links, row.time.median);
            }
        }
    }
    const std::string note = experiment.note();
    std::string csv_failure;
    if (ranks.is_first()) {
        std::vector<std::vector<std::string>> table;
        if (cpu) {
            table = {{"row", item + "s", "check"}};
        } else {
            table = {{"row", item + "s", "time", "quartiles", item + "s/s", "x one_gpu",
                      "predicted", "check"}};
        }
        const double one = rows[0].time.median > 0 ? rows[0].items / rows[0].time.median : 0.0;
        for (const Row& row : rows) {
            std::vector<std::string> cells = {row.name, fmt::format("{:.0f}", row.items)};
            if (!cpu) {
                const double rate = row.time.median > 0 ? row.items / row.time.median : 0.0;
                const bool timed = row.time.median > 0;
                cells.push_back(timed ? format_time(row.time.median) : "-");
                cells.push_back(
                    timed ? format_time(row.time.lower) + ".." + format_time(row.time.upper) : "-");
                cells.push_back(timed ? format_rate(rate) : "-");
                cells.push_back(timed && one > 0 ? format_number(rate / one) + "x" : "-");
                cells.push_back(timed && &row == &rows.back() && prediction.seconds() > 0
                                    ? format_time(prediction.seconds())
                                    : "-");
            }
            cells.push_back(row.verdict.ok ? "ok" : "WRONG: " + row.verdict.message);
            table.push_back(cells);
        }
        fmt::print("\n{}one_gpu is {}, the chapter's fastest version for one GPU\n",
                   text_table(table), one_gpu);
        if (!same_total.empty() && !cpu) {
            fmt::print("{} is {}x as fast as one GPU with the same total\n", rows.back().name,
                       format_number(rows[1].time.median / rows.back().time.median));
        }
        fmt::print("{}", note);
        std::fflush(stdout);
        try {
            write_csv(options, rows, ranks, links, prediction);
        } catch (const std::exception& error) {
            csv_failure = error.what();
        }
    }
    csv_failure = ranks.first_failure(csv_failure);
    if (!csv_failure.empty()) throw AgreedFailure{csv_failure};
    for (const Row& row : rows) {
        if (!row.verdict.ok) throw WrongResult{};
    }
}

int MultiGpu::run(int argc, char** argv, const MakeMultiGpuExperiment& make) {
    Ranks ranks(&argc, &argv);
    const auto report = [&](const std::string& text) {
        if (ranks.is_first()) {
            std::fflush(stdout);
            fmt::print(stderr, "{}: {}\n", impl_->name, text);
        }
    };
    /// All ranks together: does `step` throw in any of them? Its failure is then everybody's.
    int code = 0;
    const auto agreed = [&](const std::function<void()>& step) {
        std::string failure;
        int mine = 0;
        try {
            step();
        } catch (const UsageError& error) {
            failure = error.what();
            mine = 2;
        } catch (const ResourceError& error) {
            failure = error.what();
            mine = 3;
        } catch (const std::exception& error) {
            failure = error.what();
            mine = 1;
        }
        const std::string first = ranks.first_failure(failure);
        code = static_cast<int>(ranks.largest(mine));
        if (!first.empty()) report(first);
        return first.empty();
    };
    MultiGpuOptions options;
    std::string help;
    std::unique_ptr<MultiGpuExperiment> experiment;
    const bool ready = agreed([&] {
                           try {
                               options = impl_->parse(argc, argv, ranks.size());
                           } catch (const HelpWanted& wanted) {
                               help = wanted.text;
                           }
                       }) &&
                       agreed([&] {
                           // The ranks must mean the same problem: each makes its own share of it.
                           const std::string mine =
                               fmt::format("--n {} --input {} --seed {} --samples {} {}{}",
                                           options.n, options.input, options.seed, options.samples,
                                           impl_->options_text(), help.empty() ? "" : " --help");
                           const std::vector<std::string> all = ranks.gather(mine);
                           if (all.front() != mine) {
                               throw UsageError(
                                   fmt::format("was started with other options than rank 0: {} and "
                                               "not {}",
                                               mine, all.front()));
                           }
                       });
    if (!ready) return code;
    if (!help.empty()) {
        if (ranks.is_first()) fmt::print("{}", help);
        return 0;
    }
    try {
        ranks.connect();
    } catch (const ResourceError& error) {  // agreed upon already
        report(error.what());
        return 3;
    } catch (const std::exception& error) {
        ranks.abort(error.what(), 1);
    }
    std::vector<Row> same_total;
    const bool fits = agreed([&] {
        if (options.same_total && !impl_->same_n && ranks.is_first()) {
            same_total = impl_->run_same_total(options, make);
        }
        experiment = make(options, ranks);
        require_memory(*experiment);
        experiment->prepare();
    });
    if (!fits) return code;
    // From here on a rank that throws leaves the others waiting for it: all are ended at once.
    try {
        impl_->run_rows(options, same_total, *experiment, ranks);
    } catch (const WrongResult&) {
        experiment.reset();
        return 1;
    } catch (const AgreedFailure& failure) {
        report(failure.text);
        experiment.reset();
        return 1;
    } catch (const ResourceError& error) {
        ranks.abort(error.what(), 3);
    } catch (const std::exception& error) {
        ranks.abort(error.what(), 1);
    }
    experiment.reset();
    return 0;
}

}  // namespace tutorial
