// The last particle is copied from past the end.
#include <cuda_runtime.h>

struct Particle {
    double x, y, z;
};

__device__ Particle moved(Particle p) { return {p.x + 1.0, p.y, p.z}; }

__global__ void move_all(Particle* particles) {
    particles[threadIdx.x] = moved(particles[threadIdx.x]);
}

int main() {
    Particle* d_particles = nullptr;
    cudaMalloc(&d_particles, 31 * sizeof(Particle));
    cudaMemset(d_particles, 0, 31 * sizeof(Particle));
    move_all<<<1, 32>>>(d_particles);
    cudaDeviceSynchronize();
    cudaFree(d_particles);
    return 0;
}
