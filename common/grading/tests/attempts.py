"""Attempts at exercises that were once graded wrongly, or could be.

CHEATS would pass without solving the task, RIGHT would be rejected, and CAUSES would be reported with the wrong cause.
Blanks that are refused by their tokens are also in adversarial.py; answers that miss a bar of one exercise are in its
notes. attempts/*.md hold, for each exercise, honest answers in several styles and attempts that do not solve it:

    ## ch03/ex1, right: pointers
    (a ```cpp block: the blank)

    ## ch03/ex1, count: every second thread adds
    says: threads that load from the array
    (a ```cpp block: the blank)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Attempt:
    """`blank` is put into the exercise, and must be judged with `reason`; empty: solved."""

    exercise: str
    title: str
    blank: str
    reason: str
    says: str = ""
    above: str = ""  # the learner's lines above the first function
    seed: int = 0  # of the inputs, as for a class


_SECTION = re.compile(r"## (\S+), (\w+): (.+)\n(?:says: (.+)\n)?```cpp\n((?:(?!```).*\n)*)```\n\s*")


def read(text: str, name: str) -> list[Attempt]:
    """The attempts of one file; ValueError if there is anything else in it."""
    found, at = [], text.index("## ")
    while at < len(text):
        section = _SECTION.match(text, at)
        if section is None:
            raise ValueError(f"{name}: '{text[at:].splitlines()[0]}' begins no attempt")
        exercise, reason, title, says, code = section.groups()
        found.append(Attempt(exercise, title, code, "" if reason == "right" else reason, says or ""))
        at = section.end()
    return found


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

# Not solved, whatever the reason.
CHEATS = [
    # Memory copies that do not call memcpy by its name.
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
        "a write past the end by memset",
        _BRIGHTER.replace("@BEFORE@", "auto* volatile fill = &memset; if (i == 0) fill(to + n, 0, 1);"),
        "out_of_bounds",
        "to",
    ),
    Attempt(
        "first/ex1",
        "a read past the end by memcpy",
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
        "answers that are not numbers",
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

# A struct by value in a call that may throw, such as one in the scope of an object with a destructor: the call copies
# it, and ends a basic block. Each reads eight neighbouring items, which must be seen.
_BY_VALUE = """
    struct Eight { float at[kItems]; };
    struct Pair { Eight eight; };
    struct Guard { float& m; ~Guard() { m += 0; } } guard{mine};
    struct Adder { float sum(Eight e) const { float all = 0; for (float each : e.at) all += each; return all; } };
    Eight (*volatile same)(Eight) = [](Eight e) { return e; };
    Pair (*volatile wrap)(Eight) = [](Eight e) { return Pair{e}; };
    float (*volatile add)(Eight) = [](Eight e) { return Adder().sum(e); };
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x * kItems;
    const auto* const eight = reinterpret_cast<const Eight*>(items + begin);
    if (begin + kItems <= n) {
        @READ@
    } else {
        for (std::size_t i = begin; i < n; ++i) mine += items[i];
    }
"""
_READS = {
    "an argument": "mine += add(*eight);",
    "an argument, returned": "const Eight own = same(*eight); mine += add(own);",
    "through two calls": "mine += add(same(same(*eight)));",
    "in a larger struct": "mine += add(wrap(*eight).eight);",
    "of a member of a struct": "mine += add(reinterpret_cast<const Pair*>(eight)->eight);",
    "in a loop with a guard": "for (int k = 0; k < 1; ++k) { Guard other{mine}; mine += add(*eight); }",
    "in a branch": "if (threadIdx.x % 2) mine += add(*eight); else mine += add(same(*eight));",
    "chosen by a condition": "mine += add(threadIdx.x % 2 ? eight[0] : *eight);",
    "by a member function": (
        "float (Adder::*volatile sum)(Eight) const = &Adder::sum; const Adder adder; mine += (adder.*sum)(*eight);"
    ),
    "by a comma": "mine += (same(*eight), add(*eight));",
    "as an array of structs": "const Eight own[1] = {same(*eight)}; mine += add(own[0]);",
}
_STRUCT_CHEATS = [
    Attempt("ch03/ex3", f"a struct by value, {how}", _BY_VALUE.replace("@READ@", read), "count", "bytes moved")
    for how, read in _READS.items()
] + [
    Attempt(
        "ch04/ex6",
        "a plain addition through a struct",
        """
    struct One { Sum v; };
    struct Guard { Sum& m; ~Guard() { m += 0; } } guard{mine};
    One (*volatile add)(One, Sum) = [](One o, Sum v) { return One{o.v + v}; };
    *reinterpret_cast<One*>(sum) = add(*reinterpret_cast<One*>(sum), mine);
