// For declarations only: there are no signals.
#pragma once

#include_next <signal.h>

typedef struct {
    int unused;
} stack_t;
