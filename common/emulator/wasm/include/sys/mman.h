// As much of mmap as the emulator and the lab use, without protection: WebAssembly has none.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_NORESERVE 16384
#define MAP_FAILED ((void*)-1)
#define MS_ASYNC 1

static inline void* mmap(void* at, size_t bytes, int protection, int flags, int file,
                         off_t offset) {
    (void)protection, (void)file, (void)offset;
    if ((flags & MAP_FIXED) != 0) return at;  // would give the memory back, and keep its address
    const size_t page = 4096;
    void* const memory = aligned_alloc(page, (bytes + page - 1) / page * page);
    return memory == NULL ? MAP_FAILED : memset(memory, 0, bytes);
}

static inline int munmap(void* at, size_t bytes) {
    (void)bytes;
    free(at);
    return 0;
}

static inline int mprotect(void* at, size_t bytes, int protection) {
    (void)at, (void)bytes, (void)protection;
    return 0;
}

#ifdef __cplusplus
extern "C"
#endif
    int
    msync(void* at, size_t bytes, int flags);
