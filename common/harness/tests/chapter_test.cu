// A tiny chapter, run through Chapter::main as a reader would: what is printed, and the exit code.
#include <cuda_runtime.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../chapter.hpp"
#include "../cuda_check.hpp"
#include "../device_buffer.hpp"
#include "../inputs.hpp"
#include "../report.hpp"

using namespace tutorial;

namespace {

// ---- The chapter: each item times two plus one --------------------------------------------------

/// NaN becomes 0: which bits a NaN has after arithmetic depends on the processor.
__host__ __device__ inline float mapped(float item, float offset) {
    return item == item ? 2.0f * item + offset : 0.0f;
}

/// Writes the first `count` items of the output.
__global__ void map_kernel(const float* in, float* out, std::size_t count, float offset) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) out[i] = mapped(in[i], offset);
}

void launch_map(const float* d_in, float* d_out, std::size_t count, float offset,
                unsigned threads = 64) {
    if (count == 0) return;
    const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
    map_kernel<<<blocks, threads>>>(d_in, d_out, count, offset);
    CUDA_CHECK_LAUNCH();
}

void right(const float* d_in, float* d_out, std::size_t n) { launch_map(d_in, d_out, n, 1.0f); }

void other(const float* d_in, float* d_out, std::size_t n) { launch_map(d_in, d_out, n, 1.0f); }

void wrong(const float* d_in, float* d_out, std::size_t n) { launch_map(d_in, d_out, n, 1.5f); }

void drops_tail(const float* d_in, float* d_out, std::size_t n) {
    launch_map(d_in, d_out, n / 32 * 32, 1.0f);
}

void nan_result(const float* d_in, float* d_out, std::size_t n) {
    launch_map(d_in, d_out, n, std::numeric_limits<float>::quiet_NaN());
}

void untouched(const float*, float*, std::size_t) {}

void throws(const float*, float*, std::size_t) { throw std::runtime_error("out of ideas"); }

void too_many_threads(const float* d_in, float* d_out, std::size_t n) {
    launch_map(d_in, d_out, n, 1.0f, 4096);
}

void illegal(const float* d_in, float*, std::size_t n) { launch_map(d_in, nullptr, n, 1.0f); }

using Launch = void (*)(const float* d_in, float* d_out, std::size_t n);

const std::vector<Stage<Launch>>& stages() {
    static const std::vector<Stage<Launch>> table = {
        {{"right", "does it"}, right},
        {{"host", "does it on the host", RowKind::host}, nullptr},
        {{"other", "does it too"}, other},
        {{"small", "is right up to 16 items", RowKind::stage, {16, "one warp's half"}}, right},
        {{"clusters", "cannot be imitated", RowKind::stage, {SIZE_MAX, "", "clusters"}}, right},
        {{"wrong", "adds too much"}, wrong},
        {{"tail", "forgets the last items"}, drops_tail},
        {{"nan", "makes NaN"}, nan_result},
        {{"untouched", "does nothing"}, untouched},
        {{"throws", "gives up"}, throws},
        {{"launch", "launches too many threads"}, too_many_threads},
        {{"illegal", "writes through a null pointer"}, illegal},
        {{"library", "what people would call", RowKind::library}, right},
    };
    return table;
}

/// What an experiment was asked to do, in order, one letter each.
struct Log {
    std::string calls;
    int fail_after_runs = -1;  ///< every run after that many writes nothing
    bool prepare_throws = false;
    std::size_t device_bytes = 0;
};

class Doubling : public Experiment {
  public:
    explicit Doubling(Log& log) : log_(log) {}

    std::vector<RowInfo> rows() const override { return rows_of(stages()); }

    std::size_t device_bytes(const Options& options) const override {
        return log_.device_bytes > 0 ? log_.device_bytes : 2 * options.n * sizeof(float);
    }

    void prepare(const Options& options) override {
        log_.calls += 'p';
        if (log_.prepare_throws) throw ResourceError("needs 2 GiB, there is 1 GiB");
        n_ = options.n;
        in_ = make_input<float>(options.input, n_, options.seed);
        for (const float item : in_) expected_.push_back(mapped(item, 1.0f));
        d_in_ = DeviceBuffer<float>(n_);
        d_in_.upload(in_);
        d_out_ = DeviceBuffer<float>(n_);
    }

    bool keeps_input() const override { return true; }

    void reset(int) override {
        log_.calls += 'r';
        d_out_.fill_bytes(0xff);
        host_out_.assign(n_, std::numeric_limits<float>::quiet_NaN());
    }

