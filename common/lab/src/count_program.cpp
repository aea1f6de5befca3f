// Counts the lines of a whole program: from before main() to its end, where it prints what each
// line of its kernels did.
//
// Where branches reconverge is learnt while kernels run. If something learnt late changes a count,
// the program is run once more, silently, with what the first run has learnt; the text of that run
// is then printed, provided that it has launched the same kernels.
//
// With TUTORIAL_COUNTS=FILE in the environment the counts go to that file, as JSON, and nothing is
// printed.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "columns.hpp"
#include "explain.hpp"
#include "program_end.hpp"
#include "session.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Set for a run that is not the first: how many there were, a file with what they have learnt, and
/// the pipe that the text goes to.
constexpr const char* kAgain = "TUTORIAL_LAB_COUNT_AGAIN";
constexpr int kMaxRuns = 4;

struct Again {
    int runs = 1;  ///< this one included
    int flow = -1;
    int text = -1;
};

/// From its first launch on it knows what another run has learnt. Not earlier, because static
/// objects of the lab may be constructed after ours.
class LearnedSession : public lab::Session {
  public:
    void launch_begins(const emulator::KernelSite& where,
                       const emulator::LaunchShape& shape) override {
        if (learnt_ >= 0) {
            if (std::FILE* const file = fdopen(learnt_, "r")) {
                std::rewind(file);
                flow().load(file);
                std::fclose(file);
            }
            learnt_ = -1;
        }
        Session::launch_begins(where, shape);
    }

    /// `file`: a descriptor; -1: nothing was learnt.
    void learn_from(int file) { learnt_ = file; }

  private:
    int learnt_ = -1;
};

struct Program {
    std::string json;  ///< the file that the counts go to; empty: they are printed
    LearnedSession session;
    Again again;
    Clock::time_point began = Clock::now();
    std::size_t columns = lab::narrow_columns();  ///< of a terminal too narrow for tables, or 0
};

Program* program = nullptr;  // never destroyed: kernels may run until the very end

Again again_of_environment() {
    Again again;
    if (const char* const words = std::getenv(kAgain)) {
        std::sscanf(words, "%d %d %d", &again.runs, &again.flow, &again.text);
        unsetenv(kAgain);  // not for programs that this one starts
    }
    return again;
}

/// What must be the same in two runs for the counts of one to be those of the other.
std::string launches_of(const lab::Report& report) {
    std::string all;
    for (const lab::KernelReport& kernel : report.kernels) {
        all += fmt::format("{} {} {} {};", kernel.name, kernel.launches, kernel.blocks,
                           kernel.threads);
    }
    return all;
}

bool write_all(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t more = write(file, text.data() + done, text.size() - done);
        if (more <= 0) return false;
        done += static_cast<std::size_t>(more);
    }
    return true;
}

/// Everything read from a pipe until it is closed; stops waiting at `until`.
std::string read_all(int pipe, Clock::time_point until) {
    std::string all;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd waiting{pipe, POLLIN, 0};
        if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) <= 0) return all;
        char buffer[4096];
        const ssize_t got = read(pipe, buffer, sizeof buffer);
        if (got <= 0) return all;
        all.append(buffer, static_cast<std::size_t>(got));
    }
}

/// The words that this program was started with.
std::vector<std::string> command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    std::vector<std::string> words;
    for (std::size_t at = 0; at < all.size(); at = all.find('\0', at) + 1) {
        words.emplace_back(all.c_str() + at);
    }
    return words;
}

