#!/usr/bin/env python3
r"""Turns CUDA C++ into C++ for the emulator. Only these things change (rewriting/, one file each):

    kernel<<<grid, block, bytes, stream>>>(arguments)   a call of ::emulator::launcher
    __shared__ T name[N];  extern __shared__ T name[];  references into the block's shared memory
    __global__ void kernel(...) {                       ... { ::emulator::kernel_begins();
    #if __CUDA_ARCH__ >= 700                            the modelled device's in device code
    a \ before a comment at a line's end                  a blank
    malloc(n), free(p), new T in device code            a call of ::emulator::kernel_malloc, ...
    while (*flag == 0) {}                               while (::emulator::note_wait(), *flag == 0) {}
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));          a function; or a compile error that names it
    <cub/...>, <cudnn.h>, ...; cublasSgemm(...)         a compile error that names it
    #include "file"                                     the file's full path, or its rewritten copy
    __device__ int bins[16];  int of_host[16];          a red zone, or a mark, beside it

<cuda_runtime.h> is included first, as nvcc does. What nvcc refuses is refused (rewriting/rules.py).
Everything stays on its line, and #line keeps errors and debuggers in the original file.

    translate.py INPUT OUTPUT --source-root DIR --copies DIR [--depfile FILE] [--include DIR]...

Included files that contain something to change are rewritten to DIR/<path from source root>.
"""

import argparse
import os
import re
import sys

from rewriting import arch, kernel_heap, kernels, launches, libraries, marks, names, ptx, rules, shared, waits
from rewriting.functions import flatten, functions_of
from rewriting.includes import Rewriter, depfile_path, write
from rewriting.text import blank, drop_stray_backslashes


def rewrite_noinline(text: str) -> str:
    """__noinline__ also occurs in the C++ library's headers, so it cannot be a macro."""
    code = blank(text)
    for found in reversed(list(re.finditer(r"\b__noinline__\b", code))):
        if not re.search(r"__attribute__\s*\(\(\s*$", code[: found.start()]):
            text = text[: found.start()] + "__attribute__((noinline))" + text[found.end() :]
    return text


def rewrite_text(text: str, shared_elsewhere: "set[str] | frozenset[str]" = frozenset()) -> str:
    """The rewritten text; the same number of lines. `shared_elsewhere`: shared variables of the other files."""
    source = text
    text = drop_stray_backslashes(text)
    text = launches.close_up(text, blank(text))
    text = launches.drop_casts(text, blank(text))
    functions = functions_of(text)
    rules.check(text, functions)
    text = marks.add_marks(text, flatten(text), functions)
    text = kernel_heap.rewrite_heap(text)
    text = arch.rewrite_arch(text, functions_of(text))
    functions = functions_of(text)
    text = shared.name_overlaps(text, flatten(text), functions)
    functions = functions_of(text)
    at_file_scope = shared.file_scope_names(text, blank(text), functions)
    elsewhere = sorted(shared_elsewhere.difference(at_file_scope))
    if at_file_scope or elsewhere:
        text = shared.bind_file_scope(text, at_file_scope, functions, flatten(text), elsewhere)
    # Rightmost first, so that a launch among another launch's arguments is rewritten before it.
    while True:
        code = blank(text)
        found = code.rfind("<<<")
        if found < 0:
            break
        start, end, replacement = launches.rewrite_launch(text, code, found)
        text = text[:start] + replacement + text[end:]
    while True:
        code = blank(text)
        word = re.search(r"\b__shared__\b", code)
        if not word:
            break
        start, end, replacement = shared.rewrite_shared(text, code, word.start())
        text = text[:start] + replacement + text[end:]
    text = ptx.rewrite_all(text)
    text = libraries.rewrite_calls(text)
    text = waits.rewrite_waits(text)
    text = kernels.rewrite_kernels(text, blank(text))
    names.check_macros(source, text)
    return rewrite_noinline(text)


def main(words: "list[str] | None" = None) -> None:
    """`words`: the command line; if absent, that of this program."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--source-root", required=True, help="includes are also looked for here")
    parser.add_argument("--copies", required=True, help="where rewritten included files go")
    parser.add_argument("--depfile", help="for the build system: what was read")
    parser.add_argument("--include", "-I", action="append", default=[], help="a folder with included files")
    arguments = parser.parse_args(words)
    rewriter = Rewriter(arguments.source_root, arguments.copies, rewrite_text, arguments.include)
    rewriter.rewrite(os.path.realpath(arguments.input), arguments.output)
    if arguments.depfile:
        names = " \\\n  ".join(depfile_path(path) for path in sorted(rewriter.read))
        write(arguments.depfile, f"{depfile_path(arguments.output)}: \\\n  {names}\n")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell does; the interrupted program prints why
