// Right: a host function in the stream sets a flag and starts a thread: both come after the copy
#include <cuda_runtime.h>

#include <atomic>
#include <thread>

__global__ void flagged_square_kernel(int* out) {
    out[threadIdx.x] = int(threadIdx.x * threadIdx.x);
}

int* copied_squares = nullptr;
int last_square = 0;
std::atomic<bool> are_squares_copied{false};
std::thread square_reader;

void tell_of_copy(void*) {
    square_reader = std::thread([] { last_square = copied_squares[31]; });
    are_squares_copied = true;
}

int main() {
    int* d_squares = nullptr;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_squares, 32 * sizeof(int));
    cudaMallocHost(&copied_squares, 32 * sizeof(int));
    flagged_square_kernel<<<1, 32, 0, stream>>>(d_squares);
    cudaMemcpyAsync(copied_squares, d_squares, 32 * sizeof(int), cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, tell_of_copy, nullptr);
    while (!are_squares_copied) std::this_thread::yield();
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += copied_squares[i];
    square_reader.join();
    cudaStreamSynchronize(stream);
    cudaFree(d_squares);
    cudaFreeHost(copied_squares);
    cudaStreamDestroy(stream);
    return sum == 10416 && last_square == 961 ? 0 : 1;
}
