// Two threads use a word, at least one of them writes it, and nothing orders the two.
#pragma once

#include <string>
#include <vector>

#include "race_cures.hpp"
#include "rule.hpp"

namespace lab {

class DataRace : public Rule {
  public:
    using Rule::Rule;
    void report(const Access& access, const Cell& cell, const Stamp& other, bool other_stores);
    /// What was stored meanwhile: two stores of the same value are no fault.
    void settle() {
        if (!pending_.empty()) settle_all();
    }
    /// A word that the thread itself has just loaded as usual, before an atomic operation on it.
    void note_load_before(const Access& access, const Cell& cell, const Stamp& now);
    /// What helps is known only when all have been seen: later races of the same lines may cross
    /// warps.
    void choose_cures(const WarpPaths& paths) { cures_.choose(findings_, paths); }

  private:
    /// What the report is made of, as it was at the second access.
    struct Race {
        Access access;
        Stamp other;
        RacePair pair;
        std::string kernel, item, mine, theirs;
        std::int64_t block;  ///< of the second access
        int thread;
    };
    /// Two stores that are not ordered: no fault if the second changes nothing.
    struct Pending {
        std::uintptr_t address;
        std::uint32_t bytes;
        unsigned char before[16];
        Race race;
        FindingList::Key key;
    };
    Finding race_finding(const Race& race);
    void settle_all();

    std::vector<Pending> pending_;
    RaceCures cures_;
};

}  // namespace lab
