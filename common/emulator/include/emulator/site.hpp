// Where in the source something was called from. Functions that can wait or fail take a Site as
// their last argument and leave it to the compiler to fill in.
#pragma once

namespace emulator {

struct Site {
    const char* file = nullptr;
    int line = 0;
    static constexpr Site here(const char* from = __builtin_FILE(), int at = __builtin_LINE()) {
        return {from, at};
    }
};

}  // namespace emulator
