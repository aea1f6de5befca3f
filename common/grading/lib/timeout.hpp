// Where a program is when its time is nearly up, so that the line of an endless loop can be named.
#pragma once

namespace grading::detail {

/// `seconds` from now, and when `cpu_seconds` of processor time are used up, `tell` gets the places
/// in the program (hexadecimal, as addr2line takes them, innermost first) where the thread that
/// runs main() is, and whether that is in a "kernel" or on the "host" ("": unknown). Once for each;
/// never if it is 0. May be called before anything of the C++ library is usable. Linux only;
/// elsewhere nothing happens.
void tell_when_late(double seconds, double cpu_seconds,
                    void (*tell)(const char* places, const char* where));

}  // namespace grading::detail