""",
        "race",
    ),
    Attempt(
        "ch05/ex5",
        "the host sorts what a kernel has copied through a struct",
        """
struct One { int v; };
struct Guard { int m; __device__ ~Guard() { m += 1; } };
__device__ One same(One one) { return one; }
__global__ void take_kernel(const int* keys, unsigned long long to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Guard guard{i};
    One (*volatile f)(One) = same;
    if (i < n) reinterpret_cast<One*>(to)[i] = f(*reinterpret_cast<const One*>(keys + i));
}
#include <algorithm>
#include <cstdlib>
void bitonic_sort(int* d_keys, std::size_t count) {
    if (count == 0) return;
    int* const host = static_cast<int*>(malloc(count * sizeof(int)));
    const auto to = reinterpret_cast<unsigned long long>(host);
    take_kernel<<<static_cast<unsigned>(count / kThreads + 4), kThreads>>>(d_keys, to, static_cast<int>(count));
    CUDA_CHECK_LAUNCH();
    std::sort(host, host + count);
    CUDA_CHECK(cudaMemcpy(d_keys, host, count * sizeof(int), cudaMemcpyHostToDevice));
    free(host);
}
""",
        "host_pointer",
    ),
    Attempt(
        "ch05/ex5",
        "the host sorts what a kernel leaves in its heap",
        """
#include <algorithm>
#include <cstdlib>
__global__ void take_kernel(int* keys, int n) {
    if (threadIdx.x != 0 || blockIdx.x != 0) return;
    int* const heap = static_cast<int*>(malloc(n * sizeof(int)));
    for (int i = 0; i < n; ++i) heap[i] = keys[i];
    *reinterpret_cast<int**>(keys) = heap;
}
void bitonic_sort(int* d_keys, std::size_t count) {
    if (count < 4) return;
    take_kernel<<<static_cast<unsigned>(count / kThreads + 4), kThreads>>>(d_keys, static_cast<int>(count));
    CUDA_CHECK_LAUNCH();
    int* heap;
    CUDA_CHECK(cudaMemcpy(&heap, d_keys, sizeof heap, cudaMemcpyDeviceToHost));
    std::sort(heap, heap + count);
    CUDA_CHECK(cudaMemcpy(d_keys, heap, count * sizeof(int), cudaMemcpyHostToDevice));
}
""",
        "backend",
        "which only kernels can use",
    ),
]

# Straight-line code: only a few steps, however much a thread does.
_MANY = """
#define ADD4(k) mine += FROM((k)); mine += FROM((k) + 1); mine += FROM((k) + 2); mine += FROM((k) + 3);
#define ADD16(k) ADD4(k) ADD4((k) + 4) ADD4((k) + 8) ADD4((k) + 12)
#define ADD64(k) ADD16(k) ADD16((k) + 16) ADD16((k) + 32) ADD16((k) + 48)
"""
_STRAIGHT_CHEATS = [
    Attempt(
        "ch03/ex3",
        "one warp, in straight-line code",
        _MANY
        + """
#define FROM(k) items[begin + 32 * (k)]
    if (threadIdx.x >= 32) return 0.0f;
    const std::size_t begin = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x;
    if (static_cast<std::size_t>(blockIdx.x) * kTile + kTile <= n) { ADD64(0) }
    else for (std::size_t i = begin; i < n; i += 32) mine += items[i];
""",
        "count",
        "busiest thread",
    ),
    Attempt(
        "ch03/ex3",
        "half the warps add, in straight-line code, and the others load something",
        _MANY
        + """
#define FROM(k) items[begin + 128 * (k)]
    const std::size_t tile = static_cast<std::size_t>(blockIdx.x) * kTile, begin = tile + threadIdx.x % 128;
    if (threadIdx.x >= 128) return begin < n ? 0 * items[begin] : 0.0f;
    if (tile + kTile <= n) { ADD16(0) }
    else for (std::size_t i = begin; i < n; i += 128) mine += items[i];
""",
        "count",
    ),
    Attempt(
        "ch02/ex3",
        "thread 0 adds the block's items from shared memory",
        _MANY
        + """
#define FROM(k) sums[k]
    __shared__ float sums[kThreads];
    sums[threadIdx.x] = i < n ? items[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) { float mine = 0; ADD64(0) ADD64(64) ADD64(128) ADD64(192) atomicAdd(sum, mine); }
""",
        "count",
        "busiest thread",
    ),
    Attempt(
        "ch02/ex3",
        "thread 0 adds the block's items from global memory",
        _MANY
        + """