/// Starts this program once more, with its output discarded; 0 if that is not possible. Input
/// that cannot be read again is empty.
pid_t start_again(const Again& next) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (lseek(STDIN_FILENO, 0, SEEK_SET) < 0) {
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    setenv(kAgain, fmt::format("{} {} {}", next.runs, next.flow, next.text).c_str(), 1);
    // It has no terminal, and formats its text for the width of this program's.
    if (program->columns != 0) setenv("COLUMNS", fmt::format("{}", program->columns).c_str(), 1);
    std::vector<std::string> words = command_line();
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int failed =
        posix_spawn(&child, "/proc/self/exe", &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    return failed == 0 ? child : 0;
}

/// The text of another run, which knows from the start what this one has learnt; empty if there is
/// none with the same launches.
std::string text_of_another_run(const std::string& launches) {
    std::FILE* const learnt = std::tmpfile();
    int ends[2];
    if (learnt == nullptr || pipe(ends) != 0) return {};
    program->session.flow().save(learnt);
    std::fflush(learnt);
    // The other run inherits these two, and no other file of ours.
    fcntl(fileno(learnt), F_SETFD, 0);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    const auto took = Clock::now() - program->began;
    const pid_t child = start_again({program->again.runs + 1, fileno(learnt), ends[1]});
    close(ends[1]);
    std::string text;
    if (child != 0) {
        text = read_all(ends[0], Clock::now() + 4 * took + std::chrono::seconds(10));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    close(ends[0]);
    std::fclose(learnt);
    const std::string head = launches + "\n";
    return text.compare(0, head.size(), head) == 0 ? text.substr(head.size()) : std::string();
}

/// Ends the program with 3, after one line, if that is not possible.
void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text << '\n';
    file.close();
    if (file.good()) return;
    std::fprintf(stderr, "the counts cannot be written to %s: %s\n", path.c_str(),
                 std::strerror(errno));
    _exit(3);
}

void print_counts(const char* how) {
    const bool is_ended = *how != '\0';
    program->session.stop();
    const lab::Report report = program->session.report();
    const char* const running = program->session.running();
    const std::string launches = launches_of(report);
    const bool wants_json = !program->json.empty();
    std::string text;
    if (!is_ended && program->session.is_stale() && program->again.runs < kMaxRuns) {
        text = text_of_another_run(launches);
    }
    if (text.empty()) {
        const bool off = program->session.is_stale();
        text = wants_json ? lab::program_json(report, !off)
                          : lab::explain_text(report, 0, program->columns);
        if (off && !wants_json) {
            text += lab::wrapped(
                "  The lab learnt too late where branches rejoin, and could not run the program "
                "again:\n  requests and lanes after a branch may be a little off.\n",
                program->columns);
        }
    }
    if (program->again.text >= 0) {
        write_all(program->again.text, launches + "\n" + text);
        close(program->again.text);
        return;
    }
    std::fflush(nullptr);
    if (wants_json) {
        write_file(program->json, text);
        return;
    }
    const std::string title =
        lab::wrapped("What each line of the kernels does to memory:", program->columns);
    // Not printf(): within a kernel that a signal has ended, it is the kernel's.
    if (running != nullptr && report.kernels.empty()) text = "  no launch has ended\n";
    std::fputs(
        fmt::format("\n{}\n\n{}\n{}", title, text, lab::explain_legend(program->columns)).c_str(),
        stdout);
    if (is_ended) {
        std::string ended = fmt::format("\nCounted until the program was ended by {}.\n", how);
        if (running != nullptr) {
            ended += fmt::format("Kernel {} was running: this launch is not counted.\n", running);
        }
        std::fputs(lab::wrapped(ended, program->columns).c_str(), stdout);
    }
    lab::end_if_lost();
}

[[maybe_unused]] const bool is_counting = [] {
    program = new Program;
    program->again = again_of_environment();
    if (const char* const file = std::getenv("TUTORIAL_COUNTS")) program->json = file;
    if (program->again.flow >= 0) {
        // Not for programs that this one starts.
        fcntl(program->again.flow, F_SETFD, FD_CLOEXEC);
        fcntl(program->again.text, F_SETFD, FD_CLOEXEC);
        program->session.learn_from(program->again.flow);
    }
    program->session.start();
    lab::at_program_end(print_counts);
    return true;
}();

}  // namespace
