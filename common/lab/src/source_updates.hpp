// What a thread does between a load and a store of the same item, as far as source lines show it.
#pragma once

#include <string>
#include <vector>

#include "source_calls.hpp"

namespace lab {

/// The plain assignments of a line: "next[i] = head[b]". `target` and `value` are without blanks,
/// `target` also without the type of a declaration, which `declared` has.
struct Assignment {
    std::string target, value, declared;
};
std::vector<Assignment> assignments(const std::string& file, int line);

/// Whether all threads mean one place by it ("*p", "best->index"), or one that depends on what they
/// have read ("head[bucket[i]]"): then several may choose the same.
bool is_shared_place(const std::string& file, int line, const std::string& target);
/// The same, only for one place.
bool is_one_place(const std::string& target);

/// "&x[i]", and "x" for "*x".
std::string address_of(const std::string& item);

/// The item that a line changes by += or the like, from nothing else of that array, and what does
/// it at once: "sum[b]", "atomicAdd(&sum[b], x)". Empty: it does not.
struct ItemUpdate {
    std::string target, operation;
    std::string name() const;  ///< of the variable or the array
};
ItemUpdate update_of(const std::string& file, int line);

/// What gives each thread a number of its own, for a line that uses the old value of what it
/// counts: "atomicAdd(tail, 1)" for "slot = (*tail)++;"; empty: it does not.
std::string counter_of(const std::string& file, int line);

/// The atomic operation for the line's "x |= v", "x += v", "x++": "atomicOr(&x, v)"; empty: none.
std::string operation_for(const std::string& file, int line);

/// What a line computes from its own value, other than by a sum: "seed" of "seed = seed * a + c" or
/// "seed ^= seed << 13"; empty: nothing.
std::string state_of(const std::string& file, int line);

/// Two items of one array that lines (from before the first to after the last) exchange: "x[i]" and
/// "x[j]".
struct Exchanged {
    std::string one, other;  ///< without blanks; empty: they exchange none
    int line = 0;            ///< the first that stores one of them
};
Exchanged exchanged_items(const std::string& file, int first, int last);

/// What does the load and the store of an item at once: "old = atomicExch(&head, i)"; empty: the
/// two lines do not load and store the same item.
std::string exchange_of(const std::string& file, int load, int store);

/// Two neighbouring lines that load and store one item; `line` is one of them.
struct SplitUpdate {
    std::string operation;  ///< as of exchange_of(); empty: there are none
    int load = 0, store = 0;
};
SplitUpdate split_update_at(const std::string& file, int line);

/// A store that follows a test of what it overwrites: "while (table[s] != EMPTY) …; table[s] =
/// key;"
TestAndSet tested_store(const std::string& file, int load, int store);

/// "if (count < room) place = atomicAdd(&count, 1);": a counter is tested, and then changed.
struct TestedCounter {
    std::string operation;  ///< "atomicAdd"; empty: it is not that
    /// The variable for what it returns, which is an index then, and which nothing tests; empty:
    /// what it returns is not used.
    std::string place;
    std::vector<int> used;  ///< the lines after it that name the counter
    std::string least;      ///< what they may use in its place: "min(count, room)"
    bool is_mark = false;   ///< no count, but what atomicExch() or atomicMin() stores
    int claimed = 0;        ///< then: the line that only one of those that pass should do; 0: none
};
TestedCounter tested_counter(const std::string& file, int test, int operation);

/// The condition of an `if` or a `while` on this line, without blanks; empty: there is none.
std::string condition_of(const std::string& code, bool* is_loop = nullptr);

/// Whether what a call in this line returns is used only in branches whose conditions do not name
/// it: "other = __shfl_down_sync(...); if (lane + d < count) sum += other;".
bool is_used_in_branches(const std::string& file, int line, const std::string& call);

/// Whether a branch or a loop depends on a variable that the line loads: in the line's condition,
/// or in a later one that tests what the line has stored in another variable.
bool decides_branch(const std::string& file, int line, const std::string& variable);

/// Whether the line stores by atomicExch() what it computes from the same word:
/// "atomicExch(sum, *sum + x)".
bool exchanges_own_value(const std::string& code);

/// Whether the line adds up (or takes the extreme of) what many threads give: atomicAdd, atomicMax.
bool is_accumulated(const std::string& code);

/// Why the loop around the line may never end, as far as its `for` shows it: its variable cannot
/// reach the limit. If it does not show it, a question.
std::string endless_condition(const std::string& file, int line);

/// Whether the program computes the time from the reading of a clock in one line to that in
/// another: "t1 - t0", or by two calls of one timer.
bool is_time_between(const std::string& file, int first, int second);

/// The variable with the expected value of an atomicCAS() in a loop that reads it only before the
/// loop; empty: there is none.
std::string stale_expected(const std::string& file, int line);

/// The line of a cuda::barrier that all threads pass between the two lines, in a loop around them
/// also from one round to the next; 0: there is none.
int phase_between(const std::string& file, int low, int high);

/// The name of the cuda::barrier at which a line arrives: "full" of "full[i].arrive();".
std::string barrier_on(const std::string& code);

/// The lines of the function around the line that arrive at the same cuda::barrier, by its name.
std::vector<int> arrivals_at(const std::string& file, int line);

/// The init() of the cuda::barrier at which a line arrives, by its name; else the last one above.
int init_of(const std::string& file, int line);

/// The line of the function around the line that waits for a stage of a pipeline, if nothing in the
/// file releases one, so that it waits for the first stage only; else 0. `pipeline`: its name.
int unreleased_wait(const std::string& file, int line, std::string* pipeline);

/// An index "place[i]" (or a variable with that value) from an array in which the host has added up
/// each item with all before it, "place[i] += place[i - 1];": the places begin with 1, and what to
/// do. `launch`: the line that passes the array. The same for a place counted by __popc(). Empty:
/// it is neither.
std::string inclusive_place(const std::string& file, int line, const std::string& index,
                            const std::string& host_file, int launch);

/// The nearest line above that calls a function of this name; 0: none does.
int call_above(const std::string& file, int line, const std::string& function);

}  // namespace lab
