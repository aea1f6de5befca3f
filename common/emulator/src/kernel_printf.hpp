// What kernels print arrives when the host waits for the device, as on a device.
#pragma once

#include <cstddef>
#include <string>

namespace emulator {

/// Writes it to standard output.
void print_what_kernels_said();

/// cudaLimitPrintfFifoSize.
std::size_t printf_buffer_bytes();
void set_printf_buffer_bytes(std::size_t bytes);

}  // namespace emulator
