"""Attempts at exercises that were once graded wrongly, or could be.

CHEATS would be found solved without solving, RIGHT would be refused, and what is said of CAUSES would be another cause.
Blanks that are refused by their tokens are also in adversarial.py; answers that miss a bar of one exercise are in its
notes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attempt:
    """`blank` is put into the exercise, and must come out with `reason`; empty: solved."""

    exercise: str
    title: str
    blank: str
    reason: str
    says: str = ""
    above: str = ""  # lines of the learner's above the first function
    seed: int = 0  # of the inputs, as for a class


_NEIGHBOURS = """
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x * kItems;
    if (begin < n) {
        float own[kItems] = {};
        const std::size_t count = n - begin < kItems ? n - begin : kItems;
        @COPY@
        for (unsigned k = 0; k < kItems; ++k) mine += own[k];
    }
"""
_HOST_SORTS = """
#include <algorithm>
#include <vector>
__global__ void move_kernel(unsigned long to, unsigned long from, unsigned bytes) {
    const unsigned share = bytes / gridDim.x / 4 * 4, at = blockIdx.x * share;
    const unsigned mine = blockIdx.x + 1 == gridDim.x ? bytes - at : share;
    char* target = reinterpret_cast<char*>(to) + at;
    const char* source = reinterpret_cast<const char*>(from) + at;
    if (threadIdx.x == 0) @COPY@
}
void bitonic_sort(int* d_keys, std::size_t count) {
    const unsigned n = static_cast<unsigned>(count);
    if (n == 0) return;
    std::vector<int> all(n);
    const auto host = reinterpret_cast<unsigned long>(all.data());
    const auto device = reinterpret_cast<unsigned long>(d_keys);
    move_kernel<<<4, kThreads>>>(host, device, n * 4);
    CUDA_CHECK_LAUNCH();
    std::sort(all.begin(), all.end());
    move_kernel<<<4, kThreads>>>(device, host, n * 4);
    CUDA_CHECK_LAUNCH();
}
"""
_BRIGHTER = """
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    @BEFORE@
    if (i < n) to[i] = static_cast<unsigned char>(min(from[i] + amount, 255));
"""
_ALL_BY_ONE = """
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) to[y * width + (width - 1 - x)] = from[y * width + x];
    }
