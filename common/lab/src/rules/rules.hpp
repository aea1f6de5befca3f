// What each rule is asked, and what it remembers. Each rule is defined in the file with its name.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/for_observers.hpp"
#include "finding_list.hpp"
#include "host_objects.hpp"
#include "lines.hpp"
#include "order/execution.hpp"
#include "race_cures.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "words.hpp"

namespace lab {

class IndexSource;

/// Observes what runs, and says what is wrong with it.
class Rule {
  public:
    Rule(Execution& run, FindingList& findings) : run_(run), findings_(findings) {}

  protected:
    Execution& run_;
    FindingList& findings_;
};

// `serial`: that of the block whose bytes were written (shared memory), or one of these; 0: what
// the cells say.
constexpr std::uint32_t kHoldsValues = ~std::uint32_t{0};  ///< not known
/// What the cells say, unless the bytes are no longer those of fresh memory (the host may have
/// written them unseen).
constexpr std::uint32_t kHoldsPoison = kHoldsValues - 1;

/// What the emulator has found by itself, in kernels and in calls of the host.
class EmulatorReports : public Rule {
  public:
    using Rule::Rule;
    void add();
    /// Whether this is already known here.
    void said(const std::string& text) { said_.insert(text); }
    void forget() { said_.clear(); }
    /// Whether a use of freed memory, or another free, has a cause that is already reported: it is
    /// added there. `said`: "…, which was freed at a.cu:7".
    bool is_later_use(const std::string& said, const SourcePlace& at, bool is_free);
    /// Which line has freed it too early, for a use by the kernel that runs; empty: not known.
    std::string too_early(const std::string& said) const;
    /// An atomic or volatile access of the running thread: what a loop may wait for.
    void may_wait(const Access& access) {
        if (waited_.address != access.address && waited_.bytes != 0) {
            others_[next_other_++ % others_.size()] = {waited_, waiting_, waiting_block_};
        }
        waited_ = access;
        waiting_ = run_.number;
        waiting_block_ = run_.block->index;
        note_change(access);
    }
    /// True: the host stores to what a kernel has waited for, and the two are no race.
    bool host_stores(SiteId id, std::uintptr_t address, std::size_t bytes);

  private:
    void add(const emulator::Report& said);
    /// If a thread never left a loop, this text comes before the emulator's.
    bool explain_endless_loop(const emulator::Report& said, Finding& made) const;
    /// Where the emulator's text has a second line that says less, `title` loses it.
    std::string explain_null(const emulator::Report& said, std::string& title) const;
    void explain_unreleased(const emulator::Report& said, Finding& made);
    /// Why some threads do not reach a barrier, a shuffle or a vote; empty: nothing tells.
    std::string explain_missing(const emulator::Report& said) const;
    std::string explain_launch(const emulator::Report& said, std::string& title) const;
    std::string explain_symbol(const emulator::Report& said) const;
    std::string explain_reference(const emulator::Report& said, std::string& title) const;
    /// The lines that use memory, and those that free it, after it was freed.
    struct LaterUses {
        std::set<int> uses, frees;
        bool is_of_owner = false;  ///< a destructor frees it, and the finding says so
    };
    std::string explain_freed(const SourcePlace& made, const SourcePlace& freed,
                              const LaterUses& uses) const;
    /// The path of a source file, by its name without the folder; empty: not known.
    std::string path_of(const std::string& name) const;

    /// The thread that has changed what a loop may wait for: known at the next access.
    struct Use {
        std::uint64_t block;
        int thread;
        SiteId site;
    };
    struct Word {
        std::uintptr_t address = 0;
        std::uint32_t epoch = 0;             ///< of the launch
        std::uint32_t value = 0;             ///< before the last use
        Use last{}, changed{0, 0, kNoSite};  ///< kNoSite: no thread has changed it
        bool is_lost = false;                ///< another word was here before in this launch
    };
    void note_change(const Access& access);
    const Word* word_of(const Access& access) const;
    bool has_ended(const Use& by) const;
    void choose_waited();
    /// The thread that was the last to change what the loop waits for; empty: not known.
    void add_changer(Finding& made);
    /// A loop that looks for a free item of a table in which none is. False: it is none.
    bool explain_full_table(Finding& made) const;
    std::string waits_for_itself(const Place& wait, const std::string& array, int store) const;

