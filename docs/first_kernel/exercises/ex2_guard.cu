// Warm-up 2: the guard                                                             (find the fault)
//
// Task: n readings of a meter, and the consumption between neighbouring readings: used[i] is
// readings[i + 1] - readings[i], so there are n - 1 of them, and none for n = 0 and n = 1. The
// kernel has a guard, and the guard is wrong. Correct it.
// Read: ../../first_kernel.md, "1. No guard"
// Check: ./tutorial check first/ex2      Stuck? Add --hint
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
