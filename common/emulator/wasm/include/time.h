// There is no clock of the processor's time.
#pragma once

#include_next <time.h>

#if !defined(CLOCK_PROCESS_CPUTIME_ID)
#define CLOCK_PROCESS_CPUTIME_ID CLOCK_MONOTONIC
#endif