    std::set<std::string> said_;
    std::map<std::string, std::string> paths_;  ///< of source files, by their names
    std::map<FindingList::Key, LaterUses> later_uses_;
    Access waited_{};  ///< the last such access
    int waiting_ = 0;  ///< by this thread
    std::uint64_t waiting_block_ = 0;
    /// Those before it, of other words: a loop may compare two.
    struct Other {
        Access access;
        int thread;
        std::uint64_t block;
    };
    std::array<Other, 4> others_{};
    std::size_t next_other_ = 0;
    std::array<Word, 64> words_{};
    /// What a kernel has waited for and the host may change later.
    struct Awaited {
        std::uintptr_t address = 0;
        std::size_t bytes = 0;  ///< 0: there is none
        FindingList::Key key;
        emulator::Site launch;
        std::string said;  ///< by the emulator
    };
    Awaited awaited_;
};

/// Why an index is beyond its array, if more is known than the index: the array is too small, or
/// its rows are further apart than they should be.
class BoundsCauses : public Rule {
  public:
    using Rule::Rule;

    /// Whether the cause of this access beyond an array was reported with another one, and is
    /// counted there.
    bool is_explained(const Access& access, const Target& what);

    /// The memory from cudaMallocPitch from which an index leads this far away because it takes the
    /// pitch for a number of items; null: none.
    const Watched* far_from(const Access& access) const;

    /// Whether an access in this line beside this array was reported.
    bool is_missed(const Watched& memory, const SourcePlace& at);

    /// An access that was reported with this key goes this far, in bytes from the array's
    /// beginning.
    void reached(const FindingList::Key& key, std::size_t end);
    /// An access has ended the kernel: how far the others would have gone is not known.
    void kernel_is_ended();

    /// The part of an array that belongs to one thread.
    std::size_t item_bytes(const Access& access, const Watched& memory) const;
    const Watched* memory_of(const Access& access) const;

    /// Puts the cause and its fix into the report of an access beyond an array, if one is known.
    /// Not null: the key of all accesses beyond this array, which share that cause.
    const FindingList::Key* explain(const Access& access, const Target& what, Finding& made);

  private:
    /// An access beyond the end of an array, in bytes from its beginning.
    struct Beyond {
        std::size_t offset, bytes;  ///< of the access
        std::size_t array;          ///< the bytes of the array
        std::size_t item;           ///< the part of one thread, or of one struct
    };
    /// How far the accesses of launches at one place reach into shared memory.
    struct Reached {
        std::size_t bytes = 0;
        bool is_stored = false;      ///< there is a store beyond the given size
        bool is_swapped = false;     ///< x and y were exchanged
        bool is_grid_index = false;  ///< the block's array got the grid's index
    };

    static FindingList::Key key_of_place(const SourcePlace& place);
    const emulator::SharedRegion* region_before(const Access& access, const Target& what) const;
    FindingList::Key key_of(const emulator::SharedRegion& region) const;
    void explain_shared(const emulator::SharedRegion& region, const Access& access,
                        const Target& what, Finding& made);
    void explain_launch(const Beyond& beyond, const Reached& reached, Finding& made) const;
    void explain_array(const emulator::SharedRegion& region, const Beyond& beyond,
                       const Reached& reached, Finding& made) const;
    struct Position {
        std::size_t x, y;
    };
    Position position(bool in_block) const;
    bool is_grid_index(const Beyond& beyond) const;
    bool explain_pitch(const Watched& memory, const Beyond& beyond, Finding& made) const;
    bool explain_slices(const Watched& memory, Finding& made) const;
    bool explain_threads(const Watched& memory, const Beyond& beyond, const IndexSource& index,
                         Finding& made) const;
    void explain_load(const emulator::SharedRegion& region, const Access& access,
                      const Target& what, Finding& made);
    void offer_more(const SourcePlace& at, const Watched& memory, std::size_t item, Finding& made,
                    std::size_t end, bool is_array, const std::string& hint = {},
                    const std::string& why = {}, const std::string& test = {});
    static std::string rounded_down(const Watched& memory, const SourcePlace& at,
                                    const std::string& used);
    std::string test_of(const Watched& memory, const SourcePlace& at, const std::string& used,
                        std::size_t item, std::int64_t items, const IndexSource& index) const;
    bool explain_swapped(const Beyond& beyond, bool is_of_block, Finding& made) const;
    bool explain_rows(const Watched& memory, const Beyond& beyond, const IndexSource& index,
                      Finding& made) const;
    void explain_variable(const Variable& variable, const IndexSource& index, Finding& made) const;
    bool explain_passed(const Watched& memory, const Beyond& beyond, const IndexSource& index,
                        Finding& made);
    bool explain_flat(const Watched& memory, const Beyond& beyond, const IndexSource& index,
                      Finding& made);
    void explain_limit(const Watched& memory, const Beyond& beyond, const IndexSource& index,
                       Finding& made);
    bool explain_allocation(const Watched& memory, const Beyond& beyond, Finding& made);

