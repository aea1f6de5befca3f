// Right: four threads of the host, each with a stream, arrays and results of its own.
#include <cstdio>
#include <thread>
#include <vector>

namespace {

__global__ void plus_one_of_thread(const int* from, int* to, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) to[i] = from[i] + 1;
}

int wrong_of_thread[4];

void work_of_thread(int id) {
    constexpr int n = 1000;
    std::vector<int> before(n, id), after(n);
    cudaStream_t stream;
    int *d_from, *d_to;
    cudaStreamCreate(&stream);
    cudaMalloc(&d_from, n * sizeof(int));
    cudaMalloc(&d_to, n * sizeof(int));
    for (int round = 0; round < 20; ++round) {
        cudaMemcpyAsync(d_from, before.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream);
        plus_one_of_thread<<<4, 256, 0, stream>>>(d_from, d_to, n);
        cudaMemcpyAsync(after.data(), d_to, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int i = 0; i < n; ++i) wrong_of_thread[id] += after[i] != before[i] + 1;
        before.swap(after);
    }
    cudaFree(d_from);
    cudaFree(d_to);
    cudaStreamDestroy(stream);
}

}  // namespace

int main() {
    std::vector<std::thread> all;
    for (int id = 0; id < 4; ++id) all.emplace_back(work_of_thread, id);
    for (std::thread& each : all) each.join();
    std::printf("%d wrong\n",
                wrong_of_thread[0] + wrong_of_thread[1] + wrong_of_thread[2] + wrong_of_thread[3]);
    return 0;
}
