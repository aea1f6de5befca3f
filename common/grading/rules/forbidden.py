"""What a learner's blank may not contain, found by its tokens: tricks to get around the grader, and unbalanced braces.

No exercise needs any of it. It is refused before anything is compiled, with the line.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path

from ..files import blank, code_text
from ..files.exercise import Exercise

# Names of CUDA besides those in the emulator's headers.
_CUDA_NAMES = """
    __noinline__ __restrict__ __restrict __inline__ __inline __func__ __FUNCTION__ __PRETTY_FUNCTION__ __FILE__
    __LINE__ __CUDA_ARCH__ __CUDACC__ __NVCC__ __cplusplus __half __half2 __nv_bfloat16 __vabsdiffu4 __dp4a __dp2a
    __ldg __assert_fail
""".split()
# Reserved for those headers.
_OURS = re.compile(r"__(asm|attribute|builtin|extension|atomic|clang|thread$|aligned__|int128|doc|init|main|name)")
_SPACES = ("grading", "lab", "emulator", "tutorial", "std", "__gnu_cxx", "__cxxabiv1", "abi")
_WHICH_HEADERS = (
    "an exercise may include cuda_runtime.h, cuda_fp16.h, cooperative_groups.h, cuda/atomic, and C++ headers "
    "such as <algorithm>, <cmath>, <cstdio>, <cstring>, <numeric>, <vector>"
)
_INSTEAD = {f"<{name}>": "print with printf, of <cstdio>" for name in ("iostream", "ostream", "iomanip", "sstream")}
_DIRECTIVES = ("include", "define", "undef", "pragma", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_KEYWORDS = frozenset(
    """
    alignas alignof and asm auto bitand bitor bool break case catch char class compl const const_cast constexpr continue
    decltype default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if
    inline int long mutable namespace new noexcept not nullptr operator or override private protected public register
    reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    threadIdx blockIdx blockDim gridDim warpSize dim3 std
