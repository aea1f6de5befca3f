// There is no clock for processor time.
#pragma once

#include_next <time.h>

#if !defined(CLOCK_PROCESS_CPUTIME_ID)
#define CLOCK_PROCESS_CPUTIME_ID CLOCK_MONOTONIC
#endif
