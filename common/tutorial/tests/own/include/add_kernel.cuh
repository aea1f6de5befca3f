// In a folder named by -I.
#pragma once

__global__ void twice_kernel(int* numbers) {
    __shared__ int copies[32];
    copies[threadIdx.x] = 2 * numbers[threadIdx.x];
    __syncthreads();  // complete
    numbers[threadIdx.x] = copies[threadIdx.x];
}
