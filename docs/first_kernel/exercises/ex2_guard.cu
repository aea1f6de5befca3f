// Warm-up 2: the guard                                                               (find the bug)
//
// Task: Find what is wrong with the kernel's guard, and correct it.
// Given: n meter readings. The consumption between two neighbouring readings, used[i], is
// readings[i + 1] - readings[i]. So there are n - 1 differences, and none for n = 0 or n = 1.
// Required: Each thread still stores one difference, and no thread reads or writes past the end of
// an array.
// Read: ../../first_kernel.md, "1. No guard"
// Check: ./tutorial check first/ex2     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kThreads = 128;

__global__ void used_kernel(const int* readings, int* used, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (about 1 line): the fault is here.
    if (i < n) used[i] = readings[i + 1] - readings[i];
    // END
}

/// readings: n ints; used: n - 1 ints; both in device memory.
void consumption(const int* d_readings, int* d_used, unsigned n) {
    used_kernel<<<n / kThreads + 1, kThreads>>>(d_readings, d_used, n);
}
