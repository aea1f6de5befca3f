"""Attempts at exercises that were once graded wrongly, or could be.

CHEATS would pass without solving the task, or be reported with the wrong cause; RIGHT would be rejected. Blanks that
are refused by their tokens are also in adversarial.py; answers that miss a bar of one exercise are in its notes. Here
are those made of common pieces, and those that need a seed or lines above the function. attempts/*.md hold the others,
by exercise: honest answers in several styles, and attempts that do not solve it:

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

# Not solved, and the verdict must name the cause.
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
]

CHEATS += [
    *_STRUCT_CHEATS,
    *_STRAIGHT_CHEATS,
    Attempt(
        "ch03/ex1",
        "a shuffle from beyond the warp, which returns each thread's own sum",
        """
    const std::size_t end = offsets[blockIdx.x + 1];
    std::size_t i = offsets[blockIdx.x] + t;
    for (; i + kThreads < end; i += 2 * kThreads) mine += items[i] + items[i + kThreads];
    if (i < end) mine += items[i];
    mine = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block()).shfl_down(mine, 32);
""",
        "backend",
        says="shuffle beyond its group in segments_kernel",
        above="#include <cooperative_groups.h>",
    ),
]

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

STYLES = [
    one
    for path in sorted((Path(__file__).parent / "attempts").glob("*.md"))
    for one in read(path.read_text(encoding="utf-8"), path.name)
]
RIGHT += [one for one in STYLES if not one.reason]
CHEATS += [one for one in STYLES if one.reason]
