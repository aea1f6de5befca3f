// What is found besides wrong values: by the lab, by the emulator, or by CUDA on a GPU.
#pragma once

#include <string>
#include <vector>

#include "verdict.hpp"

namespace grading::detail {

/// Reports are kept for take_faults() and no longer printed.
void keep_reports();

/// From here on everything that runs is watched, or no longer watched; does nothing without the
/// lab.
void start_fault_detection();
void stop_fault_detection();

/// What was found since the last call, causes first, otherwise in order of occurrence. Waits for
/// the device.
std::vector<Failure> take_faults();

/// Device memory that is not freed; always empty on a GPU, where it is not known.
std::vector<Failure> take_leaks();

/// One failure made of several: all of the first one, and the first lines of the others.
Failure as_one(std::vector<Failure> found);

}  // namespace grading::detail
