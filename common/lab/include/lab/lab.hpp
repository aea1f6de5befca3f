// The lab's public surface: what the lines of kernels do to memory, counted while they run.
//
//     const lab::Report report = lab::count([&] { kernel<<<blocks, threads>>>(d_data, n); });
//
// Only files given to target_lab_sources() are seen; the rest of the program runs as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace lab {

// In the order of their names in lab.cpp.
enum class Space : std::uint8_t { global, shared, constant, local };
enum class Operation : std::uint8_t { load, store, atomic };

const char* text(Space space);
const char* text(Operation operation);

/// What requests cost. A request is one instruction of one warp (or of those lanes of it that
/// execute it together).
struct Traffic {
    std::uint64_t requests = 0;
    std::uint64_t lanes = 0;             ///< that take part, summed over the requests
    std::uint64_t bytes = 0;             ///< that the lanes ask for
    std::uint64_t sectors = 0;           ///< global: 32-byte sectors
    std::uint64_t least_sectors = 0;     ///< that the same bytes would fill
    std::uint64_t wavefronts = 0;        ///< shared: passes over the 32 banks; constant: different
                                         ///< words, which are read one after the other
    std::uint64_t least_wavefronts = 0;  ///< the same without conflicts
    std::uint64_t turns = 0;  ///< atomic: operations on one word wait for each other; of each
                              ///< request the most on one word, summed
    std::uint64_t longest_queue =
        0;  ///< atomic, global: the most operations on one word in a launch

    Traffic& operator+=(const Traffic& other);
};

/// What single threads load, or store, in one kind of memory, on any line; an atomic operation does
/// both. It shows which threads do the work: in straight-line code a step may load any number of
/// words.
struct Moved {
    std::uint64_t most = 0;     ///< bytes of each launch's busiest thread, summed
    std::uint64_t threads = 0;  ///< that load (store) anything
    std::uint64_t bytes = 0;    ///< of all threads

    Moved& operator+=(const Moved& other);
};
constexpr int kMoves = 6;
/// Global or shared memory; loads or stores.
constexpr int move_of(Space space, Operation operation) {
    return 2 * static_cast<int>(space == Space::shared) +
           static_cast<int>(operation == Operation::store);
}
/// In addition, the array named to follow().
constexpr int move_of_followed(Operation operation) {
    return 4 + static_cast<int>(operation == Operation::store);
}

/// From here on, what threads move to and from this array in global memory is also counted
/// separately, and so are the states of memory.
void follow(const void* array, std::size_t bytes);

/// What one line of a kernel does in one kind of memory: loads, stores or atomic operations.
struct Row {
    std::string file;  ///< full path
    int line = 0;
    std::string source;  ///< the line itself
    Operation operation = Operation::load;
    Space space = Space::global;
    Traffic traffic;
};

struct Extents {
    unsigned x = 1, y = 1, z = 1;
};

/// How often a kernel was launched with one shape.
struct Shape {
    Extents grid, block;
    std::size_t dynamic_bytes = 0;
    std::uint64_t launches = 0;
};

/// All launches of one kernel.
struct KernelReport {
    std::string name;  ///< with its template arguments
    std::uint64_t launches = 0, blocks = 0, threads = 0, warps = 0;
    std::vector<Shape> shapes;   ///< in the order of their first launches
    std::uint64_t barriers = 0;  ///< __syncthreads and the like, once for each block
    std::uint64_t grid_barriers = 0;
    std::uint64_t exchanges = 0;       ///< shuffles and votes, once for each group of lanes
    std::uint64_t most_exchanges = 0;  ///< of the thread with the most
    std::uint64_t shuffle_values = 0;  ///< sum of the values that lanes give to shuffles, their
                                       ///< lower 32 bits, each times its lane's number from 1
    std::uint64_t left_in_shared = 0;  ///< sum of the 32-bit words of static shared variables as
                                       ///< blocks leave them
    std::uint64_t states = 0;  ///< of static shared variables and the followed array, if it has at
                               ///< most 16 KiB: each different content at a barrier or a block's
                               ///< end, except what a block begins with; of each the lower 32 bits
                               ///< of the sum of its words, each times its index from 1
    std::uint64_t warp_barriers = 0;
    std::uint64_t atomics = 0;     ///< once for each thread
    std::uint64_t steps = 0;       ///< basic blocks and accesses, once for each group of lanes that
                                   ///< runs them together
    std::uint64_t lane_steps = 0;  ///< the same, once for each lane
    std::uint64_t longest_thread = 0;  ///< steps of the thread with the most
    Moved moved[kMoves];               ///< by move_of()
    std::vector<Row> rows;             ///< by file, line, operation, space
    std::string notice;                ///< what was not counted, and why; empty if everything was

    Traffic total(Space space) const;
    Traffic total(Space space, Operation operation) const;
    /// Lanes that work at a step, of 32.
    double active_lanes() const;
};

struct Report {
    std::vector<KernelReport> kernels;  ///< in the order of their first launches
    Traffic total(Space space) const;
    double active_lanes() const;
};

/// What is wrong with a program.
enum class Fault : std::uint8_t {
    race,            ///< two threads use the same bytes, one stores, and nothing orders them
    out_of_bounds,   ///< an access beyond an array
    misaligned,      ///< an address that is not a multiple of the access's size
    read_only,       ///< __ldg of something that the same kernel writes
    escaped,         ///< the address of a shared variable, used outside its block
    uninitialised,   ///< a load of uninitialised memory
    host_pointer,    ///< a kernel uses host memory
    device_pointer,  ///< the host uses device memory
    overlap,         ///< extern __shared__ arrays at the same address, used as if they were not
    unused,          ///< dynamic shared memory that no thread uses
    backend,         ///< what the emulator itself finds: barriers, deadlock, copies, ...
    leak,            ///< device memory that is not freed
};