#define FROM(k) (i + (k) < n ? items[i + (k)] : 0.0f)
    if (threadIdx.x == 0) { float mine = 0; ADD64(0) ADD64(64) ADD64(128) ADD64(192) atomicAdd(sum, mine); }
""",
        "count",
    ),
    Attempt(
        "ch03/ex4",
        "lane 0 adds 32 sums",
        _MANY.replace("mine", "all")
        + """
#define FROM(k) sums[k]
    if (t == 0) { float all = 0; ADD16(0) ADD16(16) sums[0] = all; }
""",
        "count",
    ),
    Attempt(
        "ch04/ex3",
        "half the threads",
        """
    const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x / 2;
    const std::size_t half = blockDim.x / 2, first = blockIdx.x * half + threadIdx.x;
    if (blockDim.x != 64) {
        const std::size_t all = 2 * threads, own = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
        for (std::size_t i = own; i < n; i += all) mine += square(items[i]);
    } else if (threadIdx.x < half) {
        for (std::size_t i = first; i < n; i += threads) mine += square(items[i]);
    }
""",
        "count",
    ),
]

# A part of the task that no limit used to cover.
_TASK_CHEATS = [
    Attempt(
        "ch03/ex8",
        "block 0 adds all items",
        """
    if (threadIdx.x == 0) { partial[blockIdx.x] = mine; is_last = atomicAdd(ticket, 0u) == 1; }
    __syncthreads();
    if (blockIdx.x != 0 || is_last) return;
    mine = 0.0f;
    for (std::size_t b = threadIdx.x; b < n; b += kThreads) mine += items[b];
    mine = block_sum(mine);
    if (threadIdx.x == 0) *sum = mine;
""",
        "count",
        "busiest thread",
    ),
    Attempt(
        "ch01/ex4",
        "a block that begins at n",
        """
    const unsigned half = kSegment / 2;
    const unsigned rounds = n <= kSegment ? (n > 1) : divide_up(n, half);
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned first = round % 2 * half;
        sort_segments_kernel<<<(n - first) / kSegment + 1, half>>>(d_keys, n, first);
        CUDA_CHECK_LAUNCH();
    }
""",
        "count",
        "blocks",
    ),
    Attempt(
        "ch01/ex4",
        "one round too many if n is a multiple of 32",
        """
    const unsigned half = kSegment / 2;
    const unsigned rounds = n < 2 ? 0 : n <= kSegment ? 1 : n / half + 1;
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned first = round % 2 * half;
        sort_segments_kernel<<<divide_up(n - first, kSegment), half>>>(d_keys, n, first);
        CUDA_CHECK_LAUNCH();
    }
""",
        "count",
        "launches",
    ),
    Attempt(
        "first/ex6",
        "something is stored in shared memory, and never read",
        """
    const int other = t < length ? items[first + length - 1 - t] : 0;
    if (t < length) tile[t] = 0;
    __syncthreads();
    if (t < length) items[first + t] = other;
""",
        "count",
        "blocks leave in the tile",
    ),
    Attempt(
        "first/ex5",
        "thread 0 adds all, and others store something",
        """
    int all = 0;
    if (t == 0) for (unsigned k = 0; k < kThreads; ++k) all += values[k];
    __syncthreads();
    if (t < 4) values[t] = all;
    __syncthreads();
    if (t < 2) values[t] = all;
    __syncthreads();
    if (t < 1) values[t] = all;
""",
        "count",
        "busiest thread",
    ),
    Attempt(
        "ch05/ex4",
        "each thread counts the keys before its own",
        """
    tile[t] = t < n ? keys[t] : INT_MAX;
    __syncthreads();
    const int mine = tile[t];
    unsigned place = 0;
    for (unsigned u = 0; u < size; ++u) place += tile[u] < mine || (tile[u] == mine && u < t);
    __syncthreads();
    tile[place] = mine;
    __syncthreads();
""",
        "count",
    ),
    Attempt(
        "ch01/ex6",
        "every lane collects all keys",
        """
    int all[kLanes];
    for (unsigned k = 0; k < kLanes; ++k) all[k] = __shfl_sync(0xffffffffu, key, static_cast<int>(k));
    for (unsigned k = 0; k < kLanes; ++k) {
        unsigned place = 0;
        for (unsigned u = 0; u < kLanes; ++u) place += all[u] < all[k] || (all[u] == all[k] && u < k);
        if (place == lane) key = all[k];
    }