    void run(std::size_t row, int) override {
        log_.calls += 'x';
        on_host_ = stages()[row].kind == RowKind::host;
        if (log_.fail_after_runs >= 0 && runs_++ >= log_.fail_after_runs) return;
        if (on_host_) {
            for (std::size_t i = 0; i < n_; ++i) host_out_[i] = mapped(in_[i], 1.0f);
        } else {
            stages()[row].launch(d_in_.data(), d_out_.data(), n_);
        }
    }

    bool times_copies() const override { return true; }

    bool run_with_copies(std::size_t row, int slot) override {
        if (stages()[row].name != "right") return false;
        log_.calls += 'c';
        d_in_.upload(in_);
        run(row, slot);
        d_out_.download();
        return true;
    }

    Verdict check(std::size_t, int) override {
        log_.calls += 'v';
        return verify_equal(expected_, on_host_ ? host_out_ : d_out_.download());
    }

    std::size_t bytes_needed() const override { return 2 * n_ * sizeof(float); }

    Ceiling ceiling() const override { return {"a guess", 1e-7}; }

    std::string before() const override { return "a word before\n"; }

    std::string after(const std::vector<RowResult>& results) const override {
        return "rows in after(): " + std::to_string(results.size());
    }

  private:
    Log& log_;
    std::size_t n_ = 0;
    int runs_ = 0;
    bool on_host_ = false;
    std::vector<float> in_;
    std::vector<float> expected_;
    std::vector<float> host_out_;
    DeviceBuffer<float> d_in_;
    DeviceBuffer<float> d_out_;
};

// ---- Running it ---------------------------------------------------------------------------------

struct Outcome {
    int exit_code = -1;
    std::string out;
    std::string err;
    Log log;
};