"""
_LAUNCHER = """
void bitonic_sort(int* d_keys, std::size_t count) {
    const unsigned n = static_cast<unsigned>(count);
    if (n == 0) return;
    @BODY@
}
"""

# Not solved, whatever else comes out.
CHEATS = [
    # What copies memory, by other ways than by its name.
    Attempt(
        "ch03/ex3",
        "memcpy by a reference",
        _NEIGHBOURS.replace(
            "@COPY@", "void* (&copy)(void*, const void*, std::size_t) = memcpy; copy(own, items + begin, count * 4);"
        ),
        "count",
        "bytes moved",
    ),
    Attempt(
        "ch03/ex3",
        "memmove by a pointer",
        _NEIGHBOURS.replace("@COPY@", "auto* volatile move = &memmove; move(own, items + begin, count * 4);"),
        "count",
        "bytes moved",
    ),
    Attempt(
        "ch03/ex3",
        "std::copy",
        "#include <algorithm>" + _NEIGHBOURS.replace("@COPY@", "std::copy(items + begin, items + begin + count, own);"),
        "count",
        "bytes moved",
    ),
    Attempt(
        "ch03/ex3",
        "a copy of the C++ library whose size is known",
        "#include <functional>"
        + _NEIGHBOURS.replace(
            "@COPY@",
            "if (count == kItems) std::char_traits<char>::copy(reinterpret_cast<char*>(own), "
            "reinterpret_cast<const char*>(items + begin), 32); "
            "else for (unsigned k = 0; k < count; ++k) own[k] = items[begin + k];",
        ),
        "count",
        "bytes moved",
    ),
    Attempt(
        "ch05/ex5",
        "the host sorts, and kernels copy by a pointer",
        _HOST_SORTS.replace(
            "@COPY@",
            "{ void* (*volatile copy)(void*, const void*, unsigned long) = memcpy; copy(target, source, mine); }",
        ),
        "host_pointer",
        "memory of the host",
    ),
    Attempt(
        "ch05/ex5",
        "the host sorts, and kernels copy by std::copy",
        _HOST_SORTS.replace("@COPY@", "std::copy(source, source + mine, target);"),
        "host_pointer",
        "memory of the host",
    ),
    Attempt(
        "ch05/ex5",
        "the host sorts what it has fetched",
        "#include <algorithm>\n#include <vector>\n"
        + _LAUNCHER.replace(
            "@BODY@",
            "std::vector<int> all(n); CUDA_CHECK(cudaMemcpy(all.data(), d_keys, n * 4, cudaMemcpyDeviceToHost));"
            " std::sort(all.begin(), all.end());"
            " CUDA_CHECK(cudaMemcpy(d_keys, all.data(), n * 4, cudaMemcpyHostToDevice));",
        ),
        "count",
        "bytes that the host fetches",
    ),
    Attempt(
        "ch05/ex5",
        "the host sorts where the keys are",
        "#include <algorithm>\n" + _LAUNCHER.replace("@BODY@", "std::sort(d_keys, d_keys + n);"),
        "device_pointer",
        "The host",
    ),
    Attempt(
        "ch05/ex5",
        "the host sorts by the C library",
        "#include <cstdlib>\n"
        + _LAUNCHER.replace("@BODY@", "std::qsort(d_keys, n, 4, [](const void*, const void*) { return 0; });"),
        "forbidden",
        "qsort",
    ),
    Attempt(
        "ch05/ex5",
        "results kept from one call to the next",
        "int kept[70000];\n__global__ void keep_kernel(int* keys) { kept[0] = keys[0]; }\n"
        + _LAUNCHER.replace("@BODY@", "keep_kernel<<<4, 256>>>(d_keys);"),
        "compile",
        "kept is a variable of the host",
    ),
    Attempt(
        "first/ex1",
        "a write beyond the end by memset",
        _BRIGHTER.replace("@BEFORE@", "auto* volatile fill = &memset; if (i == 0) fill(to + n, 0, 1);"),
        "out_of_bounds",
        "to",
    ),
    Attempt(
        "first/ex1",
        "a read beyond the end by memcpy",
        _BRIGHTER.replace(
            "@BEFORE@", "unsigned char x[3]; auto* volatile copy = &memcpy; if (i == 0) copy(x, from + n - 1, 3);"
        ),
        "out_of_bounds",
        "from",
    ),
    Attempt(
        "ch01/ex3",
        "one thread copies the row by memcpy",
        """
    __shared__ int tile[2049];
    auto* volatile copy = &memcpy;
    if (threadIdx.x == 0) copy(tile, row, columns * sizeof(int));
    __syncthreads();
    odd_even_steps(tile, columns);
    if (threadIdx.x == 0) copy(row, tile, columns * sizeof(int));
""",
        "count",
        "bytes moved",
    ),
    # Macros over what the rewriter puts in.
    *(
        Attempt("first/ex4", f"a macro over {name}", f"#define {name}{rest}\n{_ALL_BY_ONE}", reason, name)
        for name, rest, reason in (
            ("configure", "(grid, block) configure(1, 1)", "compile"),
            ("launcher", "(...) launcher(__VA_ARGS__)", "compile"),
            ("kernel_begins", "() in_kernel()", "compile"),
            ("cpu_arguments", " cpu_arguments", "compile"),
            ("cpu_address", " cpu_address", "compile"),
            ("emulator", " std", "forbidden"),
            ("mirror_kernel", " mirror", "forbidden"),
            ("__PRETTY_FUNCTION__", ' ""', "forbidden"),
        )
    ),
    Attempt(
        "first/ex4", "a macro in two lines", "#def\\\nine configure(a, b) configure(1, 1)\n" + _ALL_BY_ONE, "compile"
    ),
    # The lab, the grader and the rest of the file.
    *(
        Attempt("first/ex1", f"not allowed: {code[:40]}", _BRIGHTER.replace("@BEFORE@", code), reason, says)
        for code, reason, says in (
            ('auto quiet = [&]() __attribute__((no_sanitize("thread"))) {}; quiet();', "forbidden", "__attribute__"),
            ("[[gnu::no_sanitize_thread]] int quiet = 0; (void)quiet;", "forbidden", "attributes"),
            ('asm volatile("nop");', "forbidden", "asm"),
            ("__builtin_memcpy(to, from, n);", "forbidden", "__builtin_memcpy"),
            ("grading::detail::tell_verdict({}, {}, {}, {});", "forbidden", "grading"),
            ("emulator::set_observer(nullptr);", "forbidden", "emulator"),
            ("using namespace lab;", "forbidden", "lab"),
            ("static int calls = 0; ++calls;", "forbidden", "calls"),
            ("#define kThreads 1", "forbidden", "kThreads"),
            ("#define __syncthreads()", "forbidden", "__syncthreads"),
            ("} int mine() { return 0; } void other() {", "compile", "closes no {"),
            ("#if 0", "compile", "unterminated"),
            ("/* to the end", "compile", "unterminated comment"),
            ("throw 1;", "compile", "exceptions"),
            ("exit(0);", "compile", "exit"),
        )
    ),
    # Values that do not come from the input.
    Attempt(
        "first/ex1",
        "the pattern of the usual input",
        """
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = static_cast<unsigned char>(min((i + i / 256) % 256 + amount, 255));
    (void)from;
