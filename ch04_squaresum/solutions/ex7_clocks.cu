// Exercise 4.7: which clocks may be subtracted?                                  (predict a number)
//
// Task: Work out five numbers from the table.
// Given: Four blocks of a grid ran on two multiprocessors (SMs). Each recorded its start and its
// end with two clocks: clock64(), the cycles of its own SM, and %globaltimer, nanoseconds for the
// whole device. Both SMs run at the same clock rate, which does not change.
// Required: The numbers that the comments next to the struct's members describe.
// Read: ../README.md, "Clocks on the device"
// Check: ./tutorial check ch04/ex7     Stuck? Add --hint
#include <vector>

struct BlockRecord {
    int sm;
    long long start_cycles, end_cycles;
    long long start_ns, end_ns;
};

const std::vector<BlockRecord>& records() {
    static const std::vector<BlockRecord> blocks = {
        {3, 7000000, 7006000, 1000, 5000},  // block 0
        {9, 120000, 127500, 1100, 6100},    // block 1
        {3, 7006300, 7010800, 5200, 8200},  // block 2
        {9, 127800, 131400, 6300, 8700},    // block 3
    };
    return blocks;
}

struct Clocks {
    double longest_block;  ///< cycles from start to end of the block that took longest
    double both_on_sm_3;   ///< cycles from the first start to the last end on SM 3
    double grid_ns;        ///< nanoseconds from the grid's first start to its last end
    double mhz;            ///< millions of cycles per second
    double article;        ///< largest end_cycles minus smallest start_cycles, as in 2014
};

Clocks predict() {
    Clocks clocks = {};
    // TODO (about 5 lines): your numbers.
    clocks.longest_block = 7500;  // block 1: one counter, read twice
    clocks.both_on_sm_3 = 10800;  // two blocks, and still one counter
    clocks.grid_ns = 7700;        // from block 0 to block 3: the clock that all share
    clocks.mhz = 1500;            // block 0: 6000 cycles in 4000 ns
    clocks.article = 6890800;     // of two counters: it means nothing
    // END
    return clocks;
}
