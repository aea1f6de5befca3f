// Whether a seat is left is tested, and then the seat is taken: in between others may take it.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sell_seats(int* seats, int* guards, int* guard_count, int trains, int* has_ticket,
                           int people) {
    const int person = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (person >= people) return;
    int* const left = &seats[person % trains];
    if (atomicAdd(left, 0) > 0) {
        atomicSub(left, 1);
        has_ticket[person] = 1;
    }
    // The same with one guard for each train.
    int* const guard = &guards[person % trains];
    if (atomicAdd(guard, 0) < 0) {
        atomicExch(guard, person);
        atomicAdd(guard_count, 1);
    }
}

int main() {
    constexpr int kTrains = 3, kPeople = 200;
    int seats[kTrains] = {40, 50, 60}, has_ticket[kPeople], sold = 0;
    int *d_seats, *d_has_ticket, *d_guards, *d_guard_count;
    cudaMalloc(&d_seats, sizeof seats);
    cudaMalloc(&d_has_ticket, sizeof has_ticket);
    cudaMalloc(&d_guards, sizeof seats);
    cudaMalloc(&d_guard_count, sizeof(int));
    cudaMemset(d_guards, 0xff, sizeof seats);
    cudaMemset(d_guard_count, 0, sizeof(int));
    cudaMemcpy(d_seats, seats, sizeof seats, cudaMemcpyHostToDevice);
    cudaMemset(d_has_ticket, 0, sizeof has_ticket);
    sell_seats<<<2, 128>>>(d_seats, d_guards, d_guard_count, kTrains, d_has_ticket, kPeople);
    cudaMemcpy(has_ticket, d_has_ticket, sizeof has_ticket, cudaMemcpyDeviceToHost);
    for (const int each : has_ticket) sold += each;
    std::printf("%d\n", sold > 0);
    cudaFree(d_seats);
    cudaFree(d_has_ticket);
    cudaFree(d_guards);
    cudaFree(d_guard_count);
    return 0;
}