std::string contents_of(std::FILE* file) {
    std::string text;
    std::rewind(file);
    char buffer[4096];
    std::size_t count = 0;
    while ((count = std::fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, count);
    std::fclose(file);
    return text;
}

Outcome run_chapter(std::vector<const char*> words, Log log = {}) {
    Outcome outcome;
    outcome.log = log;
    bool shout = false;
    Chapter chapter("ch00_doubling", "every item times two plus one", "item");
    chapter.sizes(1000, 100, 100000, 10000).flag("--shout", "nothing", shout);
    words.insert(words.begin(), "program");
    std::FILE* out = std::tmpfile();
    std::FILE* err = std::tmpfile();
    REQUIRE(out != nullptr);
    REQUIRE(err != nullptr);
    outcome.exit_code = chapter.main(
        static_cast<int>(words.size()), words.data(),
        [&](const Options&) { return std::make_unique<Doubling>(outcome.log); }, out, err);
    outcome.out = contents_of(out);
    outcome.err = contents_of(err);
    return outcome;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The table's row of this name, or an empty string.
std::string row_of(const Outcome& outcome, const std::string& name) {
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);) {
        if (line.compare(0, name.size() + 1, name + " ") == 0) return line;
    }
    return {};
}

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_one_line(const std::string& text) {
    return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_CASE("right rows: exit code 0, a row for each, nothing on stderr") {
    const Outcome outcome = run_chapter({"--stage", "right", "host", "other", "library"});
    CAPTURE(outcome.out);
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    for (const char* name : {"right", "host", "other", "library"}) {
        CHECK(ends_with(row_of(outcome, name), "  ok"));
    }
    CHECK(contains(outcome.out, "ch00_doubling: every item times two plus one\n"));
    CHECK(contains(outcome.out, "items, input random, seed 1\n"));
    CHECK(contains(outcome.out, "\na word before\n"));
    CHECK(contains(outcome.out, "4 rows: 4 right, 0 wrong, 0 skipped\n"));
    if (!on_emulator()) {
        // Compared with the first stage and with the library, though the library's row comes last.
        const std::string other = row_of(outcome, "other");
        CHECK(std::count(other.begin(), other.end(), 'x') == 2);
        CHECK(outcome.out.find("\nother ") < outcome.out.find("\nlibrary "));
        CHECK(contains(outcome.out, "x first: cold time of right divided by "));
        CHECK(
            contains(outcome.out, "x library: the same with library; ~: no measurable difference"));
    }
    CHECK(contains(outcome.out, "rows in after(): 4\n"));
}

namespace {

/// A file of options for --batch, removed at the end.
class BatchFile {
  public:
    explicit BatchFile(const std::string& lines) {
        const int file = ::mkstemp(path_);
        REQUIRE(file >= 0);
        ::close(file);
        std::ofstream(path_) << lines;
    }
    ~BatchFile() { ::unlink(path_); }
    const char* path() const { return path_; }

  private:
    char path_[32] = "/tmp/batch_test_XXXXXX";
};

}  // namespace

TEST_CASE("a batch: a run for each line, each with the defaults that the others did not change") {
    const BatchFile file(
        "# a comment\n\n--\n--n 64 --shout  # and another\n--n 33 --stage other\n");
    const Outcome outcome = run_chapter({"--stage", "right", "--batch", file.path()});
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
    const std::string size = on_emulator() ? "n = 100 items" : "n = 1000 items";
    CHECK(contains(outcome.out, "\n== ch00_doubling \n"));
    CHECK(contains(outcome.out, size + ", input random, seed 1\n"));
    CHECK(contains(outcome.out, "n = 64 items, input random, seed 1, shout\n"));
    CHECK(contains(outcome.out, "n = 33 items, input random, seed 1\n"));
    CHECK(contains(outcome.out, "2 rows: 2 right"));  // options before the lines apply as well
}

TEST_CASE("a batch ends at the first line that fails") {
    const BatchFile wrong("--stage wrong\n--stage right --n 64\n");
    const Outcome stopped = run_chapter({"--batch", wrong.path()});
    CHECK(stopped.exit_code == 1);
    CHECK_FALSE(contains(stopped.out, "n = 64"));
    const BatchFile unknown("--stage right\n--no-such\n");
    const Outcome refused = run_chapter({"--batch", unknown.path()});
    CHECK(refused.exit_code == 2);
    CHECK(contains(refused.err, "unknown option '--no-such'"));
    const BatchFile empty("# nothing\n");
    CHECK(run_chapter({"--batch", empty.path()}).exit_code == 2);
    CHECK(contains(run_chapter({"--batch", "/no/such"}).err, "--batch /no/such: cannot be read"));
    const BatchFile nested(std::string("--batch ") + "/no/such" + "\n");
    CHECK(run_chapter({"--batch", nested.path()}).exit_code == 2);
}

TEST_CASE("the table has times on a GPU, and counts on the emulator") {
    const Outcome outcome = run_chapter({"--stage", "right", "host", "--n", "130"});
    CAPTURE(outcome.out);
    REQUIRE(outcome.exit_code == 0);
    const std::string device = row_of(outcome, "right");
    const std::string host = row_of(outcome, "host");
    if (on_emulator()) {
        CHECK(contains(outcome.out, "launches    blocks  threads/block  barriers/block"));
        CHECK_FALSE(contains(outcome.out, " us"));
        std::istringstream cells(device);
        std::string name, launches, blocks, threads, barriers;
        cells >> name >> launches >> blocks >> threads >> barriers;
        CHECK(launches == "1");
        CHECK(blocks == "3");
        CHECK(threads == "64");
        CHECK(barriers == "0");
        CHECK(contains(host, " - "));
    } else {
        CHECK(contains(outcome.out, "with copies"));
        CHECK(contains(outcome.out, "% of ceiling"));
        CHECK(contains(outcome.out, "a guess"));
        CHECK(contains(device, " us"));
        CHECK(contains(device, "1.000x"));
        CHECK(contains(host, " us"));
    }
}

TEST_CASE("the reference comes first, and a reset before every checked run") {
    const Outcome outcome = run_chapter({"--stage", "right", "other", "--n", "64"});
    const std::string& calls = outcome.log.calls;
    REQUIRE(calls.size() > 1);
    CHECK(calls[0] == 'p');
    CHECK(calls.find('p', 1) == std::string::npos);
    CHECK(calls.substr(1, 3) == "rxv");
    if (on_emulator()) CHECK(calls == "prxvrxv");
}

TEST_CASE("wrong results: exit code 1, the first mismatch, and the other rows still run") {
    struct Case {
        const char* stage;
        const char* message;
    };
    const Case cases[] = {
        {"wrong", "stage wrong: wrong at index 0 of 100: expected "},
        {"tail", "stage tail: wrong at index 96 of 100: expected "},
        {"nan", "got nan (bits 0x7f"},
        {"untouched", "stage untouched: wrong at index 0 of 100: expected "},
        {"throws", "stage throws: out of ideas\n"},
        // A GPU may return either of two codes, cudaErrorInvalidConfiguration or -Value.
        {"launch", ": cudaGetLastError(): invalid "},
    };
    for (const Case& expected : cases) {
        CAPTURE(expected.stage);
        // "right" runs first and leaves the right answer; "library" runs afterwards.
        const Outcome outcome =
            run_chapter({"--n", "100", "--stage", "right", expected.stage, "library"});
        CAPTURE(outcome.out);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 1);
        CHECK(is_one_line(outcome.err));
        CHECK(contains(outcome.err, "ch00_doubling: stage "));
        CHECK(contains(outcome.err, expected.message));
        CHECK(ends_with(row_of(outcome, expected.stage), "  WRONG"));
        CHECK_FALSE(contains(row_of(outcome, expected.stage), " us"));
        CHECK(ends_with(row_of(outcome, "right"), "  ok"));
        CHECK(ends_with(row_of(outcome, "library"), "  ok"));
        CHECK(contains(outcome.out, "3 rows: 2 right, 1 wrong, 0 skipped\n"));
    }
}

