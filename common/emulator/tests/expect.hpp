// Comparisons that name the first item that differs.
#pragma once

#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <cmath>
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace conformance {

/// According to the documentation, a shape that no device can launch is
/// cudaErrorInvalidConfiguration; some versions of the runtime give cudaErrorInvalidValue.
inline bool is_wrong_shape(cudaError_t error) {
    return error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue;
}

inline std::string error_name(cudaError_t error) { return cudaGetErrorName(error); }

/// Empty if both hold the same items; else the first difference, in words.
template <class T>
std::string first_difference(const std::vector<T>& actual, const std::vector<T>& expected) {
    std::ostringstream text;
    if (actual.size() != expected.size()) {
        text << actual.size() << " items instead of " << expected.size();
        return text.str();
    }
    for (std::size_t i = 0; i < actual.size(); ++i) {
        if (!(actual[i] == expected[i])) {
            text << "item " << i << " is " << +actual[i] << " instead of " << +expected[i];
            return text.str();
        }
    }
    return {};
}

/// The same with a tolerance of `relative` times the expected value, plus `absolute`. NaN differs
/// from everything.
template <class T>
std::string first_difference(const std::vector<T>& actual, const std::vector<T>& expected,
                             double relative, double absolute = 0.0) {
    if (actual.size() != expected.size()) return first_difference(actual, expected);
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double difference = std::abs(double(actual[i]) - double(expected[i]));
        const double bound = relative * std::abs(double(expected[i])) + absolute;
        if (!(difference <= bound)) {
            std::ostringstream text;
            text << "item " << i << " is " << actual[i] << " instead of " << expected[i];
            return text.str();
        }
    }
    return {};
}

}  // namespace conformance

/// Both arguments are std::vectors of one type; the message names the first index that differs.
#define CHECK_SAME(actual, expected) \
    CHECK(::conformance::first_difference((actual), (expected)) == std::string())
#define CHECK_NEAR(actual, expected, relative, absolute)                                   \
    CHECK(::conformance::first_difference((actual), (expected), (relative), (absolute)) == \
          std::string())
/// `call` returns exactly this CUDA error code.
#define CHECK_ERROR(call, expected) \
    CHECK(::conformance::error_name(call) == ::conformance::error_name(expected))
#define REQUIRE_OK(call) REQUIRE(::conformance::error_name(call) == "cudaSuccess")
