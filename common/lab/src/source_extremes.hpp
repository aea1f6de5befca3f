// The largest or smallest value of several threads, as source lines without atomic operations find
// it.
#pragma once

#include <string>

namespace lab {

/// "if (v < best[c]) best[c] = v;", also by way of a variable that holds the item, by min() or by
/// ?.
struct Extreme {
    std::string operation;  ///< "atomicMin"; empty: it is none
    std::string target;     ///< "best[c]"
    std::string value;      ///< "v"; empty: not known
};
/// Of a store on one of these lines.
Extreme extreme_update(const std::string& file, int first, int last);

/// Whether the store is in a branch that only the thread with the largest (or smallest) value so
/// far enters, and stores something else than this value: its index.
bool belongs_to_extreme(const std::string& file, int line);

}  // namespace lab