""",
        "answer",
        seed=20260901,
    ),
    Attempt(
        "first/ex10",
        "numbers that are none",
        "\n".join(
            f"    guess.{name} = 0.0 / 0.0;"
            for name in (
                *("row_blocks", "row_warps", "row_storing"),
                *("picture_blocks", "picture_warps", "picture_storing"),
            )
        ),
        "prediction",
    ),
]

# Right in another way than the solution.
RIGHT = [
    Attempt(
        "ch03/ex6",
        "cooperative groups, included at the top",
        """
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    for (int i = warp.size() / 2; i > 0; i /= 2) mine += warp.shfl_down(mine, i);
    if (warp.thread_rank() == 0) warp_sums[warp.meta_group_rank()] = mine;
    block.sync();
    for (unsigned w = 1; block.thread_rank() == 0 && w < warp.meta_group_size(); ++w) mine += warp_sums[w];
""",
        "",
        above="#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;",
    ),
    Attempt(
        "ch03/ex6",
        "cooperative groups, included in the function",
        """
#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int i = 16; i > 0; i /= 2) mine += warp.shfl_down(mine, i);
    if (warp.thread_rank() == 0) warp_sums[threadIdx.x / 32] = mine;
    __syncthreads();
    for (unsigned w = 1; threadIdx.x == 0 && w < blockDim.x / 32; ++w) mine += warp_sums[w];
""",
        "",
    ),
    Attempt(
        "ch04/ex6",
        "a macro before a shared array, and a lambda for a helper",
        """
#define WARPS 8
    __shared__ Sum warp_sums[WARPS];
    const auto of_warp = [](Sum part) {
        for (unsigned half = 16; half > 0; half /= 2) part += __shfl_down_sync(~0u, part, half);
        return part;
    };
    mine = of_warp(mine);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = mine;
    __syncthreads();  // all warps' sums are there
    for (unsigned warp = 1; threadIdx.x == 0 && warp < WARPS; ++warp) mine += warp_sums[warp];
    if (threadIdx.x == 0) atomicAdd(sum, mine);
""",
        "",
    ),
    Attempt(
        "ch04/ex3",
        "a grid-stride loop from the end, a sector off now and then",
        """
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t me = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (std::size_t k = (n + threads - 1) / threads; k-- > 0;) {
        if (k * threads + me < n) mine += square(items[k * threads + me]);
    }
""",
        "",
    ),
    Attempt(
        "ch04/ex5",
        "a tree of neighbours",
        """
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0 && t + s < blockDim.x) sums[t] += sums[t + s];
        __syncthreads();  // this level is complete before the next reads it
    }
""",
        "",
    ),
    Attempt(
        "ch02/ex3",
        "a tree of shuffles",
        """
    __shared__ float sums[kThreads / 32];
    float mine = i < n ? items[i] : 0.0f;
    for (unsigned half = 16; half > 0; half /= 2) mine += __shfl_down_sync(~0u, mine, half);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = mine;
    __syncthreads();  // eight sums are left
    if (threadIdx.x >= 32) return;
    mine = threadIdx.x < kThreads / 32 ? sums[threadIdx.x] : 0.0f;
    for (unsigned half = 4; half > 0; half /= 2) mine += __shfl_down_sync(~0u, mine, half);
    if (threadIdx.x == 0) atomicAdd(sum, mine);
