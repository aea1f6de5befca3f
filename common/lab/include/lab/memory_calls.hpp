// Included before a file that the lab watches: memcpy and the like become functions that the lab
// knows (hooks.cpp). The compiler reports loads and stores, but not what these functions do.
//
// A copy of 1, 2, 4, 8 or 16 bytes is left to the compiler, which reports its load and its store,
// and with the plugin also that it is a copy: "memcpy(&bits, &key, sizeof bits)" of two variables
// must not become an access.
//
// free() is one as well: memory that CUDA gave is not the C library's. malloc() and the like are,
// so that the size of an array is known. And a std::vector tells how many items it has, as it does
// with -fsanitize=address (host_blocks.cpp).
#pragma once

#if defined(__linux__)
#define _GLIBCXX_SANITIZE_STD_ALLOCATOR 1
#define _GLIBCXX_SANITIZE_VECTOR 1
#endif

#define LAB_SEES_MEMORY_CALLS 1

// With it, which Ubuntu's g++ sets by itself, <string.h> also brings functions of these names.
#undef _FORTIFY_SOURCE

#if defined(LAB_FILLS_VARIABLES)
// Marks that translate.py puts beside the variables of a file; the lab knows them by their names.
// Compilers keep the order of variables that are all "used"; g++ has one order for those that begin
// as zeros and are static, and one for the others. Precompiled headers have defined them already.
#undef CPU_IN_ORDER
#undef CPU_RED_ZONE
#undef CPU_NEXT_RED_ZONE
#undef CPU_FILLED_RED_ZONE
#undef CPU_HOST_VARIABLE
#undef CPU_LOCAL_ARRAY
#undef CPU_FILLED_LOCAL_ARRAY
#undef CPU_LOCAL_ARRAY_END
#define CPU_IN_ORDER __attribute__((used))
#define CPU_MARK CPU_IN_ORDER static
#if defined(__linux__)
#define CPU_IN_BSS __attribute__((section(".bss")))
#else
#define CPU_IN_BSS
#endif
#define CPU_RED_ZONE(name)                   \
    CPU_MARK char cpu_red_zone_##name[4096]; \
    CPU_IN_BSS CPU_MARK char cpu_red_zone_bss_##name[4096];
// Between two variables of one declaration: items of their type.
#define CPU_NEXT_RED_ZONE(name) , cpu_red_zone_next_##name[1024]
#define CPU_FILLED_RED_ZONE(name) \
    CPU_RED_ZONE(name)            \
    CPU_MARK char cpu_red_zone_in_##name[4096] = {1};
#define CPU_HOST_VARIABLE(name) CPU_MARK char cpu_host_variable_##name;
// A local array between two red zones, for as long as the lab knows it. The first of them is a
// multiple of the alignment that compilers give to arrays.
#define CPU_LOCAL_ZONES(type, name, extents)          \
    struct {                                          \
        __attribute__((aligned(16))) char before[64]; \
        type name extents;                            \
        char after[64];                               \
    } cpu_zones_##name
#define CPU_LOCAL_ARRAY_IN(name)        \
    auto& name = cpu_zones_##name.name; \
    const lab_local_array cpu_array_##name(name, sizeof name, #name, __FILE__, __LINE__)
#define CPU_LOCAL_ARRAY(type, name, extents) \
    CPU_LOCAL_ZONES(type, name, extents);    \
    CPU_LOCAL_ARRAY_IN(name)
#define CPU_FILLED_LOCAL_ARRAY(type, name, extents) CPU_LOCAL_ZONES(type, name, extents) = {.name
#define CPU_LOCAL_ARRAY_END(name) \
    }                             \
    ;                             \
    CPU_LOCAL_ARRAY_IN(name)
#endif

