// {fmt}, without a false alarm: GCC 12 at -O3 warns of a write inside it that cannot happen
// (https://github.com/fmtlib/fmt/issues/2989). For .cpp files only: it costs nvcc seconds.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#include <fmt/format.h>
#include <fmt/ranges.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
