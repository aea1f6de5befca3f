#include "../csv.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../options.hpp"
#include "../report.hpp"

using namespace tutorial;

namespace {

using Records = std::vector<std::vector<std::string>>;

/// Reads CSV by the rules of RFC 4180, so that the writer is not judged by its own.
Records parse_csv(const std::string& text) {
    Records records;
    std::vector<std::string> record;
    std::string field;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char character = text[i];
        if (quoted) {
            if (character != '"') {
                field += character;
            } else if (i + 1 < text.size() && text[i + 1] == '"') {
                field += '"';
                ++i;
            } else {
                quoted = false;
            }
        } else if (character == '"') {
            quoted = true;
        } else if (character == ',' || character == '\n') {
            record.push_back(field);
            field.clear();
            if (character == '\n') {
                records.push_back(record);
                record.clear();
            }
        } else {
            field += character;
        }
    }
    REQUIRE_MESSAGE((field.empty() && record.empty()), "the last line has no end");
    return records;
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A folder that is removed at the end of the test.
struct TemporaryFolder {
    std::string path;
    TemporaryFolder() {
        const char* parent = std::getenv("TMPDIR");
        path = std::string(parent != nullptr ? parent : "/tmp") + "/tutorial-csv-XXXXXX";
        REQUIRE(mkdtemp(path.data()) != nullptr);
    }
    ~TemporaryFolder() {
        std::remove((path + "/a.csv").c_str());
        rmdir(path.c_str());
    }
};

const std::vector<std::string> kHeader = {"name", "value"};

}  // namespace

TEST_CASE("fields that need it are quoted") {
    CHECK(csv_line({"a", "b"}) == "a,b\n");
    CHECK(csv_line({"", ""}) == ",\n");
    CHECK(csv_line({"a,b", "say \"x\"", "two\nlines"}) ==
          "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n");
}

TEST_CASE("rows come back as they were written, over several runs") {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/a.csv";
    const Records rows = {{"plain", "1"}, {"a,b", "\"quoted\""}, {"two\nlines", ""}, {"", "end"}};
    {
        CsvFile file(path, kHeader);
        file.append(rows[0]);
        file.append(rows[1]);
        // Both are stored already: a crash now would lose neither.
        CHECK(parse_csv(read_file(path)).size() == 3);
    }
    {
        CsvFile file(path, kHeader);
        file.append(rows[2]);
        file.append(rows[3]);
    }
    const Records read = parse_csv(read_file(path));
    REQUIRE(read.size() == 5);
    CHECK(read[0] == kHeader);
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(read[i + 1] == rows[i]);
}

TEST_CASE("a file with another header is refused and left alone") {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/a.csv";
    std::ofstream(path) << "name,other\n1,2\n";
    CHECK_THROWS_WITH_AS(CsvFile(path, kHeader),
                         ("--csv " + path +
                          ": its columns are not those that this program writes; name another file")
                             .c_str(),
                         UsageError);
    CHECK(read_file(path) == "name,other\n1,2\n");
}

TEST_CASE("a line that was broken off does not swallow the next row") {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/a.csv";
    std::ofstream(path) << "name,value\nhalf";
    CsvFile(path, kHeader).append({"whole", "1"});
    CHECK(read_file(path) == "name,value\nhalf\nwhole,1\n");
}

TEST_CASE("an empty file gets a header; a run with no rows leaves no new file") {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/a.csv";
    { CsvFile file(path, kHeader); }
    CHECK(access(path.c_str(), F_OK) != 0);
    std::ofstream(path).close();
    { CsvFile file(path, kHeader); }
    CHECK(access(path.c_str(), F_OK) == 0);
    CsvFile(path, kHeader).append({"a", "1"});
    CHECK(read_file(path) == "name,value\na,1\n");
}

TEST_CASE("paths that cannot be written are refused") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        CsvFile(folder.path + "/no/such/a.csv", kHeader),
        ("--csv " + folder.path + "/no/such/a.csv: cannot write there: No such file or directory")
            .c_str(),
        UsageError);
    CHECK_THROWS_AS(CsvFile(folder.path, kHeader), UsageError);
}

TEST_CASE("twenty runs that begin at the same time leave one header and all rows") {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/a.csv";
    constexpr int kRuns = 20;
    int gate[2];
    REQUIRE(pipe(gate) == 0);
    for (int run = 0; run < kRuns; ++run) {
        if (fork() == 0) {
            close(gate[1]);
            char byte = 0;
            const bool is_writer = run % 4 != 3;  // some have nothing to write
            CsvFile file(path, kHeader);
            if (read(gate[0], &byte, 1) != 0) _exit(2);  // until all have opened it
            if (is_writer) file.append({"run", std::to_string(run)});
            file.~CsvFile();
            _exit(0);
        }
    }
    close(gate[0]);
    usleep(100000);
    close(gate[1]);
    for (int run = 0; run < kRuns; ++run) {
        int status = 0;
        REQUIRE(wait(&status) > 0);
        CHECK(status == 0);
    }
    const Records read = parse_csv(read_file(path));
    CHECK(read.size() == 1 + kRuns * 3 / 4);
    CHECK(std::count(read.begin(), read.end(), kHeader) == 1);
    CHECK(read.front() == kHeader);
}

