// The three programs' work in plain C++, without threads, for comparison with their times.
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

int matmul() {
    constexpr int kN = 512;
    std::vector<float> a(kN * kN), b(kN * kN), c(kN * kN);
    for (int i = 0; i < kN * kN; ++i) {
        a[i] = static_cast<float>(i % 7);
        b[i] = static_cast<float>(i % 5);
    }
    for (int row = 0; row < kN; ++row) {
        for (int k = 0; k < kN; ++k) {
            for (int column = 0; column < kN; ++column) {
                c[row * kN + column] += a[row * kN + k] * b[k * kN + column];
            }
        }
    }
    return c[3 * kN + 5] == 3067 ? 0 : 1;
}

int scan() {
    constexpr int kN = 1 << 20;
    std::vector<int> in(kN), out(kN);
    for (int i = 0; i < kN; ++i) in[i] = i % 9;
    int sum = 0;
    for (int i = 0; i < kN; ++i) out[i] = sum += in[i];
    return out[8] == 36 ? 0 : 1;
}

int histogram() {
    constexpr int kBytes = 4 << 20;
    std::vector<unsigned char> in(kBytes);
    unsigned state = 1;
    for (unsigned char& each : in) each = (state = state * 1664525u + 1013904223u) >> 24;
    unsigned bins[256] = {};
    for (const unsigned char each : in) ++bins[each];
    return bins[0] != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const char* const which = argc == 2 ? argv[1] : "";
    if (std::strcmp(which, "matmul") == 0) return matmul();
    if (std::strcmp(which, "scan") == 0) return scan();
    if (std::strcmp(which, "histogram") == 0) return histogram();
    std::fprintf(stderr, "plain: name one of matmul, scan, histogram\n");
    return 2;
}
