// How long does this GPU take just to read the very bytes that a chapter works on?
#pragma once

#include <cstddef>

#include "chapter.hpp"

namespace tutorial {

/// The ceiling of a kernel that reads `bytes` bytes at `d_data` once (16-byte aligned) and writes
/// next to nothing. Where they are much more than the L2 cache holds, it is measured on them: the
/// best kernel of ceilings.hpp that does nothing but read, timed cold, as the rows are. Starting
/// and ending a kernel is part of that time, as it is part of a row's. Below that, where these
/// would be most of it, it is the bytes over the read bandwidth of ceilings(). On a GPU only.
Ceiling read_ceiling(const void* d_data, std::size_t bytes);

}  // namespace tutorial
