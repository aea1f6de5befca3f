// Whole kernels with known answers: many steps, each from the last one's result.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../device_array.hpp"
#include "../expect.hpp"
#include "../random_input.hpp"

using conformance::DeviceArray;
using conformance::random_values;

namespace {

int blocks_for(int n, int threads) { return std::max(1, (n + threads - 1) / threads); }

__global__ void n_body_kernel(const float4* bodies, float4* moved, float4* velocity, int n,
                              float step) {
    __shared__ float4 tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 force = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += 64) {
        const int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);  // no mass, no force
        __syncthreads();                                                  // the tile is complete
        for (int k = 0; k < 64; ++k) {
            const float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            const float strength = tile[k].w * inverse * inverse * inverse;
            force.x += dx * strength;
            force.y += dy * strength;
            force.z += dz * strength;
        }
        __syncthreads();  // all have used it
    }
    if (i >= n) return;
    float4 v = velocity[i];
    v.x += step * force.x;
    v.y += step * force.y;
    v.z += step * force.z;
    velocity[i] = v;
    moved[i] = make_float4(own.x + step * v.x, own.y + step * v.y, own.z + step * v.z, own.w);
}

__global__ void floyd_warshall_kernel(int* distance, int n, int via) {
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n) return;
    const int round_about = distance[row * n + via] + distance[via * n + column];
    if (round_about < distance[row * n + column]) distance[row * n + column] = round_about;
}

__global__ void breadth_first_kernel(const int* first, const int* edges, int* level, int n,
                                     int current, int* changed) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != current) return;
    for (int e = first[v]; e < first[v + 1]; ++e) {
        if (atomicCAS(&level[edges[e]], -1, current + 1) == -1) *changed = 1;
    }
}

__global__ void edit_distance_kernel(const char* a, int count_a, const char* b, int count_b,
                                     int* distance) {
    // Anti-diagonals of the table, three at a time in shared memory; one thread per row.
    __shared__ int diagonals[3][129];
    const int row = threadIdx.x;
    for (int d = 0; d <= count_a + count_b; ++d) {
        const int column = d - row;
        int* const now = diagonals[d % 3];
        const int* const last = diagonals[(d + 2) % 3];
        const int* const before = diagonals[(d + 1) % 3];
        if (row <= count_a && column >= 0 && column <= count_b) {
            int best;
            if (row == 0)
                best = column;
            else if (column == 0)
                best = row;
            else
                best = min(min(last[row - 1], last[row]) + 1,
                           before[row - 1] + (a[row - 1] != b[column - 1]));
            now[row] = best;
        }
        __syncthreads();  // this diagonal is complete
    }
    if (row == 0) *distance = diagonals[(count_a + count_b) % 3][count_a];
}

__global__ void pointer_jumping_kernel(const int* next, const int* length, int* next_out,
                                       int* length_out, int n) {
    // J. C. Wyllie 1979: every node doubles the distance to the node that it points to.
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int j = next[i];
    next_out[i] = next[j];
    length_out[i] = length[i] + (j != i ? length[j] : 0);
}

__global__ void gauss_kernel(double* matrix, int n) {
    // Gaussian elimination without pivoting on [A | b], one block; columns are the threads.
    const int columns = n + 1, c = threadIdx.x;
    for (int pivot = 0; pivot < n; ++pivot) {
        const double own = c < columns ? matrix[pivot * columns + c] : 0;
        const double diagonal = matrix[pivot * columns + pivot];
        for (int row = 0; row < n; ++row) {
            const double factor = matrix[row * columns + pivot] / diagonal;
            __syncthreads();  // the factor is read before its column changes
            if (row != pivot && c < columns) matrix[row * columns + c] -= factor * own;
        }
        __syncthreads();  // this column is eliminated
    }
    if (c < n) {
        const double result = matrix[c * columns + n] / matrix[c * columns + c];
        matrix[c * columns + n] = result;
    }
}

}  // namespace

TEST_CASE("known: a step of n bodies") {
    for (const int n : {1, 63, 64, 65, 150}) {
        CAPTURE(n);
        const std::vector<float> random = random_values<float>(7 * n, 181);
        std::vector<float4> bodies(n), velocity(n);
        for (int i = 0; i < n; ++i) {
            const float* r = &random[7 * i];
            bodies[i] = make_float4(r[0], r[1], r[2], r[3] + 1.5f);
            velocity[i] = make_float4(r[4], r[5], r[6], 0);
        }
        DeviceArray<float4> d_bodies(bodies), d_moved(n), d_velocity(velocity);
        n_body_kernel<<<blocks_for(n, 64), 64>>>(d_bodies.data(), d_moved.data(), d_velocity.data(),
                                                 n, 0.01f);
        std::vector<float> expected, out;
        for (int i = 0; i < n; ++i) {
            double force[3] = {};
            for (int j = 0; j < n; ++j) {
                const double d[3] = {double(bodies[j].x) - bodies[i].x,
                                     double(bodies[j].y) - bodies[i].y,
                                     double(bodies[j].z) - bodies[i].z};
                const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 0.01;
                for (int k = 0; k < 3; ++k)
                    force[k] += d[k] * bodies[j].w / (square * std::sqrt(square));
            }
            expected.push_back(float(bodies[i].x + 0.01 * (velocity[i].x + 0.01 * force[0])));
            expected.push_back(float(bodies[i].y + 0.01 * (velocity[i].y + 0.01 * force[1])));
            expected.push_back(float(bodies[i].z + 0.01 * (velocity[i].z + 0.01 * force[2])));
        }
        for (const float4& body : d_moved.download())
            for (const float value : {body.x, body.y, body.z}) out.push_back(value);
        CHECK_NEAR(out, expected, 2e-6, 2e-6);
    }
}

