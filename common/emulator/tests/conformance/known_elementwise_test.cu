// Whole kernels with known answers: one output item from a few input items, in one and two
// dimensions.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <string>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;
using conformance::edge_sizes;
using conformance::random_below;
using conformance::random_values;

namespace {

/// Blocks of `threads` that cover n, and one block if n is 0: its threads find nothing to do.
int blocks_for(int n, int threads) { return std::max(1, (n + threads - 1) / threads); }

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void transpose_kernel(const float* in, float* out, int width, int height) {
    __shared__ float tile[kTile][kTile + 1];  // one more column: no bank conflicts
    int x = blockIdx.x * kTile + threadIdx.x;
    int y = blockIdx.y * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();  // the tile is complete
    x = blockIdx.y * kTile + threadIdx.x;
    y = blockIdx.x * kTile + threadIdx.y;
    for (int j = 0; j < kTile; j += kRows)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

constexpr int kRadius = 3;

__global__ void stencil_kernel(const int* in, int* out, int n) {
    __shared__ int s[128 + 2 * kRadius];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int local = threadIdx.x + kRadius;
    s[local] = i < n ? in[i] : 0;
    if (threadIdx.x < kRadius) {
        const int left = i - kRadius, right = i + int(blockDim.x);
        s[local - kRadius] = left >= 0 && left < n ? in[left] : 0;
        s[local + int(blockDim.x)] = right < n ? in[right] : 0;
    }
    __syncthreads();  // the block's items and both halos are there
    if (i >= n) return;
    int sum = 0;
    for (int offset = -kRadius; offset <= kRadius; ++offset) sum += s[local + offset];
    out[i] = sum;
}

template <int kSide>
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int k, int n) {
    __shared__ float tile_a[kSide][kSide];
    __shared__ float tile_b[kSide][kSide];
    const int row = blockIdx.y * kSide + threadIdx.y;
    const int column = blockIdx.x * kSide + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < k; start += kSide) {
        const int inner_a = start + threadIdx.x, inner_b = start + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < m && inner_a < k ? a[row * k + inner_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] =
            inner_b < k && column < n ? b[inner_b * n + column] : 0.0f;
        __syncthreads();  // both tiles are complete
        for (int i = 0; i < kSide; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();  // all have used them
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

__global__ void upper_case_kernel(const char4* in, char4* out, int quads) {
    const auto upper = [](signed char c) {
        return (signed char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    };
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quads) return;
    const char4 c = in[i];
    out[i] = make_char4(upper(c.x), upper(c.y), upper(c.z), upper(c.w));
}

__global__ void mandelbrot_kernel(int* iterations, int width, int height, int most) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    // Fixed point with 20 binary digits, so that host and device agree to the last iteration.
    const long long real = ((3ll << 20) * x) / width - (2ll << 20);
    const long long imaginary = ((2ll << 20) * y) / height - (1ll << 20);
    long long a = 0, b = 0;
    int count = 0;
    while (count < most && ((a * a + b * b) >> 20) < (4ll << 20)) {
        const long long next = ((a * a - b * b) >> 20) + real;
        b = ((2 * a * b) >> 20) + imaginary;
        a = next;
        ++count;
    }
    iterations[y * width + x] = count;
}

__global__ void gather_kernel(const int* in, const int* index, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ldg(&in[index[i]]);
}

__global__ void scatter_kernel(const int* in, const int* index, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[index[i]] = in[i];
}

std::vector<int> shuffled_indices(int n, std::uint64_t seed) {
    std::vector<int> index(n);
    conformance::Random random(seed);
    for (int i = 0; i < n; ++i) {
        const int j = int(random.below(i + 1));
        index[i] = index[j];
        index[j] = i;
    }
    return index;
}

}  // namespace

TEST_CASE("known: transpose through a padded tile") {
    for (const int width : {1, 31, 32, 33, 100}) {
        for (const int height : {1, 32, 65}) {
            const std::vector<float> in = random_values<float>(width * height, 106);
            DeviceArray<float> d_in(in), d_out(in.size());
            transpose_kernel<<<dim3((width + kTile - 1) / kTile, (height + kTile - 1) / kTile),
                               dim3(kTile, kRows)>>>(d_in.data(), d_out.data(), width, height);
            std::vector<float> expected(in.size());
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x];
            CHECK_SAME(d_out.download(), expected);
        }
    }
}