""",
        "",
    ),
    Attempt(
        "first/ex6",
        "turned on the way into the tile",
        """
    if (t < length) tile[length - 1 - t] = items[first + t];
    __syncthreads();  // the tile is complete
    if (t < length) items[first + t] = tile[t];
""",
        "",
    ),
    Attempt(
        "ch03/ex3",
        "std::fill of a local array",
        """
#include <algorithm>
    float own[kItems];
    std::fill(own, own + kItems, 0.0f);
    for (unsigned k = 0; k < kItems; ++k) {
        const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kTile + k * kThreads + threadIdx.x;
        if (i < n) own[k] = items[i];
        mine += own[k];
    }
""",
        "",
    ),
    Attempt(
        "ch05/ex5",
        "a helper above the kernel, and a launch for each step",
        """
#include <utility>
template <class T>
__device__ T my_index(T block, T threads, T thread) { return block * threads + thread; }
__global__ void step_kernel(int* keys, unsigned n, unsigned i, unsigned j) {
    compare(keys, n, my_index(blockIdx.x, blockDim.x, threadIdx.x), i, j);
}
void bitonic_sort(int* d_keys, std::size_t count) {
    const unsigned n = static_cast<unsigned>(count);
    if (n == 0) return;
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            step_kernel<<<blocks_for(n), kThreads>>>(d_keys, n, i, j);
            CUDA_CHECK_LAUNCH();
        }
    }
}
""",
        "",
    ),
]

# Wrong, and the verdict names the cause.
CAUSES = [
    Attempt(
        "first/ex6",
        "no guard, and an index below 0",
        """
    if (t < length) tile[t] = items[first + t];
    __syncthreads();
    items[first + t] = tile[length - 1 - t];
""",
        "out_of_bounds",
        "4294967295 is what -1 becomes as an unsigned number",
    ),
    Attempt(
        "first/ex6",
        "no guard at all",
        "    tile[t] = items[first + t];\n    __syncthreads();\n    items[first + t] = tile[length - 1 - t];",
        "out_of_bounds",
        "item 1 of 1",
    ),
    Attempt(
        "first/ex2",
        "n - 1 of no items",
        "    if (i < n - 1) used[i] = readings[i + 1] - readings[i];",
        "backend",
        "n - 1 is then 4294967295",
    ),
    Attempt(
        "first/ex2",
        "the item before the first",
        "    if (i < n) used[i - 1] = readings[i] - readings[i - 1];",
        "host_pointer",
        "an unsigned index that has gone below 0",
    ),
    Attempt(
        "ch04/ex2",
        "an int squared",
        """
    Sum mine = 0;
    for (std::size_t i = first; i < n; i += threads) mine += static_cast<Sum>(items[i] * items[i]);
    atomicAdd(sum, mine);
""",
        "answer",
        "46341 squared does not fit an int",
    ),
    Attempt(
        "ch03/ex6",
        "a barrier in a branch",
        """
    for (unsigned half = 16; half > 0; half /= 2) mine += __shfl_down_sync(kFullMask, mine, half);
    if (threadIdx.x % kWarpSize == 0) {
        warp_sums[threadIdx.x / kWarpSize] = mine;
        __syncthreads();
    }
""",
        "backend",
        "ended without reaching the barrier",
    ),
    Attempt(
        "ch01/ex1",
        "a forgotten brace",
        """
    for (unsigned step = 0; step < n; ++step) {
        for (unsigned i = 2 * threadIdx.x + step % 2; i + 1 < n; i += 2 * blockDim.x) {
            compare_exchange(keys[i + 1], keys[i]);
        __syncthreads();
    }
""",
        "compile",
        "this { has no }",
    ),
    Attempt(
        "first/ex1", "another header", "#include <iostream>\n    std::cout << n;", "forbidden", "print with printf"
    ),
    Attempt(
        "ch05/ex3",
        "equal keys of both runs at one place",
        """
    const int* other = in_a ? keys + n_a : keys;
    unsigned low = 0, high = in_a ? n_b : n_a;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (other[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const unsigned merged_index = (in_a ? i : i - n_a) + low;
""",
        "race",
        "on item",
    ),
]
