// How a grader calls the learner's functions if they are in another process: the file that
// write_functions.py writes for each exercise defines them all with call().
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "messages.hpp"

namespace grading {

namespace detail {

/// Calls function `number`; returns its result in bytes, at most this many.
std::string ask_function(unsigned number, const Writer& arguments, std::size_t most);

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

/// Calls the learner's function `number` with these arguments. Throws what the function throws, or
/// Closed if its process has ended.
template <class Result, class... Arguments>
Result call(unsigned number, const Arguments&... arguments) {
    using Value = std::remove_cv_t<std::remove_reference_t<Result>>;
    constexpr std::size_t kMaxOfVector = std::size_t{1} << 20;
    Writer writer;
    (writer.put(arguments), ...);
    if constexpr (std::is_void_v<Result>) {
        ask_function(number, writer, 0);
    } else {
        const std::string answer =
            ask_function(number, writer, IsVector<Value>::value ? kMaxOfVector : sizeof(Value));
        Reader in(answer);
        if constexpr (std::is_reference_v<Result>) {
            static Value kept;  // the last one
            in.get(kept);
            in.end();
            return kept;
        } else {
            Value value{};
            in.get(value);
            in.end();
            return value;
        }
    }
}

}  // namespace detail
}  // namespace grading