TEST_CASE("known: stencil with a halo in shared memory") {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<int> in = random_below<int>(n, 1000, 107);
        DeviceArray<int> d_in(in), d_out(n);
        stencil_kernel<<<blocks_for(n, 128), 128>>>(d_in.data(), d_out.data(), n);
        std::vector<int> expected(n);
        for (int i = 0; i < n; ++i)
            for (int j = std::max(0, i - kRadius); j <= std::min(n - 1, i + kRadius); ++j)
                expected[i] += in[j];
        CHECK_SAME(d_out.download(), expected);
    }
}

TEST_CASE("known: tiled matrix product") {
    const int sizes[][3] = {{1, 1, 1}, {16, 16, 16}, {17, 5, 33}, {40, 50, 30}};
    for (const auto& size : sizes) {
        const int m = size[0], k = size[1], n = size[2];
        CAPTURE(m);
        // Small integers: exact in float, whatever the order.
        std::vector<float> a(m * k), b(k * n), expected(m * n);
        conformance::Random random(108);
        for (float& value : a) value = float(random.below(19)) - 9;
        for (float& value : b) value = float(random.below(19)) - 9;
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j)
                for (int l = 0; l < k; ++l) expected[i * n + j] += a[i * k + l] * b[l * n + j];
        DeviceArray<float> d_a(a), d_b(b), d_c(m * n);
        matmul_kernel<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(
            d_a.data(), d_b.data(), d_c.data(), m, k, n);
        CHECK_SAME(d_c.download(), expected);
    }
}

TEST_CASE("known: upper case, four characters at a time") {
    const std::string text = "Odd-even transposition sort, {2008}: 0.72 ms in all! z~`a";
    const int quads = int(text.size() + 3) / 4;
    std::vector<char4> in(quads);
    std::string padded = text;
    padded.resize(4 * quads);
    std::copy(padded.begin(), padded.end(), reinterpret_cast<char*>(in.data()));
    DeviceArray<char4> d_in(in), d_out(quads);
    upper_case_kernel<<<2, 32>>>(d_in.data(), d_out.data(), quads);
    const std::vector<char4> out = d_out.download();
    std::string result(reinterpret_cast<const char*>(out.data()), text.size());
    CHECK(result == "ODD-EVEN TRANSPOSITION SORT, {2008}: 0.72 MS IN ALL! Z~`A");
}

TEST_CASE("known: Mandelbrot set in fixed point") {
    const int width = 50, height = 37, most = 100;
    DeviceArray<int> d_iterations(width * height);
    mandelbrot_kernel<<<dim3(4, 5), dim3(16, 8)>>>(d_iterations.data(), width, height, most);
    std::vector<int> expected(width * height);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const long long real = ((3ll << 20) * x) / width - (2ll << 20);
            const long long imaginary = ((2ll << 20) * y) / height - (1ll << 20);
            long long a = 0, b = 0;
            int& count = expected[y * width + x];
            for (; count < most && ((a * a + b * b) >> 20) < (4ll << 20); ++count) {
                const long long next = ((a * a - b * b) >> 20) + real;
                b = ((2 * a * b) >> 20) + imaginary;
                a = next;
            }
        }
    }
    CHECK_SAME(d_iterations.download(), expected);
    CHECK(std::count(expected.begin(), expected.end(), most) > 100);  // the set itself
}

TEST_CASE("known: gather and scatter by a permutation") {
    for (const int n : edge_sizes()) {
        CAPTURE(n);
        const std::vector<int> in = random_values<int>(n, 115), index = shuffled_indices(n, 116);
        DeviceArray<int> d_in(in), d_index(index), d_gathered(n), d_scattered(n);
        gather_kernel<<<blocks_for(n, 96), 96>>>(d_in.data(), d_index.data(), d_gathered.data(), n);
        scatter_kernel<<<blocks_for(n, 96), 96>>>(d_in.data(), d_index.data(), d_scattered.data(),
                                                  n);
        std::vector<int> gathered(n), scattered(n);
        for (int i = 0; i < n; ++i) {
            gathered[i] = in[index[i]];
            scattered[index[i]] = in[i];
        }
        CHECK_SAME(d_gathered.download(), gathered);
        CHECK_SAME(d_scattered.download(), scattered);
    }
}
