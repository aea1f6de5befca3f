// Runs emulator_child (child.cu), to test what ends a whole program, or is decided once for it.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace emulator_test {

struct ChildResult {
    int exit_code = -1;  ///< -1 if a signal ended it
    std::string output;  ///< stdout and stderr
};

/// `environment`: "NAME=VALUE", or empty. `before`: shell commands to run first. EMULATOR_CHILD
/// is the program's path.
inline ChildResult run_child(const std::string& environment, const std::string& action,
                             const std::string& before = "") {
    const std::string command =
        before + "env " + environment + " '" EMULATOR_CHILD "' " + action + " 2>&1";
    ChildResult result;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return result;
    char buffer[512];
    while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) result.output += buffer;
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    return result;
}

}  // namespace emulator_test

/// The child's output contains this text; if not, all of it is shown.
#define CHECK_OUTPUT(child, text)                                   \
    do {                                                            \
        const ::emulator_test::ChildResult child_result = (child);  \
        CAPTURE(child_result.output);                               \
        CHECK(child_result.output.find(text) != std::string::npos); \
    } while (false)
