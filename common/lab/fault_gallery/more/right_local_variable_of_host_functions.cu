// Right: the host changes what a host function gets after it has waited for the stream, and learns
// of another one's call by a flag that the function sets.
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>

struct Call {
    int number;
    std::atomic<int> is_made;
};

__global__ void count_once(int* count) { atomicAdd(count, 1); }

void note_call(void* data) {
    Call* const made = static_cast<Call*>(data);
    std::printf("call %d\n", made->number);
    made->is_made = 1;
}

int main() {
    int* d_count = nullptr;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_count, sizeof(int));
    cudaMemsetAsync(d_count, 0, sizeof(int), stream);
    Call made{0, {0}};
    for (int i = 0; i < 3; ++i) {
        made.number = i;
        made.is_made = 0;
        count_once<<<1, 32, 0, stream>>>(d_count);
        cudaLaunchHostFunc(stream, note_call, &made);
        while (made.is_made == 0) {
        }
    }
    int limit = 1;
    for (; limit < 3; ++limit) {
        cudaLaunchHostFunc(
            stream, [](void* data) { std::printf("limit %d\n", *static_cast<int*>(data)); },
            &limit);
        cudaStreamSynchronize(stream);
    }
    cudaFree(d_count);
    cudaStreamDestroy(stream);
    return 0;
}
