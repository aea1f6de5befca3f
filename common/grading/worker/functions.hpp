// The learner's functions by their numbers; write_functions.py writes the table of each exercise.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "../lib/messages.hpp"

namespace grading::worker {

/// Takes the arguments from a message, calls one function, and puts what it returns into another.
using Function = void (*)(detail::Reader& arguments, detail::Writer& result);

extern const Function functions[];
extern const std::size_t function_count;

namespace calls {

using grading::detail::Reader;
using grading::detail::Writer;

/// An argument, for as long as the call takes; arrays too.
template <class T>
struct Held {
    explicit Held(Reader& in) { in.get(value); }
    std::remove_cv_t<T> value{};
};

template <class Signature, Signature kFunction>
struct Call;
template <class Result, class... Arguments, Result (*kFunction)(Arguments...)>
struct Call<Result (*)(Arguments...), kFunction> {
    static void run(Reader& in, Writer& out) {
        // In braces, they are taken in order.
        std::tuple<Held<std::remove_reference_t<Arguments>>...> held{
            Held<std::remove_reference_t<Arguments>>(in)...};
        in.end();
        std::apply(
            [&](auto&... each) {
                if constexpr (std::is_void_v<Result>) {
                    kFunction(each.value...);
                } else {
                    out.put(kFunction(each.value...));
                }
            },
            held);
    }
};

}  // namespace calls

/// wrap<&function>
template <auto kFunction>
constexpr Function wrap = &calls::Call<decltype(kFunction), kFunction>::run;

}  // namespace grading::worker
