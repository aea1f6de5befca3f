// A seat is claimed by atomicCAS() and marked by a plain store, while others still try it.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void take_seats(int* seats, const int* wishes, int* taken, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (atomicCAS(&seats[wishes[i]], -1, i) == -1) {
        atomicAdd(taken, 1);
        if (i % 3 == 0) seats[wishes[i]] = n;
    }
}

int main() {
    constexpr int kGuests = 256, kSeats = 50;
    int wishes[kGuests];
    for (int i = 0; i < kGuests; ++i) wishes[i] = i % kSeats;
    int *d_seats, *d_wishes, *d_taken, taken = 0;
    cudaMalloc(&d_seats, kSeats * sizeof(int));
    cudaMalloc(&d_wishes, sizeof wishes);
    cudaMalloc(&d_taken, sizeof(int));
    cudaMemset(d_seats, 0xff, kSeats * sizeof(int));
    cudaMemset(d_taken, 0, sizeof(int));
    cudaMemcpy(d_wishes, wishes, sizeof wishes, cudaMemcpyHostToDevice);
    take_seats<<<4, 64>>>(d_seats, d_wishes, d_taken, kGuests);
    cudaMemcpy(&taken, d_taken, sizeof taken, cudaMemcpyDeviceToHost);
    std::printf("%d\n", taken);
    cudaFree(d_seats);
    cudaFree(d_wishes);
    cudaFree(d_taken);
    return 0;
}