extern "C" {
#if defined(LAB_FILLS_VARIABLES)
// Local variables begin with a pattern (-ftrivial-auto-var-init), so the lab may look for it. In
// other programs it could find that pattern among the values of a large input.
__attribute__((weak)) extern const char lab_fills_variables;
const char lab_fills_variables = 1;
#endif

void lab_begin_array(const void*, decltype(sizeof 0), const char*, const char*, int);
void lab_end_array();

// As <stdlib.h> declares free().
#if defined(__wasm__)
#define LAB_NOEXCEPT
#else
#define LAB_NOEXCEPT noexcept
#endif
void lab_free(void*) LAB_NOEXCEPT;
__attribute__((malloc, alloc_size(1))) void* lab_malloc(decltype(sizeof 0)) LAB_NOEXCEPT;
__attribute__((malloc, alloc_size(1, 2))) void* lab_calloc(decltype(sizeof 0),
                                                           decltype(sizeof 0)) LAB_NOEXCEPT;
__attribute__((alloc_size(2))) void* lab_realloc(void*, decltype(sizeof 0)) LAB_NOEXCEPT;
#define LAB_MEMORY_CALL extern inline __attribute__((always_inline, gnu_inline, artificial))

/// The host's. translate.py has renamed those of kernels.
LAB_MEMORY_CALL void free(void* pointer) LAB_NOEXCEPT { lab_free(pointer); }
LAB_MEMORY_CALL void* malloc(decltype(sizeof 0) bytes) LAB_NOEXCEPT { return lab_malloc(bytes); }
LAB_MEMORY_CALL void* calloc(decltype(sizeof 0) items, decltype(sizeof 0) bytes) LAB_NOEXCEPT {
    return lab_calloc(items, bytes);
}
LAB_MEMORY_CALL void* realloc(void* pointer, decltype(sizeof 0) bytes) LAB_NOEXCEPT {
    return lab_realloc(pointer, bytes);
}

// Natively clang's plugin finds the calls by their names. The browser lab has no such plugin, nor
// one that says which copies are one access.
#if !defined(__clang__) || defined(__wasm__)
#if defined(__wasm__)
void* lab_copy_bytes(void*, const void*, decltype(sizeof 0)) noexcept;
#define LAB_ONE_ACCESS(name) lab_copy_bytes
#else
#define LAB_ONE_ACCESS(name) __builtin_##name
#endif
void* lab_memcpy(void*, const void*, decltype(sizeof 0)) noexcept;
void* lab_memmove(void*, const void*, decltype(sizeof 0)) noexcept;
void* lab_memset(void*, int, decltype(sizeof 0)) noexcept;

#define LAB_IS_ONE_ACCESS(bytes) \
    (__builtin_constant_p(bytes) && (bytes) <= 16 && ((bytes) & ((bytes)-1)) == 0)

LAB_MEMORY_CALL void* memcpy(void* to, const void* from, decltype(sizeof 0) bytes) noexcept {
    if (LAB_IS_ONE_ACCESS(bytes)) return LAB_ONE_ACCESS(memcpy)(to, from, bytes);
    return lab_memcpy(to, from, bytes);
}

LAB_MEMORY_CALL void* memmove(void* to, const void* from, decltype(sizeof 0) bytes) noexcept {
    if (LAB_IS_ONE_ACCESS(bytes)) return LAB_ONE_ACCESS(memmove)(to, from, bytes);
    return lab_memmove(to, from, bytes);
}

LAB_MEMORY_CALL void* memset(void* to, int value, decltype(sizeof 0) bytes) noexcept {
    return lab_memset(to, value, bytes);
}

#undef LAB_IS_ONE_ACCESS
#undef LAB_ONE_ACCESS
#endif
#undef LAB_MEMORY_CALL
}

#if defined(LAB_FILLS_VARIABLES)
struct lab_local_array {
    __attribute__((always_inline)) lab_local_array(const void* begin, decltype(sizeof 0) bytes,
                                                   const char* name, const char* file, int line) {
        lab_begin_array(begin, bytes, name, file, line);
    }
    __attribute__((always_inline)) ~lab_local_array() { lab_end_array(); }
};
#endif