    /// Advice that names the farthest access, and is put together again when there is a farther
    /// one.
    struct Later {
        std::size_t end = 0;
        std::uintptr_t memory = 0;  ///< of the array
        std::size_t parts = 0;      ///< its bytes, if each block had as many; 0: it is for all
        std::uint32_t epoch = 0;    ///< of the launch
        std::function<void(Finding&, std::size_t, bool is_all)> words;
    };

    /// "cudaMalloc in line 12", or the call of the function that calls it.
    std::string allocating(const Watched& memory) const {
        return helper_.empty() ? fmt::format("{} in line {}", memory.call, memory.site.line)
                               : helper_;
    }

    std::string helper_;  ///< of the memory that is explained; empty: there is none
    FindingList::Key key_;
    std::map<FindingList::Key, Reached> reached_;
    std::map<FindingList::Key, Later> later_;
};

/// An access that misses its array, and an index outside its array.
class OutOfBounds : public Rule {
  public:
    using Rule::Rule;
    void report(const Access& access, const Target& what);
    /// The same for an access far from any array; false: nothing tells which array was meant.
    bool report_far(const Access& access);

    /// An index outside its array, before it is used. If the access that follows lies in another
    /// array, that report says more.
    void index(emulator::Site site, const char* array, std::int64_t value);
    bool has_indexes() const { return !indexes_.empty(); }
    bool has_index_in(int line) const {
        return told_.count(line) != 0 ||
               std::any_of(indexes_.begin(), indexes_.end(),
                           [&](const Index& each) { return each.site.line == line; });
    }
    bool is_missed(const Watched& memory, const Place& at) {
        return causes_.is_missed(memory, source_place(at));
    }
    /// Reports the indexes whose accesses were not outside every array.
    void report_indexes();
    /// An access of the host that may be behind memory from new or malloc().
    void check_host(SiteId id, std::uintptr_t address, bool is_store);
    void kernel_is_ended() { causes_.kernel_is_ended(); }

  private:
    struct Index {
        emulator::Site site;
        std::string array;
        std::int64_t value;
        int thread;
        std::string who;  ///< kept here because a signal may end the launch before the report
    };
    /// False: it follows from another finding.
    bool explain_declared(Finding& made, const std::string& type, const FindingList::Key& key);
    std::vector<Index> indexes_;
    std::set<int> told_;  ///< lines of indexes that were reported
    /// The first report on each array, by its file, its line and the number of extents.
    std::map<std::tuple<std::string, int, std::size_t>, FindingList::Key> arrays_;
    /// The same for members of one item, by the file, the function's line, the array and the index.
    std::map<std::tuple<std::string, int, std::string>, FindingList::Key> members_;
    BoundsCauses causes_{run_, findings_};
};

/// A thread uses what an asynchronous copy has yet to write.
class AwaitedCopy : public Rule {
  public:
    using Rule::Rule;
    /// `word`: its address. True: it is reported.
    bool check(const Access& access, std::uintptr_t word, const Cell& cell);
    /// The key of a use of such memory. It differs from that of a race of the same lines, whose fix
    /// is chosen at the end.
    static FindingList::Key key(SiteId use, const SourcePlace& begun);
    bool is_known(const FindingList::Key& key) const { return known_.count(key) != 0; }
    /// Whether a copy that begins there is waited for too late, which was reported.
    bool is_late(const SourcePlace& copy) const { return late_.count({copy.path, copy.line}) != 0; }

  private:
    void report(const Access& access, const AsyncCopy& copy);

    std::set<FindingList::Key> known_;  ///< of uses that were reported, or are part of a report
    std::set<std::pair<std::string, int>> late_;  ///< copies
    /// Lines that are the cause, of a use and a copy, which is the using thread's own or not.
    struct CauseLines {
        int half = 0, late = 0, barrier = 0;  ///< 0: none
    };
    std::map<std::tuple<SiteId, SiteId, bool>, CauseLines> causes_;
};

/// Two threads use a word, at least one of them writes it, and nothing orders the two.
class DataRace : public Rule {
  public:
    using Rule::Rule;
    /// `shared`: the bytes of the word that both use, a bit for each.
    void report(const Access& access, std::uintptr_t word, unsigned shared, const Cell& cell,
                const Stamp& other, bool other_stores, const AwaitedCopy& awaited);
    /// What has been stored since: two stores of the same value are no fault.
    void settle() {
        if (!pending_.empty()) settle_all();
    }
    /// A word that the thread itself has just loaded by a plain load, before an atomic operation on
    /// it.
    void note_load_before(const Access& access, const Cell& cell, const Stamp& now);
    /// An atomic or volatile access to device memory: perhaps by a loop that waits.
    void note_wait(const Access& access);
    /// The same by an atomic or volatile load: no race, but others may do the same in between.
    void check_test_before(const Access& access, const Cell& cell, const Stamp& now);
    /// An atomic or volatile access: perhaps the test by a second thread.
    void check_test(const Access& access, const Stamp& now) {
        if (access.site == alone_.test) check_second_test(access, now);
    }
    /// The fix is known only when all races have been seen: later ones of the same lines may cross
    /// warps.
    void choose_cures(const WarpPaths& paths) { cures_.choose(findings_, paths); }
    void barrier_made(const emulator::AsyncBarrier& barrier) {
        cures_.make_barrier(&barrier, barrier.expected);
    }
    void barrier_reached(const void* barrier, int thread) {
        cures_.arrive(barrier, thread, [&] {
            return target(run_, reinterpret_cast<std::uintptr_t>(barrier), 1).name;
        });
    }

