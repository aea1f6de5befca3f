// What the lab counts and finds, as bytes of a message.
#pragma once

#include <string>
#include <vector>

#include "messages.hpp"
#include "verdict.hpp"
#if GRADING_HAS_LAB
#include "../../lab/include/lab/lab.hpp"
#endif

namespace grading::detail {

/// The reading functions throw Closed for data that the writing ones cannot produce.
std::string bytes_of(const std::vector<Failure>& failures);
std::vector<Failure> failures_of(const std::string& bytes);

#if GRADING_HAS_LAB
std::string bytes_of(const lab::Report& report);
lab::Report report_of(const std::string& bytes);
#endif

}  // namespace grading::detail