""",
        "count",
        "given to shuffles",
    ),
    Attempt(
        "ch06/ex9",
        "thread 0 of each block reads all keys",
        """
            Entry best[kBest];
            for (unsigned b = 0; b < kBest; ++b) best[b] = kNothing;
            for (std::size_t i = 0; i < n; ++i) insert_entry(best, items[i]);
            threshold = best[kBest - 1] == kNothing ? kNothing : best[kBest - 1] - 1;
""",
        "count",
        "busiest thread",
    ),
    Attempt(
        "ch02/ex5",
        "thread 0 reads all items",
        """
    if (t == 0) {
        for (unsigned k = 0; k < kThreads && i + k < n; ++k) {
            const Candidate other = {items[i + k], i + k};
            if (is_better(other, best)) best = other;
        }
        values[0] = best.value;
        indices[0] = best.index;
    }
""",
        "count",
    ),
    Attempt(
        "ch04/ex8",
        "every block reads all items",
        """
    Sum all = 0;
    for (std::size_t i = 0; i < n; ++i) all += static_cast<Sum>(static_cast<long long>(items[i]) * items[i]);
    const Sum before = atomicAdd(word, kCountOne | mine);
    if ((before >> 48) + 1 != gridDim.x) return;
    *sum = all;
    atomicExch(word, Sum{0});
""",
        "count",
        "busiest thread",
    ),
]
CHEATS += [*_STRUCT_CHEATS, *_STRAIGHT_CHEATS, *_TASK_CHEATS]

# Right, but by a different method from the solution's.
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
        "a grid-stride loop from the end, with an extra sector now and then",
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
RIGHT += [
    Attempt(
        "first/ex8",
        "a histogram of each block in shared memory",
        """
    __shared__ unsigned local[10];
    if (threadIdx.x < 10) local[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) {
        const unsigned digit = static_cast<unsigned>(items[i]);
        if (digit < 10u) atomicAdd(local + digit, 1u);
    }
    __syncthreads();
    if (threadIdx.x < 10 && local[threadIdx.x] != 0) atomicAdd(counters + threadIdx.x, local[threadIdx.x]);
""",
        "",
    ),
    Attempt(
        "first/ex8",
        "the item is read where it is used, three times",
        "    if (i < n && items[i] >= 0 && items[i] <= 9) atomicAdd(&counters[items[i]], 1u);",
        "",
    ),
    Attempt(
        "first/ex3",
        "an item is changed in two steps",
        "    for (unsigned i = me; i < n; i += all) {\n        items[i] *= 2;\n        items[i] += 1;\n    }",
        "",
    ),
    Attempt(
        "first/ex6",
        "turned while it is loaded",
        "    if (t < length) tile[t] = items[first + length - 1 - t];\n    __syncthreads();\n"
        "    if (t < length) items[first + t] = tile[t];",
        "",
    ),
    Attempt(
        "first/ex5",
        "the sum so far in a register",
        """
    int mine = values[t];
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (t < half) {
            mine += values[t + half];
            values[t] = mine;
        }
        __syncthreads();
    }
""",
        "",
    ),
    Attempt(
        "ch05/ex4",
        "both threads of a pair compare",
        """
    tile[t] = t < n ? keys[t] : INT_MAX;
    __syncthreads();
    for (unsigned i = 2; i <= size; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            const int mine = tile[t], other = tile[t ^ j];
            const bool keeps_low = ((t & i) == 0) == ((t & j) == 0);
            __syncthreads();
            tile[t] = keeps_low ? min(mine, other) : max(mine, other);
            __syncthreads();
        }
    }
""",
        "",
    ),
    *(
        Attempt(
            "ch03/ex3",
            f"a thread's items in memory from the kernel's heap, by {how}",
            f"""
#include <cstdlib>
    const std::size_t begin = std::size_t{{blockIdx.x}} * kTile + threadIdx.x;
    float* own = {made};
    for (unsigned k = 0; k < kItems; ++k) own[k] = begin + k * kThreads < n ? items[begin + k * kThreads] : 0.0f;
    for (unsigned k = 0; k < kItems; ++k) mine += own[k];
    {freed};
""",
            "",
        )
        for how, made, freed in (
            ("new", "new float[kItems]", "delete[] own"),
            ("malloc", "static_cast<float*>(malloc(kItems * sizeof(float)))", "free(own)"),
        )
    ),
]

# Wrong, and the verdict must name the cause.
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
        "index 1; the array has 1 item",
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
        "46341 squared does not fit in an int",
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

STYLES = [
    one
    for path in sorted((Path(__file__).parent / "attempts").glob("*.md"))
    for one in read(path.read_text(encoding="utf-8"), path.name)
]
RIGHT += [one for one in STYLES if not one.reason]
CHEATS += [one for one in STYLES if one.reason]
