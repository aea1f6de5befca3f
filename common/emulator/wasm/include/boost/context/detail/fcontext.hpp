// In place of Boost.Context in a web page: the two functions that the emulator's fiber.hpp uses, by
// binaryen's asyncify (../../../../fcontext.cpp).
#pragma once

#include <cstddef>

namespace boost::context::detail {

using fcontext_t = void*;

struct transfer_t {
    fcontext_t fctx;
    void* data;
};

fcontext_t make_fcontext(void* top, std::size_t bytes, void (*body)(transfer_t));
transfer_t jump_fcontext(fcontext_t target, void* data);

}  // namespace boost::context::detail
