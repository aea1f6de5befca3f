// Warm-up 8: count the digits                                                   (fill in the blank)
//
// Task: Count how often each of the numbers 0 to 9 occurs among n ints.
// Given: Ten counters, all 0 when the kernel starts. The array also holds other numbers, some of
// them negative.
// Required: Each thread looks at one int. Numbers other than 0 to 9 are not counted.
// Read: ../../first_kernel.md, "Many threads, one word"
// Check: ./tutorial check first/ex8     Stuck? Add --hint
#include <cuda_runtime.h>

constexpr unsigned kThreads = 128;

__global__ void digits_kernel(const int* items, unsigned n, unsigned* counters) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (about 3 lines): count my item, if I have one and it is a digit.
    if (i >= n) return;
    const int item = items[i];
    if (item >= 0 && item <= 9) atomicAdd(&counters[item], 1u);
    // END
}

/// items: n ints; counters: 10, all 0; both in device memory.
void count_digits(const int* d_items, unsigned n, unsigned* d_counters) {
    digits_kernel<<<n / kThreads + 1, kThreads>>>(d_items, n, d_counters);
}
