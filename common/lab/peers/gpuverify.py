"""The kernels of GPUVerify's testsuite/CUDA (github.com/mc-imperial/gpuverify) as programs.

Each is a kernel.cu in a folder of its own. Its first lines say what GPUVerify says about it ("//pass",
"//xfail:NOT_ALL_VERIFIED") and how it is launched ("//--blockDim=[8,8] --gridDim=64 -DWIDTH=256"). There is no host
code: gpuverify.hpp makes the arguments, and the values that a kernel requires (`__requires(n == 143)`) become theirs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# GPUVerify reasons about any two threads; here blocks and grids are made small enough for a device and a test.
MAX_THREADS, MAX_BLOCKS = 1024, 128
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
KERNEL = re.compile(r"__global__\s+void\s+(\w+)\s*\(([^{};]*?)\)\s*\{")
DECLARED = re.compile(
    r"^[ \t]*(__device__\s+(?P<type>[\w\s*]+?)\s*(?P<name>\w+)\s*\((?P<parameters>[^()]*)\))\s*;", re.M
)


@dataclass(frozen=True)
class Program:
    name: str
    expects: str  # "right", "wrong", "assertion" or what GPUVerify's front end refuses
    source: str
    options: tuple[str, ...] = ()  # of the compiler
    inputs: tuple[tuple[str, ...], ...] = ((),)  # arguments, one run each
    kind: str = ""  # of the fault of a wrong program; empty: any


def shape(words: str, default: int) -> list[int]:
    """[x, y, z] of "[8,8]" or "64"."""
    sizes = [int(word) for word in re.findall(r"\d+", words)] or [default]
    return sizes + [1] * (3 - len(sizes))


def shrunk(sizes: list[int], most: int) -> list[int]:
    """At most that many in total: the largest extent is halved until that holds."""
    while sizes[0] * sizes[1] * sizes[2] > most:
        at = sizes.index(max(sizes))
        sizes = [size // 2 if i == at else size for i, size in enumerate(sizes)]
    return sizes


def expectation(first_line: str, code: str) -> str:
    """What the suite says; an assertion that fails is about values, not about the order of accesses."""
    word = first_line.lstrip("/ ").strip()
    if word.lower() == "pass":
        return "right"
    if word.lower() != "xfail:not_all_verified":
        return word.split(":")[-1]
    return "assertion" if "__assert(" in code else "wrong"


def values(text: str, parameters: list[str]) -> list[str]:
    """What parameters must contain, as items of a map: from "//x = 185" and __requires(x == 185)."""
    code, result = COMMENT.sub("", text), []
    for number, name in enumerate(parameters):
        if not name:
            continue
        given = re.search(rf"^//{name} = (\d+)\s*$", text, re.M) or re.search(
            rf"__requires\(\s*{name} == (\w[\w.]*)", code
        )
        if not given:
            continue
        if given[1].isdigit():
            result.append(f"{{{number}, {given[1]}}}")
        elif given[1] == "blockDim.x":
            result.append(f"{{{number}, block.x}}")
        elif re.search(rf"\b{given[1]}\s*\(", code):
            result.append(f"{{{number}, peers::address(peers_function_{given[1]})}}")
    return result


def program(name: str, text: str) -> Program:
    """The kernel with a main(). Lines keep their numbers: the first one, a comment, becomes the #include."""
    lines = text.split("\n")
    head = " ".join(line for line in lines[:3] if line.startswith("//"))
    options = tuple(re.findall(r"\s(-D\S+)", head))
    code = COMMENT.sub("", text)
    found = KERNEL.search(code)
    made = ['#include "gpuverify.hpp"', *lines[1:], "#undef tid", "#undef memcpy", "#undef memset"]
    # Functions known only to GPUVerify, which may return anything.
    for declared in DECLARED.finditer(code):
        if not re.search(rf"\b{declared['name']}\s*\([^()]*\)\s*\{{", code):
            made.append(declared[1] + (" {}" if declared["type"].strip() == "void" else " { return {}; }"))
    if found:
        parameters = [word for word in found[2].split(",") if word.strip()]
        names = [(re.findall(r"\w+", word) or [""])[-1] for word in parameters]
        items = values(text, names)
        for function in sorted(set(re.findall(r"peers_function_(\w+)\)", " ".join(items)))):
            made.append(f"__device__ auto peers_function_{function} = &{function};")
        block = shrunk(shape(match_of(r"--blockDim=(\S+)", head), 1), MAX_THREADS)
        grid = shrunk(shape(match_of(r"--gridDim=(\S+)", head), 1), MAX_BLOCKS)
        made += [
            "int main(int, char** words) {",
            f"    const dim3 grid({', '.join(map(str, grid))}), block({', '.join(map(str, block))});",
            f"    const bool is_cooperative = {'true' if 'grid_group' in code else 'false'};",
            f"    return peers::launch({found[1]}, grid, block, is_cooperative, words[1],",
            f"                         {{{', '.join(items)}}});",
            "}",
        ]
    expects = expectation(lines[0], code)
    return Program(name, expects, "\n".join(made) + "\n", options, inputs=(("zeros",), ("numbers",)))


def match_of(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else ""


def programs(checkout: Path) -> list[Program]:
    """All programs in a checkout of the repository, or of its testsuite/CUDA."""
    folder = checkout / "testsuite" / "CUDA"
    folder = folder if folder.is_dir() else checkout
    files = sorted(folder.rglob("kernel.cu"))
    return [program(str(file.parent.relative_to(folder)), file.read_text(encoding="utf-8")) for file in files]
