// Local arrays that functions get: a histogram with first values, rows, two of a branch, a copy.
#include <cuda_runtime.h>

__device__ int largest(const int* bins, int count) {
    int best = 0;
    for (int i = 1; i < count; ++i) best = bins[i] > bins[best] ? i : best;
    return best;
}

__global__ void mode_of_eight(const int* in, int* out) {
    int bins[4] = {};
    for (int i = 0; i < 8; ++i) bins[(in[8 * threadIdx.x + i] + i) & 3] += 1;
    int rows[2][3];
    for (int i = 0; i < 6; ++i) rows[i / 3][i % 3] = bins[i % 4];
    const auto of_a_copy = [=](int count) { return largest(bins, count); };
    int found = largest(bins, 4) + of_a_copy(3) + largest(rows[1], 3) + largest(&rows[0][0], 6);
    switch (threadIdx.x % 3) {
        case 0: {
            const int pair[2] = {found, bins[0]};
            found += largest(pair, 2);
            break;
        }
        case 1:
            int three[3];
            for (int& each : three) each = found;
            found += largest(three, sizeof three / sizeof *three);
            break;
        default:
            break;
    }
    out[threadIdx.x] = found;
}

int main() {
    int* d_in = nullptr;
    cudaMalloc(&d_in, 256 * sizeof(int));
    cudaMemset(d_in, 0, 256 * sizeof(int));
    int* d_out = nullptr;
    cudaMalloc(&d_out, 32 * sizeof(int));
    cudaMemset(d_out, 0, 32 * sizeof(int));
    mode_of_eight<<<1, 32>>>(d_in, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
