// For declarations only: nothing jumps out of a signal handler, as there are no signals.
#pragma once

typedef int jmp_buf[1];
typedef int sigjmp_buf[1];

#ifdef __cplusplus
extern "C"
#endif
    void
    longjmp(jmp_buf, int);
