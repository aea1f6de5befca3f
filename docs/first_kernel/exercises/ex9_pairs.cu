// Warm-up 9: order each pair                                                    (fill in the blank)
//
// Task: Put every pair in order: the even lane gets the smaller number, the odd lane the larger
// one.
// Given: Each lane holds a number. Lanes 0 and 1 of a warp are a pair, lanes 2 and 3 are the next
// one, and so on. Threads past the end also hold a number, so that all 32 lanes take part.
// Required: Use no shared memory: a shuffle gives each lane its partner's number.
// Read: ../../first_kernel.md, "From lane to lane"
// Check: ./tutorial check first/ex9     Stuck? Add --hint
#include <cuda_runtime.h>

#include <climits>

constexpr unsigned kThreads = 64;

__global__ void pairs_kernel(int* items, unsigned n) {
    const unsigned i = blockIdx.x * kThreads + threadIdx.x;
    int mine = i < n ? items[i] : INT_MAX;
    // TODO (about 2 lines): what is my partner's number? Which of the two do I keep?
    (void)mine;  // remove this line
    // END
    if (i < n) items[i] = mine;
}

/// items: n ints in device memory. If n is odd, the last item stays as it is.
void order_pairs(int* d_items, unsigned n) {
    pairs_kernel<<<n / kThreads + 1, kThreads>>>(d_items, n);
}
