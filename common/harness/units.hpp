// Numbers as people read them, in plain ASCII.
#pragma once

#include <cstddef>
#include <string>

namespace tutorial {

/// Four significant digits and us, ms or s: "0.512 us", "12.34 us", "1.234 ms", "65.70 ms".
std::string format_time(double seconds);

/// Four significant digits, never an exponent: "4652", "12.34", "0.0123".
std::string format_number(double value);

/// The same with k, M, G or T for powers of 1000: "15.75 M", "1.234 G".
std::string format_rate(double per_second);

/// Powers of 1024: "512 B", "12.3 KiB", "139.8 GiB".
std::string format_bytes(std::size_t bytes);

/// "1048576 (2^20)" for powers of two from 1024 up, otherwise just the number.
std::string format_size(std::size_t n);

}  // namespace tutorial
