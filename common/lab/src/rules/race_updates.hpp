// What helps where two threads change an item, and no barrier would help. Each of these returns
// false, and leaves the finding as it is, if the race is not of its kind.
#pragma once

#include "race_pair.hpp"
#include "source_locks.hpp"
#include "source_updates.hpp"

namespace lab {

/// How the advice of choose_block_part() begins.
constexpr const char* kBlockPart = ". The address of";
/// And that of choose_random_state(), for a state that is no library's.
constexpr const char* kNextState = ". The next value of";
/// And that of choose_updates(), where each update is a load and a store in two lines.
constexpr const char* kSplitUpdate = ". Between the load and the store in lines";
/// A counter is tested before it is changed, and what the operation returns is not: what to do.
std::string tested_counter_advice(const TestedCounter& found, int test, int operation);
bool choose_tested_counter(Finding& finding, const Race& race);
/// A thread counts on in a part of an array, "list[i * 16 + found++]", beyond the end of its part.
bool choose_full_part(Finding& finding, const Race& race);
/// The index has the number of a thread in its block, and not that of the block.
bool choose_block_part(Finding& finding, const Race& race);
/// Several threads draw random numbers from one state.
bool choose_random_state(Finding& finding, const Race& race);
/// A thread writes while it holds a lock, and another reads or writes without it.
bool choose_lock(Finding& finding, const Race& race);
/// The largest or smallest value of all threads, found by a test and a store.
bool choose_extreme(Finding& finding, const Race& race);
/// A pipeline's buffer is given back before another line of the loop has read it, and filled again.
bool choose_early_release(Finding& finding, const Race& race);

/// A loop waits for a word by plain loads.
bool choose_plain_wait(Finding& finding, const Race& race);
/// One lane counts for all of them, and does not hand out what it has got: they choose one place.
bool choose_lone_value(Finding& finding, const Race& race);
/// A thread tests an item and then stores it, as to claim it; others do the same.
bool choose_test_and_set(Finding& finding, const Race& race);
/// Both lines add to an item of one array, without another item of it.
bool choose_updates(Finding& finding, const Race& race);
/// Each thread is to get a number of its own from a counter.
bool choose_counter(Finding& finding, const Race& race);
/// Two threads exchange the same two items. Where they do it: one finding is enough.
int line_of_exchange(const Race& race);
bool choose_partner(Finding& finding, const Race& race);
/// One line loads an item, and another stores it, both in all threads.
bool choose_exchange(Finding& finding, const Race& race);
/// All threads that pass a test store to one place.
bool choose_one_result(Finding& finding, const Race& race);
/// Two lines store through two pointers into one shared array, which are to be two arrays.
bool choose_overlap(Finding& finding, const Race& race);

/// What changes the item of the later line at once, in words: "an atomic operation".
std::string atomic_for(const Race& race);

/// Whether both access the item while they hold a lock.
bool share_lock(const Race& race);
/// The lock that both hold; no lines: there is none.
Lock shared_lock(const Race& race);
/// Whether both have an index from an atomic operation, which has given them the same one.
bool is_same_ticket(const Race& race);
/// The counter of that operation if it is in shared memory, and the places are those of all blocks;
/// else empty.
std::string counter_of_block(const Race& race);

}  // namespace lab