  private:
    /// What the report is made from, as it was at the second access.
    struct Race {
        Access access;
        Stamp other;
        RacePair pair;
        std::string kernel, item, mine, theirs;
        std::int64_t block;  ///< of the second access
        int thread;
    };
    /// Two stores that are not ordered: no fault if the second changes none of the bytes that both
    /// store.
    struct Pending {
        std::uintptr_t word;
        unsigned shared;
        std::array<unsigned char, kWordBytes> before;
        Race race;
        FindingList::Key key;
    };
    Finding race_finding(const Race& race);
    std::string overlapping_arguments(const Access& access, const Stamp& other);
    std::string one_array_for_two(const Access& access, const Stamp& other);
    /// A wait between the two that ends at once, because an earlier launch has counted; else empty.
    std::string counted_before(const Access& access, const Stamp& other);
    void settle_all();
    void check_second_test(const Access& access, const Stamp& now);

    std::vector<Pending> pending_;
    std::map<SiteId, bool> strides_;  ///< whether rows of a store's array are further apart
    RaceCures cures_;
    std::map<std::pair<SiteId, SiteId>, TestedCounter> tested_;  ///< by the test and the change
    /// A counter that one thread has tested and changed so far, perhaps all of it.
    struct Alone {
        SiteId test = kNoSite;
        std::uintptr_t address = 0;
        Stamp change = {};
        FindingList::Key key = {};
        Finding found = {};
    } alone_;
    /// A word that a loop waits for: what it held in the first launch and in this one when the
    /// first thread came to its loop.
    struct Counted {
        std::uint64_t first = 0, now = 0;
        std::size_t launch = 0;
        SiteId site = kNoSite;
    };
    std::map<std::uintptr_t, Counted> counted_;
    std::map<SiteId, bool> waits_;
    SiteId no_wait_ = kNoSite;  ///< the last access that is in no such loop
};

/// Kernels, copies, allocations and the host use the same memory, and nothing orders them.
class StreamRace : public Rule {
  public:
    using Rule::Rule;
    /// An access of the running thread, and one of another stream.
    void report(const Access& access, const Stamp& other, bool other_stores);
    /// Checks whether a stream's operation waits for the last users of the memory, and records the
    /// use.
    void check(const Party& mine, Watched* memory, std::uintptr_t address, std::size_t bytes,
               std::uint32_t epoch, bool is_store);
    /// The host frees its own memory, without waiting. `is_note`: or with a wait that CUDA does not
    /// promise.
    void check_free(const Party& mine, Watched& memory, std::size_t bytes, bool is_note);
    void check_host(SiteId site, Watched& memory, std::size_t offset, std::size_t bytes,
                    bool is_store);
    /// Races that one event orders become one finding.
    void join();
    /// A kernel begins. What comes before a flag is known only for the last one.
    void launched() { polled_ = {run_.streams.index_of_epoch(run_.epoch()), {}}; }
    /// A thread that waits for what a host function signals has also waited for all that came
    /// before that.
    void called(emulator::StreamCall call) {
        if (call == emulator::StreamCall::host_function_ends) polled_ = {};
    }

  private:
    void report(const Party& mine, const Watched& what, bool is_store, const Stamp& other,
                bool other_stores, bool are_atomic = false);
    void report_unfenced(const Party& mine, const Watched& what, const Stamp& other, bool stores);
    std::string about_wait(std::uint32_t epoch, const StreamOperation& before) const;
    void note_overlap(const FindingList::Key& key, const Access& access);

    /// The two operations of a finding, by their indices, and what its advice says.
    struct Pair {
        FindingList::Key key;
        std::uint32_t later, earlier;
        const char* waits;
        std::string about_wait;
        int others = 0;  ///< that the same event orders
    };
    std::vector<Pair> pairs_;

