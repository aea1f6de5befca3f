// Lanes leave the loop after as many rounds as they have work, but the vote in it is of the whole
// warp.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void count_leaders(const int* levels, int* leads, int* most) {
    const int lane = static_cast<int>(threadIdx.x);
    int level = levels[lane], lead = 0;
    while (level > 0) {
        const unsigned high = __ballot_sync(0xffffffffu, level > 5);
        lead += high != 0 && __ffs(static_cast<int>(high)) - 1 == lane;
        level -= 2;
    }
    leads[lane] = lead;
    int largest = lead;
    for (int d = 16; d > 0; d /= 2)
        largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, d));
    if (lane == 0) *most = largest;
}

int main() {
    std::vector<int> levels;
    int most = 0;
    for (int i = 0; i < 32; ++i) {
        const int level = i % 11;
        levels.push_back(level);  // by reference: the emulator has the same function
    }
    const std::size_t bytes = levels.size() * sizeof(int);
    int *d_levels = nullptr, *d_leads = nullptr, *d_most = nullptr;
    cudaMalloc(&d_levels, bytes);
    cudaMalloc(&d_leads, bytes);
    cudaMalloc(&d_most, sizeof(int));
    cudaMemcpy(d_levels, levels.data(), bytes, cudaMemcpyHostToDevice);
    count_leaders<<<1, 32>>>(d_levels, d_leads, d_most);
    cudaMemcpy(&most, d_most, sizeof(int), cudaMemcpyDeviceToHost);
    std::printf("%d\n", most);
    cudaFree(d_levels);
    cudaFree(d_leads);
    cudaFree(d_most);
    return 0;
}
