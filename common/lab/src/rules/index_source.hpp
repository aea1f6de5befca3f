// Where an access gets its pointer and its index from: the launch's arguments, and what the source
// computes from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/lab.hpp"
#include "order/execution.hpp"
#include "places.hpp"
#include "source_values.hpp"

namespace lab {

/// A pointer that the launch has passed.
struct PassedPointer {
    int position = 0;  ///< of the argument; 0: none
    std::string text;  ///< as written in the launch; "" if that is not known
    std::uintptr_t pointer = 0;
    bool is_member = false;  ///< of an object that is the argument
};

/// A test that an expression must pass, and the number that it is compared with.
struct Limit {
    Guard guard;
    std::optional<std::int64_t> value;
};

/// In what thread_number_fault() says.
constexpr const char* kInBothThreads = " in both threads, as line";

class IndexSource {
  public:
    /// Of the running thread's access.
    IndexSource(const Execution& run, const Access& access)
        : IndexSource(run, access, place_of(access.site)) {}
    /// By way of the line at this place.
    IndexSource(const Execution& run, const Access& access, const Place& at)
        : IndexSource(run, access, at, run.number) {}
    /// Of another thread of the running block.
    IndexSource(const Execution& run, const Access& access, const Place& at, int thread);

    /// All that the line indexes.
    const std::vector<IndexText>& indexes() const { return indexes_; }
    /// The one of which it is certain that it has led to this item of what the launch has passed;
    /// else the only one in the line; null: not known.
    const IndexText* index_to(const Watched& memory) const;
    /// The same for an array that begins there.
    const IndexText* index_from(std::uintptr_t begin) const;

    /// The array near the access from whose beginning, which the launch has passed, an index of a
    /// known value leads there; null: none is known.
    const Watched* array_meant() const;

    /// An expression's value in the running thread at that line.
    std::optional<std::int64_t> value(const std::string& expression) const {
        return values_.of(expression);
    }
    /// The tests of an expression before that line; for a function's parameter also those of what
    /// the kernel gives it.
    std::vector<Limit> limits_of(const std::string& expression) const;
    /// The name of a parameter with this value; else the number.
    std::string name_of(std::int64_t value) const;
    /// Whether it is the name of a number that the launch passes.
    bool is_parameter(const std::string& name) const;
    /// Whether it is a parameter's name, or a number: the same in all threads.
    bool is_uniform(const std::string& expression) const;

    /// The pointer into (or just past) the memory from which the access has started.
    PassedPointer passed(const Watched& memory) const;
    /// All of the launch that lead there, in the order of their addresses.
    std::vector<PassedPointer> all_passed(const Watched& memory) const;

    /// If a function of the host has allocated the memory for the variable that the launch passes:
    /// its call there, "upload(rows, n) in line 12"; empty: none has.
    std::string allocating_call(const Watched& memory) const;

    /// If a variable of an index runs further than the factor of the next one: that different
    /// threads get one item, and why; empty: none does.
    /// `items`: if not 0, only if the threads within the limits are as many as the array has items.
    std::string stride_fault(std::int64_t items = 0) const;
    /// If the thread and another one of its block have one index because the numbers of threads in
    /// x, y and z are put together by the wrong row length: what to do; empty: they have not.
    std::string thread_number_fault(int other) const;
    /// If the line uses a row and a column that is no column of it, by the thread's number: what to
    /// do; empty: it does not.
    std::string beyond_row() const;
    /// If a loop of the kernel around the line goes on by fewer items than the grid has threads, so
    /// that several blocks do the same ones: which, and what to do; empty: none does.
    std::string step_of_one_block(bool is_between_blocks) const;
    /// What the line's index is computed from without ever having got a value: a variable, or a
    /// member of an object that the launch has passed; and what to do. Empty: nothing is known.
    std::string unset_origin() const;
    /// For a line that takes an address from an array of pointers which contains none: what to do
    /// instead; empty: it is no such line.
    std::string row_pointers() const;
    /// The same for an address far from any array, from the pointers that the line names.
    std::string far_origin(std::int64_t* item) const;
    /// Why an index has this value, and what to do; empty: nothing tells.
    std::string origin(std::int64_t item, std::int64_t items) const;

  private:
    int axis_of(const std::string& term) const;
    std::optional<std::int64_t> value_of_name(const std::string& name) const;
    /// Where the array begins if this index, of a known value, has led to the access.
    std::optional<std::uintptr_t> start_of(const IndexText& each) const;
    /// Whether the line names the parameter of this argument of the launch.
    bool names_parameter(int position) const;
    std::string text_in_kernel(const std::string& name) const;
    IndexSource kernel_line() const;
    std::optional<std::int64_t> member_value(const std::string& object,
                                             const std::string& member) const;
    std::optional<std::int64_t> template_value(const std::string& name) const;
    std::string origin_of(const std::string& index, std::int64_t item, std::int64_t items) const;
    std::string filled_origin(std::int64_t item) const;
    int uses_of(const std::string& name) const;
    std::string atomic_origin(const std::string& index, std::int64_t item,
                              std::int64_t items) const;

    const Execution& run_;
    int number_;  ///< of the thread
    const Access& access_;
    std::string file_;
    int line_;
    FunctionText function_;
    std::vector<IndexText> indexes_;
    SourceValues values_;
};

/// "d + offset" of the launch in this line; empty: not known.
std::string launch_argument(emulator::Site launch, int position);

}  // namespace lab
