// What the source says about a call's arguments, for fixes: how a number of bytes was computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lab {

/// The arguments of the call of a function in the statement at this line; empty: it is not there.
/// "<<<": the text between <<< and >>>; ">>>": the arguments of a launch.
std::vector<std::string> call_arguments(const std::string& file, int line, const std::string& call);

/// The initial value of a variable of this name, declared on this line or on one above; `where`:
/// the line.
std::string definition(const std::string& file, int line, const std::string& name,
                       int* where = nullptr);

/// What a value is computed by: of a variable its definition, of a parameter what the only call
/// passes, of a call what the function returns; each only in the same file. `where`: the line.
std::string computation(const std::string& file, int line, const std::string& expression,
                        int* where);

/// The place after the bracket that closes the one at `open`; the end of the code if none does.
std::size_t after_bracket(const std::string& code, std::size_t open);

/// "x + 1" of "((x + 1))".
std::string without_brackets(std::string text);

/// The name that ends before this place: "big" of "big[i] = 1;" at its bracket.
std::string name_before(const std::string& code, std::size_t end);

/// How a number of bytes is computed.
struct SizeText {
    std::string text;          ///< the expression, or that of the variable it names
    std::string measure;       ///< "sizeof(float)", the first in it; empty: there is none
    std::size_t bytes = 0;     ///< of that; 0: not known
    bool is_pointer = false;   ///< it is the size of a pointer
    bool is_in_items = false;  ///< it names a number of items, not of bytes
};

/// `pointer`: what will point to the bytes; `item`: the size of one; `access`: of one access to
/// it.
SizeText size_text(const std::string& file, int line, const std::string& expression,
                   const std::string& pointer, std::size_t item, std::size_t access);

/// Whether it is the length of a text without the 0 at its end, "strlen(word)".
bool leaves_out_end(const SizeText& size);

/// Whether a variable of this name is declared as a pointer, on this line or on one above.
bool is_pointer_variable(const std::string& file, int line, const std::string& name);

/// A local variable that is declared without a value.
struct UnsetText {
    std::string name, type;
    int line = 0;
};
/// Those of the function around a line, down to it, that no statement sets before another use.
std::vector<UnsetText> variables_without_value(const std::string& file, int line);

/// Whether a line assigns an item of an array a number: its first value.
bool is_first_value(const std::string& code);

/// The group made by coalesced_threads() on an earlier line of the same kernel; empty if there is
/// none.
std::string coalesced_group(const std::string& file, int line);

/// Whether a line changes a value by an operation: +=, ++ and the like.
bool is_operation(const std::string& code);

/// Whether an array in shared memory has two halves, by its declaration above this line.
bool has_two_halves(const std::string& file, int line, const std::string& name);

/// Whether an index in the line, or the value of a variable in it, is the result of a function
/// whose name begins like this.
bool is_index_from(const std::string& file, int line, const std::string& function);

/// The lines that call the device function around this one; none for a kernel.
std::vector<int> calls_of_function(const std::string& file, int line);

/// Whether an expression names the variable, or others whose values do.
bool is_computed_from(const std::string& file, int line, const std::string& expression,
                      const std::string& variable, int depth = 3);

/// Whether an index of the array in the line is computed from this variable, such as blockIdx,
/// perhaps by way of others. If the line does not name the array: whether any index is.
bool is_index_computed_from(const std::string& file, int line, const std::string& array,
                            const std::string& variable);

/// How the index of what a line stores comes to be the same one in several threads.
struct SharedIndex {
    std::string name;         ///< the variable, or empty: it is in the brackets themselves
    std::string text;         ///< "min(i, w - 1)"; empty: nothing tells
    int line = 0;             ///< where it gets that
    bool is_clamped = false;  ///< to the first or the last item; else: an operation like / or %
};
SharedIndex shared_index(const std::string& file, int line);

/// A test whether an item has a certain value, and a store to it if so, in lines as close.
struct TestAndSet {
    int test = 0, store = 0;  ///< their lines; 0: there is none
    std::string operation;    ///< what does both at once: "atomicCAS(&table[slot], EMPTY, key)"
};
TestAndSet test_and_set(const std::string& file, int first, int last);

/// Whether the compare-and-swap on this line acquires what a later line gives back: a lock, or a
/// state that changes again.
bool is_swap_of_lock(const std::string& file, int line);

/// Whether the line is a loop that waits, and does nothing else: "while (*flag == 0) {}".
bool is_wait(const std::string& file, int line);

/// Whether the line names a volatile variable of the file for whose change a loop there waits:
/// "while (flag == 0);".
bool names_polled(const std::string& file, int line);

/// Whether the volatile variables on the line (or, if it names none, all of the file) are only
/// data, not flags: no condition and no operation uses one, or what a line has read from one.
bool are_volatiles_data(const std::string& file, int line);

/// The nearest line above (of some) that exchanges two variables by swap(); 0: none does.
int line_of_swap(const std::string& file, int line);

/// A kernel that the file defines, but that nothing in it launches or names otherwise.
struct UnlaunchedKernel {
    std::string name;  ///< empty: there is none
    int line = 0;
};
UnlaunchedKernel unlaunched_kernel(const std::string& file);

/// Whether the function that begins in this line stores items of its parameter of this name, and
/// does not use it otherwise.
bool is_only_stored(const std::string& file, int line, const std::string& name);

/// How many items of the array a line stores.
int stores_in(const std::string& code, const std::string& array);

/// Whether two lines may use the same half of an array tile[2][n]: otherwise the text in its first
/// brackets differs.
bool may_be_one_half(const std::string& line, const std::string& other, const std::string& name);

/// The last name in an expression: "d" of "(void**)&d".
std::string last_name(const std::string& expression);

}  // namespace lab
