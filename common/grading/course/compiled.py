"""What a compiler has made of a blank, as statements that can be compared: most disguises are gone.

GCC writes what its optimiser leaves of each function (-fdump-tree-optimized). Names, spacing, parentheses, casts,
macros, lambdas that are called at once, variables that hold a value for a moment, negated conditions with their
branches swapped, `*(a + i)` for `a[i]`: none of these is in it. Each statement's operation is kept, and the
kinds of its operands; how an address is computed is ignored.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Callable, Tuple

from ..check import attempt
from ..check.build import Backend
from ..files import blank
from ..files.exercise import Exercise
from ..process import limited_process

Statement = Tuple[str, ...]

_MAX_BYTES = 16 << 20  # of a dump
_FUNCTION = re.compile(r"^;; Function (?P<name>.*) \(\S+, funcdef_no=\d+, decl_uid=(?P<order>\d+),.*$", re.MULTILINE)
_NOT_THE_BLANKS = ("emulator::", "std::", "__gnu_cxx::", "cooperative_groups::", "(static initializers")
_TOKEN = re.compile(r'"[^"]*"|[A-Za-z_][\w.]*(?:::[\w.~]+)*|\d[\w.+-]*|<<|>>|[<>=!]=|\S')
_NAME = re.compile(r"(?P<variable>[A-Za-z_]\w*?(?:\.\d+)?)?(?:_\d+|(?<=^D)\.\d+.*)")
_DECLARED = re.compile(r"(?P<type>[\w:<>{} ]+?[ *&]+)(?P<name>[\w.]+)(?: \[[\w ]+\])?;")
_CONVERSION = re.compile(r"\S+ = \([\w ]+\) [\w.]+;")
# What is left out of lines: versions of names, where a value comes from, how likely a branch is.
_ASIDE = re.compile(r"\(D\)|\(\d+\)|\[(?:local count: )?\d[\d.]*%?\]|\{v\}")
# Which operand is the left one, and which branch comes first, is not kept.
_SAME = {">": "<", ">=": "<", "<=": "<", "!=": "=="}
_DROPPED = frozenset("( ) , ; : [ ] & # ...".split())
# What the emulator and the compiler add to the student's own statements.
_OTHERS = re.compile(r"\b[sS]ite\b|\bidentifying\b|CLOBBER|# DEBUG|\.MEM|identify_caller|\bgoto\b")


def is_possible(backend: Backend) -> bool:
    """Whether its compiler writes the dump that is read here."""
    return not backend.is_clang and not backend.is_cuda


def of_blank(
    exercise: Exercise,
    shown: blank.Parts,
    backend: Backend,
    folder: Path,
    runner: Callable[..., limited_process.Outcome],
    limits: limited_process.Limits,
) -> list[Statement]:
    """The statements of the official file with this blank; none if it does not compile. `folder`: an empty folder."""
    source, dump = folder / "attempt.cu", folder / "attempt.optimized"
    text = attempt.merged_text(exercise, shown, folder / f"{exercise.name}.cu").text
    source.write_text(text, encoding="utf-8")
    rewritten = folder / "attempt.cpp"
    rewrite = backend.rewrite(source, rewritten, folder / "copies") or []
    compile_ = command(backend, rewritten, exercise.learner.parent, dump)
    if runner(["sh", "-c", f"{shlex.join(rewrite)} && {shlex.join(compile_)}"], folder, limits).code != 0:
        return []
    with open(os.open(dump, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        return statements_of(file.read(_MAX_BYTES).decode("utf-8", "replace"))


def command(backend: Backend, source: Path, chapter: Path, dump: Path) -> list[str]:
    """Compiles a rewritten file and writes to `dump` what is left of its functions."""
    kept = [word for word in backend.options if word.startswith(("-std=", "-I"))]
    folders = [f"-I{chapter}", f"-I{backend.source}"]
    made = ["-S", "-o", str(dump.with_suffix(".s")), f"-fdump-tree-optimized={dump}", str(source)]
    return [backend.compiler, *kept, *folders, "-w", "-O1", *made]


def statements_of(dump: str) -> list[Statement]:
    """The statements of all functions that are neither the emulator's nor the library's, by function."""
    heads = list(_FUNCTION.finditer(dump))
    ends = [head.start() for head in heads[1:]] + [len(dump)]
    functions = {
        int(head["order"]): dump[head.end() : end]
        for head, end in zip(heads, ends)
        if not head["name"].startswith(_NOT_THE_BLANKS)
    }
    return [statement for order in sorted(functions) for statement in _of_function(functions[order])]


def _of_function(text: str) -> list[Statement]:
    """One function's dump:  its head, then declarations and basic blocks of statements, a line each."""
    head, _, body = text.partition("\n{\n")
    lines = [line.strip() for line in body.split("\n")]
    kinds = {each.rpartition(" ")[2]: _kind(each) for each in re.split(r"[(),]", head) if " " in each}  # of variables
    for declared in filter(None, map(_DECLARED.fullmatch, lines)):
        kinds[declared["name"]] = _kind(declared["type"])

    def kept(token: str) -> str:
        """What is kept of a token: for a variable, its kind."""
        name = _NAME.fullmatch(token)
        kind = kinds.get(token) or kinds.get(name["variable"]) if name else None
        return _SAME.get(token, kind or ("value" if name else token))

    found: list[Statement] = []
    addresses: set[str] = set()  # numbers used only to compute an address
    for line in reversed(lines):
        code = _memory(_ASIDE.sub("", line)).strip()
        if not code.endswith((";", ")", ">")) or _DECLARED.fullmatch(code) or _OTHERS.search(code):
            continue
        tokens = [token for token in _TOKEN.findall(code) if token not in _DROPPED]
        if len(tokens) > 2 and tokens[1] == "=" and "PHI" not in tokens:
            made, right = tokens[0], tokens[2:]
            if kept(made) == "pointer" and "memory" not in right and not re.search(r"\w \(", code):
                addresses.update(right)
                continue
            if _CONVERSION.fullmatch(code) or (made in addresses and right[1:2] == ["*"] and right[2].isdigit()):
                continue
        found.append(tuple(sorted(kept(token) for token in tokens)))
    return found[::-1]


def _memory(code: str) -> str:
    """With each access as one word: *p_1, MEM[(float &)p_1 + 4], MEM <float> [p_1][i_2], a[i_2]."""
    code = re.sub(r"(?<![\w)] )\*(\w+)", "memory", code)
    out, at = "", 0
    for opened in re.finditer(r"\b(?:MEM(?: <[^<>]*>)? ?|[A-Za-z_]\w*)\[", code):
        if opened.start() < at:
            continue
        out, at, depth = out + code[at : opened.start()] + "memory", opened.end(), 1
        while at < len(code) and (depth or code[at] == "["):
            depth += {"[": 1, "]": -1}.get(code[at], 0)
            at += 1
    return out + code[at:]


def _kind(type_: str) -> str:
    if "*" in type_ or "&" in type_:
        return "pointer"
    return "real" if re.search(r"float|double", type_) else "whole"