    /// What two kernels both write, if it is not much: bytes from the array's beginning.
    struct Overlap {
        std::uintptr_t memory;
        std::size_t first, last, item;
        std::string advice;  ///< if they do not each have a part
        std::uint32_t words = 0;
    };
    std::map<FindingList::Key, Overlap> overlaps_;

    /// What the host has seen through flags while a kernel may still run.
    struct Polled {
        std::uint32_t kernel = 0;  ///< the last one that was launched; 0: none
        Seen flags;
    };
    Polled polled_;
};

/// Threads take several locks in different orders.
class LockOrder : public Rule {
  public:
    using Rule::Rule;
    /// Before each store and atomic operation of the running thread.
    void check(const Access& access, bool is_operation) {
        const bool may_take = is_operation && access.site != no_lock_;
        if (may_take || !held_.empty()) look(access, is_operation);
    }

  private:
    using Thread = std::pair<std::uint64_t, int>;  ///< its block, and its number there
    struct Lock {
        std::uintptr_t word;
        SiteId site;
    };
    /// A thread has taken the second while it held the first, and the others.
    struct Order {
        Thread thread;
        std::uint32_t interval;
        SiteId first, second;
        Party party;
        std::vector<std::uintptr_t> others;
    };
    void look(const Access& access, bool is_operation);
    void note(const Thread& thread, const Lock& first, const Access& second,
              const std::vector<Lock>& all);
    void report(const Order& mine, const Order& other, bool is_pair);

    std::size_t launch_ = 0;
    std::map<SiteId, bool> takes_;
    SiteId no_lock_ = kNoSite;  ///< the operation that was last seen to take none
    std::map<Thread, std::vector<Lock>> held_;
    std::map<std::pair<std::uintptr_t, std::uintptr_t>, Order> orders_;
};

/// __ldg of something that the same kernel writes.
class ReadOnlyLoad : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, const Cell& cell, const Stamp& now);
    void check_store(const Access& access, const Cell& cell, const Stamp& now);
    bool has_seen_any = false;

  private:
    void report(const Access& access, SiteId other);
};

/// Memory of malloc() and new in kernels: accesses outside their allocations, and after these were
/// freed.
class KernelHeap : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, const Watched& heap, OutOfBounds& bounds);

    void given(std::uintptr_t at, std::size_t bytes);
    /// How many bytes were allocated here; 0 if none were.
    std::size_t bytes_at(std::uintptr_t at) const {
        const auto found = given_.find(at);
        return found != given_.end() ? found->second : 0;
    }
    void freed(std::uintptr_t at, SiteId site);

  private:
    bool report_freed(const Access& access, const Watched& heap);

    std::map<std::uintptr_t, std::size_t> given_;  ///< bytes
    struct Freed {
        std::size_t bytes;
        SiteId site;
        std::string who;
    };
    std::map<std::uintptr_t, Freed> freed_;  ///< since
};

class Misaligned : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, EmulatorReports& reports);

  private:
    [[noreturn]] void report(const Access& access, EmulatorReports& reports);
};

/// cudaMemcpy2D and cudaMemset2D with a distance between rows other than cudaMallocPitch's.
class CopyPitch : public Rule {
  public:
    using Rule::Rule;
    /// A row of a copy; `source`, `target`: the memory of the device that it has used, or null.
    void copied(const emulator::Copy& copy, const Watched* source, const Watched* target);

    /// Adds it to the report of missing items, if such a copy is among its parties, or has used
    /// `memory` (or null). False: there was no such report.
    bool explain(const Watched* memory, Finding& made);

    /// Whether such a copy explains another finding about the memory that this title names.
    bool is_told_of(const std::string& title) const;

    /// Those that explain none of the findings become notes.
    void add_notes();

  private:
    struct Mismatch {
        std::string call;
        emulator::Site site;
        bool is_target;
        std::size_t given, other, right;  ///< bytes between rows; `other`: on the other side
        std::uintptr_t memory;
        std::string description;  ///< of the memory
        bool is_told = false;
    };
    std::string words(const Mismatch& each) const;

    std::map<FindingList::Key, Mismatch> found_;  ///< by the place of the call
};

/// A copy to the host of sizeof(pointer) bytes, or of as many bytes as there are items.
class CopySize : public Rule {
  public:
    using Rule::Rule;
    /// `source`, `target`: the memory of the device that it has used, or null.
    void copied(const emulator::Copy& copy, const Watched* source, const Watched* target);

  private:
    /// What is wrong with the size, and the right one; empty: nothing.
    static std::string wrong_size(const emulator::Copy& copy, const Watched& source);

    /// Copies of rows that were looked at, and the bytes of a row.
    std::set<std::pair<FindingList::Key, std::size_t>> rows_;
};