TEST_CASE("a row must have as many fields as the header") {
    const TemporaryFolder folder;
    CsvFile file(folder.path + "/a.csv", kHeader);
    CHECK_THROWS_AS(file.append({"one"}), std::logic_error);
}

TEST_CASE("a measured row holds what was measured") {
    RunInfo run;
    run.chapter = "ch00_example";
    run.item = "key";
    run.chapter_options = "type=float";
    run.options.n = 1000;
    run.device.name = "GPU, a fast one";
    run.device.cuda_version = 13000;
    run.device.driver = "580.1";
    run.bytes_needed = 4000;
    run.ceiling = {"read bandwidth", 1e-6};
    RowResult first;
    first.row.name = "slow";
    first.cold_seconds = 8e-6;
    first.verdict = {true, {}};
    RowResult result = first;
    result.row.name = "fast";
    result.cold_seconds = 2e-6;
    result.cold_minimum = 1.5e-6;
    result.hot_seconds = 1e-6;
    result.samples = 17;
    result.cold_spread = {1.8e-6, 2.4e-6, 1.9e-6, 2.1e-6};
    result.hot_spread = {0.9e-6, 1.2e-6, 0.95e-6, 1.1e-6};
    run.ceilings.launch_cold_seconds = 0.7e-6;
    run.ceilings.launch_hot_seconds = 0.6e-6;
    run.ceilings.programmatic_hot_seconds = 0.5e-6;

    const std::vector<std::string> header = csv_header();
    const auto fields = parse_csv(csv_line(csv_fields(run, result, &first, nullptr))).at(0);
    REQUIRE(fields.size() == header.size());
    const auto field = [&](const std::string& name) {
        for (std::size_t i = 0; i < header.size(); ++i) {
            if (header[i] == name) return fields[i];
        }
        FAIL("no column " << name);
        return std::string();
    };
    CHECK(field("chapter") == "ch00_example");
    CHECK(field("stage") == "fast");
    CHECK(field("kind") == "stage");
    CHECK(field("n") == "1000");
    CHECK(field("options") == "type=float");
    CHECK(field("backend") == "gpu");
    CHECK(field("device") == "GPU, a fast one");
    CHECK(field("cuda") == "13.0");
    CHECK(field("samples") == "17");
    CHECK(field("cold_us") == "2");
    CHECK(field("cold_min_us") == "1.5");
    CHECK(field("cold_q1_us") == "1.8");
    CHECK(field("cold_q3_us") == "2.4");
    CHECK(field("cold_low_us") == "1.9");
    CHECK(field("cold_high_us") == "2.1");
    CHECK(field("stopped") == "stable");
    CHECK(field("hot_us") == "1");
    CHECK(field("hot_q1_us") == "0.9");
    CHECK(field("hot_high_us") == "1.1");
    CHECK(field("processes") == "1");
    CHECK(field("launch_overhead_us") == "0.7");
    CHECK(field("hot_launch_overhead_us") == "0.6");
    CHECK(field("programmatic_overhead_us") == "0.5");
    CHECK(field("copies_us").empty());
    CHECK(field("gb_per_s") == "2");
    CHECK(field("items_per_s") == "5e+08");
    CHECK(field("ceiling") == "read bandwidth");
    CHECK(field("percent_of_ceiling") == "50");
    CHECK(field("first") == "slow");
    CHECK(field("x_first") == "4");
    CHECK(field("library").empty());
    CHECK(field("x_library").empty());
    CHECK(field("check") == "ok");
    CHECK(field("launches").empty());
}

TEST_CASE("a wrong row and a skipped row say so and have no times") {
    RunInfo run;
    RowResult wrong;
    wrong.verdict = {false, "wrong at index 1"};
    RowResult skipped;
    skipped.skipped = "needs a GPU: clusters";
    const std::vector<std::string> header = csv_header();
    const auto value = [&](const RowResult& result, const std::string& name) {
        const auto fields = csv_fields(run, result, nullptr, nullptr);
        for (std::size_t i = 0; i < header.size(); ++i) {
            if (header[i] == name) return fields[i];
        }
        return std::string("no such column");
    };
    CHECK(value(wrong, "check") == "wrong");
    CHECK(value(wrong, "message") == "wrong at index 1");
    CHECK(value(wrong, "cold_us").empty());
    CHECK(value(skipped, "check").empty());
    CHECK(value(skipped, "message") == "needs a GPU: clusters");
}

TEST_CASE("a row that cannot be written is an error, not a loss in silence") {
    const TemporaryFolder folder;
    const std::string path = folder.path + "/a.csv";
    CsvFile file(path, kHeader);
    file.append({"a", "1"});
    // As on a full disk: no file may grow.
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit none = before;
    none.rlim_cur = 1;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &none) == 0);
    std::string message;
    try {
        file.append({"b", "2"});
    } catch (const std::runtime_error& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    CHECK(message == "--csv " + path + ": a row could not be written: File too large");
    CHECK(read_file(path) == "name,value\na,1\n");
}
