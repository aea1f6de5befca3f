// What all rules have in common.
#pragma once

#include "finding_list.hpp"
#include "order/execution.hpp"

namespace lab {

/// Observes what runs, and says what is wrong with it.
class Rule {
  public:
    Rule(Execution& run, FindingList& findings) : run_(run), findings_(findings) {}

  protected:
    Execution& run_;
    FindingList& findings_;
};

}  // namespace lab