TEST_CASE("a result that goes wrong while it is timed is caught" * doctest::skip(on_emulator())) {
    Log log;
    log.fail_after_runs = 5;
    const Outcome outcome = run_chapter({"--stage", "right"}, log);
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.err, "stage right: after timing: wrong at index 0"));
    CHECK(ends_with(row_of(outcome, "right"), "  WRONG"));
}

TEST_CASE("an error that leaves the device unusable ends the run, and names the stage") {
    if (!on_emulator()) {
        MESSAGE("not applicable: on a GPU no later test of this process could run");
        return;
    }
    const Outcome outcome = run_chapter({"--n", "100", "--stage", "right", "illegal", "library"});
    CHECK(cudaDeviceReset() == cudaSuccess);
    CAPTURE(outcome.out);
    CHECK(outcome.exit_code == 1);
    CHECK(contains(outcome.err, "ch00_doubling: stage illegal: "));
    CHECK(contains(outcome.err, "an illegal memory access was encountered"));
    CHECK(
        ends_with(outcome.err,
                  "ch00_doubling: stage illegal left the device unusable; rows after it that were "
                  "not run: 1\n"));
    CHECK(ends_with(row_of(outcome, "right"), "  ok"));
    CHECK(ends_with(row_of(outcome, "illegal"), "  WRONG"));
    CHECK(row_of(outcome, "library").empty());
    CHECK(run_chapter({"--stage", "right"}).exit_code == 0);
}

TEST_CASE("rows that cannot run are skipped with their reason") {
    const Outcome outcome = run_chapter({"--n", "17", "--stage", "right", "small", "clusters"});
    CAPTURE(outcome.out);
    CHECK(outcome.exit_code == 0);
    CHECK(contains(row_of(outcome, "small"), "skipped: takes at most 16 items: one warp's half"));
    CHECK(contains(row_of(outcome, "clusters"), "skipped: needs a GPU: clusters") == on_emulator());
    CHECK(contains(outcome.out,
                   on_emulator() ? "1 right, 0 wrong, 2 skipped" : "2 right, 0 wrong, 1 skipped"));
    const Outcome at_limit = run_chapter({"--n", "16", "--stage", "small"});
    CHECK(at_limit.exit_code == 0);
    CHECK(ends_with(row_of(at_limit, "small"), "  ok"));
}

TEST_CASE("a run in which everything was skipped is no success") {
    const Outcome outcome = run_chapter({"--n", "17", "--stage", "small"});
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.err == "ch00_doubling: nothing was run: every stage asked for was skipped\n");
    CHECK(contains(row_of(outcome, "small"), "skipped: takes at most 16 items"));
    CHECK(outcome.log.calls.empty());
}

TEST_CASE("--list names every row and runs nothing") {
    const Outcome outcome = run_chapter({"--list"});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.log.calls.empty());
    for (const auto& stage : stages()) {
        const std::string row = row_of(outcome, stage.name);
        CHECK(contains(row, stage.idea));
        // The second word: tools that compare a chapter's text with its table read it.
        CHECK(contains(row, std::string("  ") + tutorial::kind_text(stage.kind) + " "));
    }
}

TEST_CASE("--help is answered on stdout") {
    const Outcome outcome = run_chapter({"--help"});
    CHECK(outcome.exit_code == 0);
    CHECK(contains(outcome.out, "--stage"));
    CHECK(contains(outcome.out, "--shout"));
    CHECK(outcome.err.empty());
    CHECK(outcome.log.calls.empty());
}

