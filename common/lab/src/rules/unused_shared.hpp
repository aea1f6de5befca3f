// Dynamic shared memory that a launch gives, and no thread uses.
#pragma once

#include "rule.hpp"

namespace lab {

class UnusedShared : public Rule {
  public:
    using Rule::Rule;
    void launch_begins() { is_dynamic_used_ = is_shared_used_ = false; }
    void access(std::size_t offset) {
        is_dynamic_used_ = is_dynamic_used_ || offset < run_.launched.dynamic_bytes;
        is_shared_used_ = true;
    }
    void launch_ends();

  private:
    bool is_dynamic_used_ = false, is_shared_used_ = false;
};

}  // namespace lab
