// The stream calls a function of the host with a pointer to a variable of a function that has
// ended.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void count_calls(int* count) { atomicAdd(count, 1); }

void say_which(void* job) { std::printf("job %d is done\n", *static_cast<int*>(job)); }

void submit(int number, int* d_count, cudaStream_t stream) {
    int job = number;
    count_calls<<<1, 32, 0, stream>>>(d_count);
    cudaLaunchHostFunc(stream, say_which, &job);
}

int main() {
    int* d_count = nullptr;
    cudaStream_t stream;
    cudaMalloc(&d_count, sizeof(int));
    cudaMemset(d_count, 0, sizeof(int));
    cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
    submit(1, d_count, stream);
    submit(2, d_count, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(d_count);
    return 0;
}