/// A kernel reads what nothing has written.
class Uninitialised : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, Cells& cells, std::size_t offset, std::uint32_t serial);
    static void note_written(Cell& cell, unsigned mask, std::uint32_t serial) {
        if (serial != 0 && serial < kHoldsPoison && cell.serial != serial) {
            cell.serial = serial;
            cell.written = 0;
        }
        cell.written |= mask & 0xfu;
    }
    void note_copy(const emulator::Copy& copy, const Watched& memory);
    /// A copy to the host; `memory`: its source.
    void note_early_copy(const emulator::Copy& copy, const Watched& memory);

    CopyPitch pitches{run_, findings_};

  private:
    /// `missing`: how many of its bytes nothing has written.
    void report(const Access& access, std::size_t missing);
    void explain_short_copy(const Access& access, Finding& made);
    bool explain_early_copy(const Watched& memory, Finding& made) const;
    void explain_shared(const Access& access, Finding& made);
    void explain_others(const Access& access, const Watched* memory, Finding& made);
    bool is_output(const Access& access, const Watched& memory) const;
    void explain_missing(const Access& access, const Watched& memory, Finding& made) const;
    bool explain_counter(const Access& access, const Watched& memory, Finding& made) const;

    /// Of a kernel and a shared array in it: which of its items have values.
    std::map<std::pair<std::string, std::string>, FindingList::Key> told_of_;
    /// The last copy or fill of an array, if it did not reach the array's end.
    struct ShortCopy {
        std::string call;
        emulator::Site site;
        std::size_t begin, bytes;  ///< of its first row
        std::size_t pitch, rows;   ///< between rows, if there are several
        std::size_t from_pitch;    ///< the same for the source
        std::size_t room;          ///< of the source, from there; 0: it is not known
    };
    std::map<std::uintptr_t, ShortCopy> short_copies_;  ///< by the array's begin
    /// The last copy of a whole array, by the array's begin; and whether another one replaced it
    /// before a kernel was launched.
    struct WholeCopy {
        std::size_t launch = 0;  ///< how many there were
        emulator::Site site;
        const void* from = nullptr;
    };
    std::map<std::uintptr_t, WholeCopy> whole_copies_;
    struct CopiedAgain {
        std::string call;
        emulator::Site site, first;
    };
    std::map<std::uintptr_t, CopiedAgain> copied_again_;
    /// Calls that have copied an array to the host before it had any value.
    struct EarlyCopy {
        std::string call;
        emulator::Site site;
    };
    std::map<std::uintptr_t, EarlyCopy> early_copies_;  ///< by the array's begin
};

/// A local variable that has no value.
class UnsetVariable : public Rule {
  public:
    using Rule::Rule;
    void check_load(const Access& access);
    /// Once the value has been stored.
    void check_store(const Access& access);

  private:
    bool is_chance(const Access& access);
    void report(const Access& access, bool is_store);

    struct Words {
        std::uint32_t all = 0, near = 0;
    };
    std::vector<Words> words_;  ///< by place: all that were looked at, and those near the pattern
    std::set<FindingList::Key> masks_;  ///< places whose values may be masks of lanes
};

class OverlappingArrays : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, std::size_t offset);

  private:
    /// The last store to a word of the running block, and the last load after it.
    struct Word {
        std::string array;  ///< empty: not known
        SiteId written = kNoSite;
        int writer = 0;
        SiteId read = kNoSite;
        int reader = 0;
    };
    const std::string& array_of(const Access& access);
    bool reads_one_of_each(const Place& place) const;
    void report(const Access& access, const std::string& lost, const Word& word);

    struct SiteArray {
        bool is_numbered = false, is_asked = false;
        std::size_t number = 0;  ///< among the places of its line that store
        std::string name;
    };
    std::vector<SiteArray> sites_;
    std::map<std::pair<std::string, int>, std::size_t> stores_;  ///< places that store, by line
    std::vector<Word> words_;
    std::uint32_t serial_ = 0;
};

/// Dynamic shared memory that a launch requests and no thread uses.
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

class EscapedAddress;

/// A kernel uses an address at which there is no device memory.
class HostPointer : public Rule {
  public:
    HostPointer(Execution& run, FindingList& findings, const EscapedAddress& escaped)
        : Rule(run, findings), escaped_(escaped) {}
    void report(const Access& access, OutOfBounds& bounds, EmulatorReports& reports);
    /// The thread uses a local variable of a function that has returned; or loads the address of
    /// one, which was local to `owner`.
    void report_ended(const Access& access, const std::string& owner = {});

