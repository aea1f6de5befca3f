// What the source says about an index: where the array is declared, how the index is computed, and
// what an expression is worth in the thread that uses it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lab {

/// An array and an index: of "out[y * w + x]" the name and the text in the brackets.
struct IndexText {
    std::string array, index;
    std::size_t position = 0;  ///< of several: 1 for x of tile[y][x]
};

/// Whether a line uses members of items: "x[i].y", "x->y".
bool has_members(const std::string& code);

/// All of a line.
std::vector<IndexText> indexes_of(const std::string& code);

/// "y * w + x + 1": an index of a row and a column.
struct FlatIndex {
    std::string row, width, column;
};
/// No row: it is not of that kind.
FlatIndex flat_index(const std::string& index);

/// The terms of an index: of "z * a + y * w + x" the products of two and the others.
struct IndexTerms {
    std::vector<std::pair<std::string, std::string>> products;
    std::vector<std::string> singles;
};
IndexTerms index_terms(const std::string& index);

/// Where an array is declared, on this line or above.
struct DeclaredArray {
    int line = 0;                      ///< 0: it is not
    std::vector<std::string> extents;  ///< as written
};
DeclaredArray declared_array(const std::string& file, int line, const std::string& name);

/// A function around a line: where it begins, the names of its parameters, whether it is a kernel.
struct FunctionText {
    int line = 0;  ///< 0: not known
    bool is_kernel = false;
    std::vector<std::string> parameters;  ///< as written: "const float* in"
    std::string name;
    /// The parameter for the launch's argument at this position, from 1; empty: there is none.
    std::string parameter(int position) const;
};
FunctionText function_around(const std::string& file, int line);

/// The name of the function of the host around a line ("upload", or a class for its constructor);
/// empty: not known.
std::string host_function_around(const std::string& file, int line);

/// Whether a call allocates for a parameter `T* name` of the host's function around it, which is a
/// copy of the caller's pointer and is not returned.
bool allocates_for_copy(const std::string& file, int line, const std::string& call);

/// The type with which a variable is declared on this line or above it in the same function:
/// "short", "unsigned"; and the line. Empty: not known.
struct TypeText {
    std::string type;
    int line = 0;
};
TypeText type_of(const std::string& file, int line, const std::string& name);

/// A comparison that keeps an index within its limits, on the line or on one above it in the same
/// function.
struct Guard {
    std::string left, operation, right;  ///< "x", "<", "cols"
    int line = 0;                        ///< 0: there is none
    bool is_loop = false;
    bool leaves = false;  ///< the line says the opposite: "if (x >= cols) return;"
    /// What the line says: "x <= cols", or "Leaving at x > cols".
    std::string text() const;
    /// What it should say if the left side is to stay below that.
    std::string below(const std::string& limit) const {
        return left + (leaves ? " >= " : " < ") + limit;
    }
};
/// The nearest ones whose left side is this expression: "x < cols", and "x >= cols" of a
/// "return", which becomes "x < cols".
std::vector<Guard> guards_of(const std::string& file, int line, const std::string& expression);

/// Those of all names in the indexes of a line.
std::vector<Guard> guards_of_indexes(const std::string& file, int line);

/// Which line of a loop lets the index of an access go past the end of an array of so many items,
/// and what to do: a loop that goes down begins too high, or nothing ends a search. Empty: neither.
struct SteppedIndex {
    std::string why;
    int line = 0;
};
SteppedIndex stepped_index(const std::string& file, int line, const std::string& index,
                           std::int64_t items);

/// Whether the loop that begins in line `head` changes a variable. A `for` in it sets its own again
/// each time.
bool changes_in_loop(const std::string& file, int head, int last, const std::string& name);

/// The value of an expression at a line: numbers, + - * / %, min and max, names. A variable has the
/// value that it got last, if that is certain.
class SourceValues {
  public:
    using Known = std::function<std::optional<std::int64_t>(const std::string& name)>;
    /// `known`: parameters, threadIdx.x and the like.
    SourceValues(std::string file, int line, Known known)
        : file_(std::move(file)), line_(line), known_(std::move(known)) {}
    std::optional<std::int64_t> of(const std::string& expression) const {
        return of(expression, line_, 0);
    }

  private:
    class Reader;
    std::optional<std::int64_t> of(const std::string& expression, int line, int depth) const;
    std::optional<std::int64_t> of_name(const std::string& name, int line, int depth) const;

    std::string file_;
    int line_;
    Known known_;
};

/// Why an index is one past the last of so many items, and what to do: a `<=`, or a floating-point
/// number; empty: nothing tells.
std::string why_one_past(const std::string& file, int line, const std::string& index,
                         std::int64_t items, const SourceValues& values);

}  // namespace lab
