// The program ends before the kernel's output has arrived: on a GPU it prints nothing.
#include <cuda_runtime.h>
#include <cstdio>

__global__ void say_hello() { printf("hello from thread %d\n", static_cast<int>(threadIdx.x)); }

int main() {
    say_hello<<<1, 4>>>();
    return 0;
}