TEST_CASE("wrong options: exit code 2, one line on stderr, nothing run") {
    struct Case {
        std::vector<const char*> words;
        const char* message;
    };
    const Case cases[] = {
        {{"--stage", "nosuch"}, "there is no stage 'nosuch'; there are right, host, other, small"},
        {{"--stage", "othr"}, "there is no stage 'othr' (did you mean other?); there are right"},
        {{"--input", "chaos"}, "unknown value 'chaos'; allowed: random, sorted"},
        {{"--n", "x"}, "--n: 'x' is not a size"},
        {{"--n", "1G"}, "takes at most "},
        {{"--seed", "x"}, "--seed: 'x' is not a whole number"},
        {{"--nosuch"}, "unknown option '--nosuch'"},
        {{"--explain"}, "built without the lab"},
        {{"--faults"}, "built without the lab"},
        {{"--trace", "x"}, "built without the lab"},
        {{"--json"}, "--json goes with --explain"},
        {{"--csv", "/no/such/folder/a.csv"}, "cannot write there: No such file or directory"},
        {{"--list", "--stage", "nosuch"}, "there is no stage 'nosuch'"},
    };
    for (const Case& expected : cases) {
        CAPTURE(expected.message);
        const Outcome outcome = run_chapter(expected.words);
        CHECK(outcome.exit_code == 2);
        CHECK(outcome.out.empty());
        CHECK(is_one_line(outcome.err));
        CHECK(outcome.err.find("ch00_doubling: ") == 0);
        CHECK_MESSAGE(contains(outcome.err, expected.message), outcome.err);
        CHECK(outcome.log.calls.empty());
    }
}

TEST_CASE("too little memory: exit code 3, what was needed and what there is") {
    Log log;
    log.device_bytes = std::size_t{1} << 60;
    const Outcome outcome = run_chapter({}, log);
    CHECK(outcome.exit_code == 3);
    CHECK(is_one_line(outcome.err));
    CHECK(contains(outcome.err, "needs 1048576.0 TiB of device memory; "));
    CHECK(contains(outcome.err, " free"));
    CHECK(outcome.log.calls.empty());

    Log late;
    late.prepare_throws = true;
    const Outcome in_prepare = run_chapter({}, late);
    CHECK(in_prepare.exit_code == 3);
    CHECK(in_prepare.err == "ch00_doubling: needs 2 GiB, there is 1 GiB\n");
}

TEST_CASE("sizes 0, 1 and those around a warp and a block") {
    for (const char* n : {"0", "1", "31", "32", "33", "1023", "1024", "1025"}) {
        CAPTURE(n);
        const Outcome outcome =
            run_chapter({"--n", n, "--stage", "right", "host", "--input", "special"});
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == 0);
    }
}

TEST_CASE("--csv gets a line for every row, right, wrong or skipped") {
    const char* parent = std::getenv("TMPDIR");
    std::string path = std::string(parent != nullptr ? parent : "/tmp") + "/tutorial-XXXXXX";
    const int file = mkstemp(path.data());
    REQUIRE(file >= 0);
    close(file);
    for (int run = 0; run < 2; ++run) {
        const Outcome outcome = run_chapter(
            {"--n", "100", "--stage", "right", "small", "wrong", "--shout", "--csv", path.c_str()});
        CHECK(outcome.exit_code == 1);
    }
    std::ifstream text(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    std::remove(path.c_str());
    REQUIRE(lines.size() == 7);
    CHECK(lines[0].find("chapter,stage,kind,n,input,seed,options,backend,device") == 0);
    CHECK(lines[1].find("ch00_doubling,right,stage,100,random,1,shout,") == 0);
    CHECK(lines[2].find("ch00_doubling,small,stage,100,random,1,shout,") == 0);
    CHECK(contains(lines[2], "takes at most 16 items: one warp's half"));
    CHECK(lines[3].find("ch00_doubling,wrong,stage,100,random,1,shout,") == 0);
    CHECK(contains(lines[3], ",wrong,\"wrong at index 0 of 100: expected "));
    CHECK(lines[4].find("ch00_doubling,right,") == 0);
}

TEST_CASE("the order of threads can be chosen, and a sound kernel does not mind") {
    if (!on_emulator()) {
        MESSAGE("not applicable: a GPU cannot be told an order of threads");
        return;
    }
    for (const char* order : {"forward", "reverse", "shuffle"}) {
        CHECK(run_chapter({"--stage", "right", "--order", order}).exit_code == 0);
    }
    set_thread_order("forward", 1);
}
