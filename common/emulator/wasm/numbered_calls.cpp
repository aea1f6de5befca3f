#include "numbered_calls.hpp"

extern "C" {
std::uint32_t page_hook = 0, page_call = 0;
}
