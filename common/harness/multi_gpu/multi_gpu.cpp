#include "multi_gpu.hpp"

#include <algorithm>
#include <cstdio>

#include "../backend.hpp"
#include "../command_line.hpp"
#include "../csv.hpp"
#include "../device_info.hpp"
#include "../fmt.hpp"
#include "../report.hpp"
#include "../text.hpp"
#include "link_counts.hpp"
#include "part_input.hpp"

namespace tutorial {
namespace {

/// A wrong result; the line is printed already.
struct WrongResult {};

/// A failure that all ranks already know of, so that no rank waits for another.
struct AgreedFailure {
    std::string text;
};

/// The command line's content; `help` is not empty if it was asked for.
struct MultiGpuLine {
    MultiGpuOptions options;
    std::string help;
};

struct Row {
    std::string name;
    double items = 0.0;
    Quartiles time;
    Verdict verdict;
};

/// Throws ResourceError if the device has too little memory for its share.
void require_memory(const MultiGpuExperiment& experiment) {
    const std::size_t needed = experiment.device_bytes();
    const std::size_t free = free_device_bytes();
    if (needed <= free) return;
    throw ResourceError(fmt::format("its share needs {} of device memory, and {} are free",
                                    format_bytes(needed), format_bytes(free)));
}

}  // namespace

struct MultiGpu::Impl {
    CommandLine line;  // its default_n is that of a rank
    std::string one_gpu;
    bool same_n = false;

    MultiGpuLine parse(int argc, char** argv, int ranks) const;
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
    CommandLine& line = impl_->line;
    line.program = std::move(name);
    line.title = std::move(title);
    line.item = std::move(item);
    line.inputs = part_input_kinds();
    line.has_stages = false;
}

MultiGpu::~MultiGpu() = default;

MultiGpu& MultiGpu::sizes(std::size_t gpu_default, std::size_t cpu_default, std::size_t gpu_max,
                          std::size_t cpu_max) {
    impl_->line.default_n = on_emulator() ? cpu_default : gpu_default;
    impl_->line.max_n = on_emulator() ? cpu_max : gpu_max;
    return *this;
}

MultiGpu& MultiGpu::flag(const std::string& option, const std::string& help, bool& value) {
    impl_->line.extra.push_back({option, help, &value});
    return *this;
}

MultiGpu& MultiGpu::choice(const std::string& option, const std::string& help,
                           const std::vector<std::string>& choices, std::string& value) {
    impl_->line.extra.push_back({option, help, nullptr, &value, choices});
    return *this;
}

MultiGpu& MultiGpu::number(const std::string& option, const std::string& help, std::size_t& value,
                           std::size_t least, std::size_t most) {
    impl_->line.extra.push_back({option, help, nullptr, nullptr, {}, &value, least, most});
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

MultiGpuLine MultiGpu::Impl::parse(int argc, char** argv, int ranks) const {
    MultiGpuOptions options;
    auto samples = static_cast<std::size_t>(options.samples);
    CommandLine all = line;
    const std::size_t shares = same_n ? 1 : static_cast<std::size_t>(ranks);
    all.default_n = std::min(line.default_n * shares, line.max_n);
    all.extra.push_back(
        {"--samples", "timed runs of each row", nullptr, nullptr, {}, &samples, 1, 1000});
    all.extra.push_back(
        {"--estimate",
         "show what the alpha-beta model predicts, before the run and next to the measurements",
         &options.estimate});
    all.extra.push_back({"--same-total",
                         "one more row: one GPU with all N items, if it can hold them",
                         &options.same_total});
    const ParsedLine parsed = parse_command_line(all, argc, argv);
    options.n = parsed.options.n;
    options.input = parsed.options.input;
    options.seed = parsed.options.seed;
    options.csv = parsed.options.csv;
    options.samples = static_cast<int>(samples);
    return {options, parsed.help};
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
    const std::string date = utc_date();
    const auto number = [](double value) { return fmt::format("{:.9g}", value); };
    const auto fields_of = [&](const Row& row) -> std::vector<CsvField> {
        const bool together = &row == &rows.back();
        return {{"chapter", line.program},
                {"date", date},
                {"device", device.name},
                {"cuda", std::to_string(device.cuda_version)},
                {"driver", device.driver},
                {"ranks", std::to_string(ranks.size())},
                {"n", std::to_string(options.n)},
                {"input", options.input},
                {"seed", std::to_string(options.seed)},
                {"options", chapter_options_text(line.extra)},
                {"row", row.name},
                {"items", fmt::format("{:.0f}", row.items)},
                {"seconds_median", number(row.time.median)},
                {"seconds_lower_quartile", number(row.time.lower)},
                {"seconds_upper_quartile", number(row.time.upper)},
                {"samples", std::to_string(row.time.samples)},
                {"predicted_seconds", together ? number(prediction.seconds()) : ""},
                {"link_latency", number(links.latency)},
                {"link_bytes_per_second", number(links.bandwidth)},
                {"reduce_latency", number(links.reduce_latency)},
                {"check", row.verdict.ok ? "ok" : row.verdict.message}};
    };
    CsvFile file(options.csv, names_of(fields_of(rows.back())));
    for (const Row& row : rows) file.append(values_of(fields_of(row)));
}

/// What strong scaling is compared with: the row of one GPU with all n items, on this rank alone.
/// None if these are too many for it.
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
        const std::string own = chapter_options_text(line.extra);
        fmt::print(
            "{}: {}\n{} {}, one process each; {}\nn = {} {}s in all, input {}, seed {}{}{}\n",
            line.program, line.title, ranks.size(),
            cpu ? "devices of the emulator" : "x " + device.name, utc_date(),
            format_size(options.n), line.item, options.input, options.seed, own.empty() ? "" : ", ",
            own);
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
            table = {{"row", line.item + "s", "check"}};
        } else {
            table = {{"row", line.item + "s", "time", "quartiles", line.item + "s/s", "x one_gpu",
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
            fmt::print(stderr, "{}: {}\n", impl_->line.program, text);
        }
    };
    /// All ranks together: does `step` throw in any of them? Then all ranks fail.
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
    MultiGpuLine parsed;
    const MultiGpuOptions& options = parsed.options;
    const std::string& help = parsed.help;
    std::unique_ptr<MultiGpuExperiment> experiment;
    const bool ready =
        agreed([&] { parsed = impl_->parse(argc, argv, ranks.size()); }) && agreed([&] {
            // The ranks must agree on the problem: each makes its own share of it.
            const std::string mine =
                fmt::format("--n {} --input {} --seed {} --samples {} {}{}", options.n,
                            options.input, options.seed, options.samples,
                            chapter_options_text(impl_->line.extra), help.empty() ? "" : " --help");
            const std::vector<std::string> all = ranks.gather(mine);
            if (all.front() != mine) {
                throw UsageError(
                    fmt::format("was started with different options from rank 0: {}, not {}", mine,
                                all.front()));
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
