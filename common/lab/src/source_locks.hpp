// Locks that threads take by an atomic operation, as far as source lines show them.
#pragma once

#include <string>

namespace lab {

/// The lines between which a thread holds a lock; 0: none. `operation`: where that is, if a
/// function takes it.
struct Lock {
    int taken = 0, released = 0;
    int take_operation = 0, release_operation = 0;
};
/// Whether the line is a loop that waits for a lock: "while (atomicCAS(lock, 0, 1) != 0);".
bool waits_for_lock(const std::string& file, int line);

Lock lock_around(const std::string& file, int line);

}  // namespace lab
