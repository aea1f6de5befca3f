// A chapter as a program. Its main() names the chapter, its sizes and its own options, and gives a
// function that makes the Experiment (interface.hpp). Everything else is done here, in the same way
// for all chapters: options, order of work, timing, verification, table, CSV, exit code.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "interface.hpp"

namespace tutorial {

/// A chapter's name, sizes and own options.
class Chapter {
  public:
    /// `name`: the folder, e.g. "ch01_bubble"; `title`: one line; `item`: what n counts, e.g.
    /// "key".
    Chapter(std::string name, std::string title, std::string item);
    ~Chapter();

    /// n if --n is not given, on a GPU and on the emulator, and the largest n that the chapter
    /// takes on each (the emulator's own limit keeps a run short; the reason is printed).
    Chapter& sizes(std::size_t gpu_default, std::size_t cpu_default, std::size_t gpu_max,
                   std::size_t cpu_max);

    /// Options of this chapter alone. The variable holds the default and receives the value.
    Chapter& flag(const std::string& option, const std::string& help, bool& value);
    Chapter& choice(const std::string& option, const std::string& help,
                    const std::vector<std::string>& choices, std::string& value);
    Chapter& number(const std::string& option, const std::string& help, std::size_t& value,
                    std::size_t least, std::size_t most);

    /// Parses, runs, reports. Exit code: 0 all rows right; 1 a wrong result, a CUDA error, or
    /// a CSV that could not be written; 2 a wrong option, or every selected stage was skipped; 3 no
    /// usable GPU or too little memory. Never throws; every failure is one clear line on stderr.
    int main(int argc, char** argv, const MakeExperiment& make);

    /// The same under another name, for a main.cu that its tests include with main() renamed by a
    /// macro, which would rename that call too. Include this header before the macro.
    int run(int argc, char** argv, const MakeExperiment& make) { return main(argc, argv, make); }

    /// The same, writing to `out` what goes to stdout and to `err` what goes to stderr. For tests.
    int main(int argc, const char* const* argv, const MakeExperiment& make, std::FILE* out,
             std::FILE* err);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tutorial
