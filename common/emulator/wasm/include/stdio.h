// There is one thread: no thread waits for a stream.
#pragma once

#include_next <stdio.h>

static inline void flockfile(FILE* stream) { (void)stream; }
static inline void funlockfile(FILE* stream) { (void)stream; }
