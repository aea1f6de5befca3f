// Features of host code that the examples do not use: for build_llvm.mjs.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <queue>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#define CHECK(call)                                                                           \
    do {                                                                                      \
        const cudaError_t status = call;                                                      \
        if (status != cudaSuccess) {                                                          \
            throw std::runtime_error(std::string(__FILE__) + ":" + std::to_string(__LINE__) + \
                                     ": " + cudaGetErrorString(status));                      \
        }                                                                                     \
    } while (0)

struct Vector {
    float e[3];
    __host__ __device__ Vector() : e{0, 0, 0} {}
    __host__ __device__ Vector(float x, float y, float z) : e{x, y, z} {}
    __host__ __device__ float& operator[](int i) { return e[i]; }
    __host__ __device__ Vector& operator+=(const Vector& other) {
        for (int i = 0; i < 3; i++) e[i] += other.e[i];
        return *this;
    }
};
std::ostream& operator<<(std::ostream& out, const Vector& v) {
    return out << v.e[0] << ' ' << v.e[1] << ' ' << v.e[2];
}

template <typename T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t n) : n_(n) { CHECK(cudaMalloc(&data_, n * sizeof(T))); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    T* get() const { return data_; }
    void to(std::vector<T>& host) const {
        CHECK(cudaMemcpy(host.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    }

  private:
    T* data_ = nullptr;
    std::size_t n_;
};

template <typename F, typename... Args>
__global__ void apply(Vector* v, int n, F f, Args... args) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = f(i, (args + ... + 0.0f));
}

int main(int argc, char** argv) {
    try {
        const int n = argc > 1 ? std::stoi(argv[1]) : 100;
        std::mt19937 generator(42);
        std::uniform_real_distribution<float> uniform(0, 1);
        std::vector<Vector> host(n);
        std::unordered_map<std::string, int> words;
        std::queue<int> queue;
        std::string line;
        while (std::getline(std::cin, line)) ++words[line];
        for (int distance : {1, 7, 31}) queue.push(distance);
        const auto begin = std::chrono::steady_clock::now();
        DeviceArray<Vector> device(n);
        int blocks = 0, threads = 0;
        CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, apply<Vector (*)(int, float)>,
                                                 0, 0));
        cudaDeviceProp properties;
        CHECK(cudaGetDeviceProperties(&properties, 0));
        const float shift = uniform(generator);
        apply<<<(n + 63) / 64, 64>>>(
            device.get(), n, [=] __device__(int i, float x) { return Vector(i, x, shift); }, 1,
            2.5f);
        CHECK(cudaGetLastError());
        device.to(host);
        const std::chrono::duration<double, std::milli> time =
            std::chrono::steady_clock::now() - begin;
        Vector sum;
        for (const Vector& each : host) sum += each;
        std::ostringstream out;
        out << std::fixed << std::setprecision(3) << sum << ' ' << time.count() << ' '
            << properties.name;
        std::cout << out.str() << ' ' << words.size() << ' ' << queue.front() << std::endl;
        std::ofstream("out.txt") << std::boolalpha << (sum[0] > 0);
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