""".split()
)


@functools.lru_cache(maxsize=None)
def _reserved_names(headers: Path) -> frozenset[str]:
    """CUDA names that begin with two underscores."""
    found = set(_CUDA_NAMES)
    for path in headers.rglob("*.h*"):
        found.update(re.findall(r"\b__\w+", path.read_text(encoding="utf-8")))
    return frozenset(name for name in found if not _OURS.match(name) or name in _CUDA_NAMES)


def examine(exercise: Exercise, merged: blank.Merged, file: str) -> tuple[str, str]:
    """The reason and the message if the learner's part of the merged text must not be compiled; else both are empty.

    It reads what the compiler will see, not the learner's file: no line may differ between the two.
    """
    for first_line, lines in merged.pieces:
        words = complaint(exercise, lines, first_line, file)
        if words:
            return "forbidden", words
    first_line, lines = merged.blank
    words = unbalanced(lines, first_line, file)
    return ("compile", words) if words else ("", "")


def complaint(exercise: Exercise, lines: list[str], first_line: int, file: str) -> str:
    """The first thing that is not allowed, as 'FILE:LINE: what'; empty if there is none.

    `lines` are a piece of the merged text, `first_line` the number of its first in `file`.
    """
    text = "\n".join(lines)
    blanks = re.search(r"\\[ \t\r\f\v]+(\n|$)", text)
    if blanks:
        line = first_line + text.count("\n", 0, blanks.start())
        return f"{file}:{line}: a line ends in a backslash and spaces: that is not allowed here"
    continued = re.search(r"^[ \t]*#[ \t]*include\b[^\n]*\\$", text, re.MULTILINE)
    if continued:
        line = first_line + text.count("\n", 0, continued.start())
        return f"{file}:{line}: an #include line ends in a backslash: that is not allowed here"
    # A backslash joins two lines: the tokens are looked at joined, and no line moves.
    spliced = re.sub(r"((?:[^\n]*\\\n)+)([^\n]*)", _joined, text)
    code = code_text.without_words(spliced, mark='""')
    wrong = [
        *_quotes(spliced, code),
        *_characters(code),
        *_directives(code),
        *_words(code, exercise.root),
        *_macros(exercise, code),
        *_device_variables(code),
        *_own_headers(exercise, spliced, code),
    ]
    if not wrong:
        return ""
    at, words = min(wrong)
    return f"{file}:{first_line + code.count(chr(10), 0, at)}: {words}"


def _joined(found: re.Match) -> str:
    count = found.group(1).count("\n")
    return found.group(1).replace("\\\n", "") + found.group(2) + "\n" * count


def _own_headers(exercise: Exercise, spliced: str, code: str) -> list[tuple[int, str]]:
    """Files included with quotes must be headers of the tutorial."""
    lines, found, at = spliced.split("\n"), [], 0
    for number, line in enumerate(code.split("\n")):
        if re.match(r"[ \t\f\v]*#[ \t\f\v]*include[ \t\f\v]*\"\"", line):
            named = re.match(r'[ \t\f\v]*#[ \t\f\v]*include[ \t\f\v]*"([^"]{1,255})"', lines[number])
            path = os.path.normpath(exercise.learner.parent / named.group(1)) if named else ""
            if path not in exercise.headers:
                found.append(
                    (at, "this #include is not a header of the chapter or of common/harness: it is not allowed here")
                )
        at += len(line) + 1
    return found


def _quotes(spliced: str, code: str) -> list[tuple[int, str]]:
    """A string whose end another reader may see elsewhere: everything after it would be misread."""
    texts = code_text.without_comments(spliced)
    at = code_text.doubtful_quote(texts)
    if at is None:
        return []
    # `code` has the lines but not the strings: the place is the end of the line.
    before = "\n".join(code.split("\n")[: texts.count("\n", 0, at) + 1])
    return [(len(before), "a raw string, or a quote within a word or a number, is not allowed here")]


def _characters(code: str) -> list[tuple[int, str]]:
    found = []
    for pattern, words in (
        (r"<%|%>|<:|:>|%:|\?\?[=/'()!<>-]", "another spelling of a bracket or of # (a digraph) is not allowed here"),
        (r"##", "## makes names that cannot be read: it is not allowed here"),
        (
            r"\[\s*\[(?!\s*(maybe_unused|nodiscard|fallthrough|likely|unlikely)\s*\]\s*\])",
            "attributes in [[ ]] are not allowed here",
        ),
        (r"[^\x00-\x7f]", "a non-ASCII character outside comments and string literals"),
        (r"\\u[0-9a-fA-F]{4}|\\U", "a name written with \\u is not allowed here"),
    ):
        match = re.search(pattern, code)
        if match:
            found.append((match.start(), words))
    return found


def _directives(code: str) -> list[tuple[int, str]]:
    found = []
    for match in re.finditer(r"^[ \t\f\v]*#[ \t\f\v]*(\w*)([^\n]*)", code, re.MULTILINE):
        name, rest = match.group(1), match.group(2).strip()
        if name not in _DIRECTIVES:
            found.append((match.start(), f"#{name} is not allowed here"))
        elif name == "pragma" and not re.match(r"(unroll|nv_diag)\b", rest):
            found.append((match.start(), "a #pragma other than #pragma unroll is not allowed here"))
        elif name == "include" and rest.startswith("<") and rest[1:].partition(">")[0].strip() not in blank.HEADERS:
            found.append(
                (match.start(), f"#include {rest[:60]} is not allowed here: {_INSTEAD.get(rest, _WHICH_HEADERS)}")
            )
        elif name == "include" and not rest.startswith(("<", '""')):
            found.append((match.start(), "#include without a name on its line is not allowed here"))
        elif name == "define" and code_text.braces(rest) != (0, 0):
            found.append((match.start(), "a macro with unbalanced braces is not allowed here"))
    return found


def _device_variables(code: str) -> list[tuple[int, str]]:
    """Variables of the device, which on the emulator the host's code could read without a copy."""
    found = re.search(r"\b__(managed|constant)__", code) or re.search(
        r"\b__device__\b(?![^;{}=\[]*\()[^;{}=\[]*[;{=\[]", code
    )
    words = "a variable of the device (__device__, __constant__, __managed__) is not allowed here"
    return [(found.start(), f"{words}: give the kernel a pointer")] if found else []


def _macros(exercise: Exercise, code: str) -> list[tuple[int, str]]:
    """A blank's macros are its own: none changes what the language, CUDA or the rest of the exercise means."""
    official = exercise.official
    theirs = set(_WORD.findall(code_text.without_words("\n".join([*official.before, *official.after]))))
    found, own = [], set()
    for match in re.finditer(r"^[ \t\f\v]*#[ \t\f\v]*(define|undef)[ \t\f\v]+([\w$]+)", code, re.MULTILINE):
        directive, name = match.groups()
        is_theirs = name in theirs or name in _KEYWORDS or name.startswith(("_", "cuda", "CUDA"))
        if is_theirs or (directive == "undef" and name not in own):
            found.append((match.start(), f"'{name}' already has a meaning: #{directive} of it is not allowed here"))
        own.add(name)
    if own:
        # A macro may be used at another place, where it completes a name of the grader's.
        for match in _WORD.finditer(code):
            if match.group() in _SPACES and match.group() != "std":
                return [*found, (match.start(), _not_its_own(match.group()))]
    return found