  private:
    /// Says which struct holds the pointer. Returns the key of what has one cause with it.
    FindingList::Key add_copy(Finding& made, std::uintptr_t address,
                              const FindingList::Key& key) const;
    /// Where the address of the local variable was stored, if that is known.
    void add_store(Finding& made, std::uintptr_t address) const;
    const EscapedAddress& escaped_;
    std::map<FindingList::Key, FindingList::Key> causes_;  ///< of reports that have one
    bool has_used(const Watched& array, SiteId site) const;
};

/// The address of a shared variable is used by another block, or by a later launch; or that of a
/// local variable by another thread.
class EscapedAddress : public Rule {
  public:
    using Rule::Rule;
    /// Once the value has been stored.
    void check_store(const Access& access);
    void check_load(const Access& access, HostPointer& host_pointer);
    /// Where the address of the local variable that is here was stored; kNoSite: not known.
    SiteId stored_at(std::uintptr_t address) const;

  private:
    void report(const Access& access, std::uint64_t block, bool is_other_launch);

    /// By the place where the address was stored: whose it is.
    struct Escaped {
        std::uint32_t epoch;
        std::uint64_t block;
        std::uintptr_t value;
        int thread;  ///< -1: of all threads of the block
        SiteId site;
    };
    std::map<std::uintptr_t, Escaped> escaped_;
};

/// What a kernel has written to the memory of its argument, a copy of an object with memory of its
/// own, ends with that copy.
class LostCopy : public Rule {
  public:
    using Rule::Rule;
    void launch_ends();
};

/// The host uses a pointer to device memory, or to freed memory.
class DevicePointer : public Rule {
  public:
    using Rule::Rule;
    void report(SiteId id, const Watched& what, bool is_store);
    void report_freed(SiteId id, std::uintptr_t address, bool is_store);
    /// The host uses a __device__ variable by its name.
    void report_variable(SiteId id, const Variable& variable, bool is_store);
    /// Whether CUDA gave this memory; false also while another thread is asking.
    static bool is_of_cuda(std::uintptr_t address);
    /// The C library's free() or a `delete`, called at an instruction, gets such memory.
    void report_free(const void* pc, std::uintptr_t address, const std::string& call);
    /// The same for memory of the host that cudaHostRegister was given. Returns who frees it where.
    static bool is_registered(std::uintptr_t address);
    Party report_registered(const void* pc, const std::string& call);
};

/// Functions of the host in a kernel: a pointer to one, or an object whose virtual functions they
/// are. The emulator has only one memory, so there the kernel could call them.
class HostFunction : public Rule {
  public:
    using Rule::Rule;
    HostObjects objects;
    void check_argument(const emulator::Launch& launch, int position, const void* function);
    void check_load(const Access& access, const Watched& memory);

  private:
    void report(const Access& access, const std::string& name, bool is_function);
};

/// A kernel reads numbers of several bytes of which cudaMemset has set each byte to 1 or the like.
class BytesSet : public Rule {
  public:
    using Rule::Rule;
    /// A fill; `memory`: its target.
    void filled(const emulator::Copy& copy, Watched& memory);
    /// A load or an atomic operation in such memory.
    void check(const Access& access, Watched& memory);

  private:
    struct Fill {
        std::string call;
        emulator::Site site;
        long number = 0;  ///< as given, of which the call takes the lowest byte
    };
    std::map<std::uintptr_t, Fill> fills_;  ///< by the begin
};

/// A counter by which a block knows that it is the last one to finish: an earlier launch has
/// counted there as well, and it was not set back.
class BlockTicket : public Rule {
  public:
    using Rule::Rule;
    /// An atomic operation in device memory.
    void check(const Access& access, const Stamp& now);
    /// A plain store to a counter from which blocks take tickets, by a block that need not be the
    /// last one: the ticket of another block; null: it is none.
    const Stamp* ticket_before(const Access& access, const Stamp& now) {
        return counters_.empty() ? nullptr : other_ticket(access, now);
    }
    /// Says why memory that begins here was never written, if the kernel that got it took numbers
    /// from a counter that an earlier launch has left above 0.
    void explain_left(std::uintptr_t memory, Finding& made) const;

  private:
    void note_left(const Access& access);
    const Stamp* other_ticket(const Access& access, const Stamp& now);
    struct Left {
        std::set<std::uintptr_t> memory;  ///< the launch's arguments, by their begin
        std::string kernel, counter;
        std::uint64_t value;
        emulator::Site launch;
        int line;  ///< that takes a number
    };
    std::vector<Left> left_;
    std::map<SiteId, std::size_t> taken_;  ///< the last launch in which a number was taken here
    SiteId last_taken_ = kNoSite;
    std::size_t last_launch_ = 0;
    struct Counter {
        std::size_t launch = 0;     ///< the last one that has used it
        std::uint64_t counted = 0;  ///< since it was 0
        emulator::Site site = {};
        std::uint64_t generation = 0;  ///< barriers of the grid before the last one
        Stamp last = {}, other = {};   ///< the last ticket, and that of another block
    };
    /// "ticket == gridDim.x - 1", of what an atomic operation has returned, or of one more.
    struct LastTest {
        int line = 0;  ///< 0: there is none
        std::string limit;
        int added = 0;
    };
    static LastTest test_of(const std::string& file, int line);