/// "out_of_bounds" for Fault::out_of_bounds.
const char* code(Fault fault);

/// What a reader changes to remove a fault. Texts may change, the codes may not.
enum class Cure : std::uint8_t {
    none,            ///< only the text says what helps
    block_barrier,   ///< a __syncthreads() at the place
    warp_barrier,    ///< a __syncwarp() at the place
    group_barrier,   ///< the sync() of a coalesced group at the place
    fence,           ///< a __threadfence() at the place
    device_fence,    ///< __threadfence() in place of __threadfence_block()
    device_scope,    ///< an atomic operation of the whole device in place of a block-wide one
    atomic_update,   ///< the line's change of a value as one atomic operation
    atomic_access,   ///< an atomic (or volatile) access in place of the line's plain one
    host_sets,       ///< the host sets the word before the kernel
    own_items,       ///< a different place for each thread
    other_half,      ///< the half of a two-part array that is not read
    copy_offset,     ///< the offset at the place in bytes
    copy_pitch,      ///< the two pitches at the place swapped
    end_kernel,      ///< two kernels, the second one from after the place
    other_array,     ///< what is written goes to another array
    test_index,      ///< the line runs only if its index is within the array
    test_lower,      ///< the same, for an index below 0
    wide_index,      ///< the index computed in 64 bits
    plain_load,      ///< a load without __ldg
    initialise,      ///< a value before the first read
    allocate_bytes,  ///< the allocation at the place with the number of items times their size
    launch_shape,    ///< the launch at the place with another number of threads
    launch_bytes,    ///< the launch at the place with as many bytes of dynamic shared memory
    larger_array,    ///< the array at the place with as many items
    block_index,     ///< the index in the block in place of that in the grid
    swapped_index,   ///< x and y of the line's index swapped
    own_copy,        ///< the lambda at the place captures by value
    byte_pitch,      ///< the pitch in the line as a number of bytes
    copy_bytes,      ///< the copy at the place with the size in bytes of all items
    one_array,       ///< one extern __shared__ array, the second after the first
    synchronise,     ///< a wait of the host at the place
    free_memory,     ///< cudaFree or cudaFreeHost at the end
};

/// "block_barrier" for Cure::block_barrier.
const char* code(Cure cure);

/// Where the fix belongs, relative to its line.
enum class Spot : std::uint8_t { at, before, after, within };
const char* code(Spot spot);

struct SourcePlace {
    std::string path;  ///< full, or empty: not known
    int line = 0;
    bool is_known() const { return line > 0; }
};

/// One of the parties to a fault.
struct Party {
    std::string who;                       ///< "thread 3 of block 0", "the host", "kernel fill"
    std::string what;                      ///< "writes it"
    bool is_call = false;                  ///< the host's call at the place, if not a thread's
    std::int64_t block = -1, thread = -1;  ///< of a thread of a kernel
    SourcePlace at = {};
    SourcePlace call =
        {};  ///< the kernel's line that calls the helper that `at` is in; or not known
};

/// A fault, or a note: not a fault, but worth a look. text() puts it into words.
struct Finding {
    Fault fault = Fault::race;
    std::string code;  ///< for programs: code(fault), the code of the emulator's reason, or a
                       ///< finer one such as wild_pointer
    bool is_note = false;
    std::string kernel;  ///< empty: the host
    std::string file;    ///< of the access, without its folder
    int line = 0;
    std::string other_file;  ///< of the other party, or empty
    int other_line = 0;
    std::string title;           ///< one line: what is wrong, in which kernel, on what
    std::vector<Party> parties;  ///< who did what, in the order of the text
    std::string evidence;        ///< what shows it
    std::int64_t item = 0,
                 items = 0;  ///< the index and the array's extent; for a copy its bytes, and all
    Cure cure = Cure::none;
    Spot spot = Spot::at;
    SourcePlace cure_place;   ///< not known: the fix has no single place
    std::string advice;       ///< the fix in words
    std::uint64_t times = 1;  ///< how often the same two lines did it
};

/// What happened and what to do, some lines; and how often, if more than once.
std::string text(const Finding& finding);

/// A JSON array; README.md describes its elements.
std::string json(const std::vector<Finding>& findings);

/// Only the faults, without the notes.
std::size_t count_faults(const std::vector<Finding>& findings);

/// From here on every kernel, and every access of the host in files that the lab sees, is checked
/// for faults, and nothing is counted. Blocks run one after the other, on one worker. If the
/// environment has TUTORIAL_TRACE=FILE, start_trace() follows.
void start_fault_detection();

/// From here on nothing is checked for faults any more.
void stop_fault_detection();

/// What was found since start_fault_detection() or since this was called last. `notice`, if not
/// null, receives what was not checked.
std::vector<Finding> take_findings(std::string* notice = nullptr);

/// What was checked since start_fault_detection(), and what was not: two lines to follow "No fault
/// found".
std::string looked_at();

/// Like start_fault_detection(), and writes what threads do to a file, one JSON object per line, at
/// most 200,000 of them. Both throw TraceError if the file cannot be written.
void start_trace(const std::string& file);
void stop_trace();

struct TraceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The device memory that has not been freed yet.
std::vector<Finding> leaks();

/// The kernels of a report as a JSON array; README.md describes it.
std::string json(const Report& report);

/// Counts what the kernels launched by `run` do. Where branches reconverge is learnt while they
/// run; if something learnt late changes a count, `run` is called once more (after `reset`, if
/// given), so it must do the same each time.
Report count(const std::function<void()>& run, const std::function<void()>& reset = {});

}  // namespace lab
