// What the emulator has found by itself, in kernels and in calls of the host.
#pragma once

#include <set>
#include <string>

#include "emulator/report.hpp"
#include "rule.hpp"

namespace lab {

class EmulatorReports : public Rule {
  public:
    using Rule::Rule;
    void add();
    /// This is known here already.
    void said(const std::string& text) { said_.insert(text); }
    void forget() { said_.clear(); }
    /// An atomic or volatile access of the running thread: what a loop may wait for.
    void may_wait(const Access& access) {
        waited_ = access;
        waiting_ = run_.number;
    }

  private:
    void add(const emulator::Report& said);
    /// Where a thread never came out of a loop, this comes before the emulator's words.
    bool explain_endless_loop(const emulator::Report& said, Finding& made) const;

    std::set<std::string> said_;
    Access waited_{};  ///< the last such access
    int waiting_ = 0;  ///< by this thread
};

}  // namespace lab
