// An access that misses its array, and an index that its array does not have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rule.hpp"
#include "words.hpp"

namespace lab {

class OutOfBounds : public Rule {
  public:
    using Rule::Rule;
    void report(const Access& access, const Target& what);

    /// An index that its array does not have, before it is used. If the access that follows lies in
    /// another array, that says more.
    void index(emulator::Site site, const char* array, std::int64_t value);
    bool has_indexes() const { return !indexes_.empty(); }
    bool has_index_in(int line) const {
        return std::any_of(indexes_.begin(), indexes_.end(),
                           [&](const Index& each) { return each.site.line == line; });
    }
    /// Where the accesses did not lie outside of everything.
    void report_indexes();

  private:
    struct Index {
        emulator::Site site;
        std::string array;
        std::int64_t value;
        int thread;
        std::string who;  ///< the same: the launch may end by a signal before this is reported
    };
    std::vector<Index> indexes_;
};

}  // namespace lab
