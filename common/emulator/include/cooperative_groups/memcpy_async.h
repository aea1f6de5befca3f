// Asynchronous copies into shared memory are not supported.
#pragma once

#error "<cooperative_groups/memcpy_async.h> is for a GPU only: the CPU backend has no memcpy_async"
