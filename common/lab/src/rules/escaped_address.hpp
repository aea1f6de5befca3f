// The address of a shared variable is used by another block, or by a later launch.
#pragma once

#include <cstdint>
#include <map>

#include "rule.hpp"

namespace lab {

class EscapedAddress : public Rule {
  public:
    using Rule::Rule;
    /// When the value is there.
    void check_store(const Access& access);
    void check_load(const Access& access);

  private:
    void report(const Access& access, std::uint64_t block, bool is_other_launch);

    /// Where the address was stored: whose it is.
    struct Escaped {
        std::uint32_t epoch;
        std::uint64_t block;
        std::uintptr_t value;
    };
    std::map<std::uintptr_t, Escaped> escaped_;
};

}  // namespace lab
