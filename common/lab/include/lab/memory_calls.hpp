// Included before a file that the lab watches: memcpy and its like become functions that the lab
// knows (hooks.cpp). The compiler reports loads and stores, but not what these functions do.
#pragma once

#define LAB_SEES_MEMORY_CALLS 1

extern "C" {
void* memcpy(void*, const void*, decltype(sizeof 0)) noexcept __asm__("lab_memcpy");
void* memmove(void*, const void*, decltype(sizeof 0)) noexcept __asm__("lab_memmove");
void* memset(void*, int, decltype(sizeof 0)) noexcept __asm__("lab_memset");
}