    std::map<std::uintptr_t, Counter> counters_;
    std::map<std::pair<SiteId, SiteId>, bool> for_any_;  ///< by the ticket and the store
    std::map<SiteId, LastTest> tests_;                   ///< by the operation
    SiteId other_ = kNoSite;                             ///< the last one without
};

/// Items of a tile that were not stored in this round of a loop, past the end of the data: they
/// hold what an earlier round has stored, and are added up once more.
class EarlierRound : public Rule {
  public:
    using Rule::Rule;
    /// A store to an array in shared memory: at least the first of each place in a block.
    void stored(SiteId site, const emulator::SharedRegion& region);
    /// The block is about to pass a barrier.
    void interval_ends(const WatchedBlock& block) {
        if (has_any_) ends(block);
    }

  private:
    struct Store {
        std::string name;
        std::size_t offset = 0, bytes = 0;  ///< of the array; no bytes: it is no such store
        Guard guard = {};
        bool is_said = false;
    };
    bool is_partial(const Place& store);
    static bool is_summed(const Place& read);
    void ends(const WatchedBlock& block);
    void report(const WatchedBlock& block, const Store& store, std::size_t word, const Cell& cell);

    std::map<SiteId, Store> stores_;
    Guard guard_;  ///< of the store that is_partial() was asked about
    bool has_any_ = false;
};

/// The host reads a clock before and after a launch, and has not waited for the kernel in between.
class HostClock : public Rule {
  public:
    using Rule::Rule;
    void launched(std::uint32_t operation, const std::string& kernel, emulator::Site site);
    void read(const void* pc, bool through_clock);
    void add_notes();

  private:
    struct Launched {
        std::uint32_t operation;
        std::size_t readings;  ///< how many came before it
        std::string kernel;
        emulator::Site site;
    };
    struct Early {
        std::pair<std::string, int> begin;  ///< the first of the two readings
        SourcePlace read;                   ///< the second
        Launched launch;
    };
    std::vector<std::vector<Place>> readings_;  ///< the calls that led to each
    std::vector<Launched> launches_;            ///< for which the host may not have waited
    std::vector<Early> early_;
    std::set<std::pair<std::string, int>> measured_;  ///< from here to a time after a wait
};

class ConstantStore : public Rule {
  public:
    using Rule::Rule;
    void report(const Access& access);
};

/// __constant__ variables (and __device__ ones) that the host has set in part, and whose rest a
/// kernel uses: a size or an offset was given in items instead of bytes.
class SetInPart : public Rule {
  public:
    using Rule::Rule;

    /// A copy; `target`: the memory of the device that it has used, or null.
    void copied(const emulator::Copy& copy, const Watched* target);

    /// Whether an access here may be of interest.
    bool may_hold(std::uintptr_t address) const { return address - low_ < high_ - low_; }

    /// A kernel's load. `bounds`: an index outside another array may have led here.
    void check(const Access& access, const OutOfBounds& bounds);
    /// A kernel's load of a __constant__ variable that no copy has reached.
    void check_never_set(const Access& access, const lab::Variable& variable,
                         const OutOfBounds& bounds);

  private:
    std::set<std::uintptr_t> looked_at_;  ///< the variables' beginnings
    struct Part {
        std::string call;
        emulator::Site site;
        std::size_t begin, bytes;
        bool overlaps;  ///< it has overwritten what another one had set
    };
    struct Variable {
        std::string name;
        std::vector<bool> is_set;  ///< of each byte
        std::vector<Part> parts;
        bool is_constant;
        bool has_initial_values;  ///< other than 0
    };
    const Part* offset_in_items(const Variable& variable, std::size_t item) const;

    std::map<std::uintptr_t, Variable> variables_;  ///< by their begin
    std::uintptr_t low_ = 0, high_ = 0;             ///< all of them are between these
};

class ShuffleSource : public Rule {
  public:
    using Rule::Rule;
    void report(int asking, int source, unsigned mask, emulator::Site where);
    /// A lane asks for the value of a lane outside its group of `size` lanes.
    void report_beyond(emulator::ShuffleBeyond how, unsigned asked, unsigned size,
                       emulator::Site where);
    /// __activemask() returned `lanes`, not all lanes of the warp.
    void report_mask(unsigned lanes, unsigned all, emulator::Site where);
};

}  // namespace lab