TEST_CASE("known: shortest paths by Floyd and Warshall") {
    const int n = 35, far = 1000000;
    std::vector<int> distance(n * n, far);
    conformance::Random random(182);
    for (int i = 0; i < n; ++i) {
        distance[i * n + i] = 0;
        for (int edge = 0; edge < 3; ++edge)
            distance[i * n + int(random.below(n))] = 1 + int(random.below(100));
        distance[i * n + i] = 0;
    }
    DeviceArray<int> d_distance(distance);
    for (int via = 0; via < n; ++via)
        floyd_warshall_kernel<<<dim3(3, 5), dim3(16, 8)>>>(d_distance.data(), n, via);
    const std::vector<int> before = distance;
    for (int via = 0; via < n; ++via)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                distance[i * n + j] =
                    std::min(distance[i * n + j], distance[i * n + via] + distance[via * n + j]);
    CHECK(distance != before);
    CHECK_SAME(d_distance.download(), distance);
}

TEST_CASE("known: breadth-first search") {
    const int n = 700;
    std::vector<int> first = {0}, edges, expected(n, -1);
    conformance::Random random(183);
    for (int v = 0; v < n; ++v) {
        for (int e = 0; e < int(random.below(4)); ++e) edges.push_back(int(random.below(n)));
        first.push_back(int(edges.size()));
    }
    expected[0] = 0;
    std::vector<int> queue = {0};
    for (std::size_t head = 0; head < queue.size(); ++head) {
        for (int e = first[queue[head]]; e < first[queue[head] + 1]; ++e) {
            if (expected[edges[e]] >= 0) continue;
            expected[edges[e]] = expected[queue[head]] + 1;
            queue.push_back(edges[e]);
        }
    }
    CHECK(queue.size() > 100);
    std::vector<int> level(n, -1);
    level[0] = 0;
    DeviceArray<int> d_first(first), d_edges(edges), d_level(level), d_changed(1);
    for (int current = 0, changed = 1; changed != 0; ++current) {
        d_changed.upload({0});
        breadth_first_kernel<<<blocks_for(n, 128), 128>>>(
            d_first.data(), d_edges.data(), d_level.data(), n, current, d_changed.data());
        changed = d_changed.download()[0];
    }
    CHECK_SAME(d_level.download(), expected);
}

TEST_CASE("known: edit distance along anti-diagonals") {
    const auto check = [](const std::string& a, const std::string& b, int expected) {
        DeviceArray<char> d_a(std::vector<char>(a.begin(), a.end()));
        DeviceArray<char> d_b(std::vector<char>(b.begin(), b.end()));
        DeviceArray<int> d_distance(1);
        edit_distance_kernel<<<1, 128>>>(d_a.data(), int(a.size()), d_b.data(), int(b.size()),
                                         d_distance.data());
        CHECK_SAME(d_distance.download(), std::vector<int>{expected});
    };
    check("kitten", "sitting", 3);
    check("", "abc", 3);
    check("bandwidth", "bandwidth", 0);
    check(std::string(100, 'x'), std::string(60, 'x'), 40);
    check("bubbles to bandwidth", "bandwidth to bubbles", 16);
}

TEST_CASE("known: list ranking by pointer jumping") {
    const int n = 1000;
    // A list through all nodes in a shuffled order; the last node points to itself.
    std::vector<int> sequence(n), next(n), length(n, 1), expected(n);
    conformance::Random random(185);
    for (int i = 0; i < n; ++i) {
        const int j = int(random.below(i + 1));
        sequence[i] = sequence[j];
        sequence[j] = i;
    }
    for (int i = 0; i < n; ++i) {
        next[sequence[i]] = sequence[std::min(i + 1, n - 1)];
        expected[sequence[i]] = n - 1 - i;
    }
    length[sequence[n - 1]] = 0;
    DeviceArray<int> d_next(next), d_length(length), d_next_out(n), d_length_out(n);
    for (int round = 0; round < 5; ++round) {
        pointer_jumping_kernel<<<blocks_for(n, 128), 128>>>(
            d_next.data(), d_length.data(), d_next_out.data(), d_length_out.data(), n);
        pointer_jumping_kernel<<<blocks_for(n, 128), 128>>>(d_next_out.data(), d_length_out.data(),
                                                            d_next.data(), d_length.data(), n);
    }
    CHECK_SAME(d_length.download(), expected);
}

TEST_CASE("known: linear equations by Gaussian elimination") {
    const int n = 30, columns = n + 1;
    const std::vector<double> random = random_values<double>(n * n, 186);
    std::vector<double> matrix(n * columns), solution(n), out(n);
    for (int r = 0; r < n; ++r) solution[r] = r - 10;
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            matrix[r * columns + c] = random[r * n + c] + (r == c ? 40 : 0);
            matrix[r * columns + n] += matrix[r * columns + c] * solution[c];
        }
    }
    DeviceArray<double> d_matrix(matrix);
    gauss_kernel<<<1, 32>>>(d_matrix.data(), n);
    const std::vector<double> result = d_matrix.download();
    for (int r = 0; r < n; ++r) out[r] = result[r * columns + n];
    CHECK_NEAR(out, solution, 1e-12, 1e-12);
}