def _not_its_own(namespace: str) -> str:
    return f"the namespace '{namespace}' is not the exercise's: it is not allowed here"


def _words(code: str, root: Path) -> list[tuple[int, str]]:
    reserved = _reserved_names(root / "common" / "emulator" / "include")
    for match in _WORD.finditer(code):
        word, behind = match.group(), code[match.end() : match.end() + 200].lstrip()
        if word in ("asm", "_Pragma", "__asm", "__asm__") or word.startswith("__attribute"):
            return [(match.start(), f"'{word}' is not allowed here")]
        if word == "extern" and re.match(r'(u8|u|U|L)?""', behind):
            return [(match.start(), 'extern "C" is not allowed here')]
        if word == "operator" and re.match(r"(new|delete)\b", behind):
            return [(match.start(), f"operator {behind[:3]}… is not the exercise's: it is not allowed here")]
        if word == "template" and re.match(r"<\s*>[^;{]*\bstd\s*::", behind):
            return [(match.start(), "a specialisation of something in std is not allowed here")]
        if word.startswith("__") and word not in reserved:
            return [(match.start(), f"'{word}' is not one of CUDA's names: it is not allowed here")]
        if word.startswith("_Z") or word.startswith("_ITM") or word == "_dl_fini":
            return [(match.start(), f"'{word}' is reserved for the compiler: it is not allowed here")]
        if word in ("grading", "lab", "emulator", "tutorial", "abi") and behind.startswith("::"):
            return [(match.start(), _not_its_own(word))]
        if word == "namespace":
            # `namespace a = b`, `using namespace b`, `namespace b { … }`, also `inline namespace`.
            names = re.match(r"[\w:\s]*(=\s*[\w:\s]*)?", behind)
            named = set(re.findall(r"\w+", names.group())) if names else set()
            before = code[: match.start()].rstrip()
            is_using_std = before.endswith("using") and named == {"std"}
            if named & set(_SPACES) and not is_using_std:
                return [(match.start(), _not_its_own(min(named & set(_SPACES))))]
    return []


def unbalanced(lines: list[str], first_line: int, file: str) -> str:
    """A brace without its partner, in a compiler's words; empty if all match.

    A compiler says it far below, in lines of ours, or takes our lines for the learner's: so this is checked first. In
    each part of #if … #else … #endif the braces must match.
    """
    spliced = re.sub(r"((?:[^\n]*\\\n)+)([^\n]*)", _joined, "\n".join(lines))
    code = code_text.without_words(spliced)
    opened: list[int] = []
    suspect = -1
    groups: list[int] = []

    def at(place: int, words: str) -> str:
        return f"{file}:{first_line + code.count(chr(10), 0, place)}: error: {words}"

    for match in re.finditer(r"^[ \t\f\v]*#[ \t\f\v]*(\w*)[^\n]*|[{}]", code, re.MULTILINE):
        token, directive = match.group(), match.group(1)
        if token == "{":
            opened.append(match.start())
        elif token == "}":
            if not opened:
                return at(match.start(), "this } closes no { of the blank")
            begin = opened.pop()
            # If lines are indented, a } to the left of its { belongs to another {.
            if (
                suspect < 0
                and _begins_line(code, match.start())
                and _indent(code, match.start()) < _indent(code, begin)
            ):
                suspect = begin
        elif directive in ("if", "ifdef", "ifndef"):
            groups.append(len(opened))
        elif directive in ("else", "elif", "endif") and groups:
            if len(opened) != groups[-1]:
                return at(match.start(), "braces must balance in each part of #if, #else, #endif by itself")
            if directive == "endif":
                groups.pop()
    if not opened:
        return ""
    return at(suspect if suspect >= 0 else opened[-1], "this { has no }")


def _begins_line(code: str, place: int) -> bool:
    return not code[code.rfind("\n", 0, place) + 1 : place].strip()


def _indent(code: str, place: int) -> int:
    """The indentation of the line that holds the place."""
    line = code[code.rfind("\n", 0, place) + 1 :]
    return len(line) - len(line.lstrip(" \t"))
