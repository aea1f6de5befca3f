// What the hooks of other compilers also need.
#pragma once

#include <cstdint>

namespace lab {

/// A struct is copied, or, if `from` is null, set. `alignment`: the struct's; a GPU copies it in
/// pieces of that size.
void note_copied_struct(const void* pc, const void* to, const void* from, std::uint32_t bytes,
                        std::uint32_t alignment);

}  // namespace lab
