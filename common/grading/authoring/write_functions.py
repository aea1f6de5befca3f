"""Writes what connects a grader with a learner's functions that are in another process.

    write_functions.py GRADER.cu REWRITTEN.cpp JUDGE.cpp WORKER.cpp

A grader declares the learner's functions before its own code begins (`namespace {`). JUDGE.cpp is the grader,
included as it was rewritten for the emulator, and defines each of them: it sends the arguments to the learner's
process. WORKER.cpp holds the table by which that process finds the real ones.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

_OWN_CODE = re.compile(r"^namespace \{", re.MULTILINE)
_BUILT_IN = re.compile(
    r"void|bool|const|signed|std|vector|string|u?int(8|16|32|64)_t|(std::)?size_t|"
    r"(unsigned|u?char|u?short|u?int|u?long|u?longlong|float|double)[1-4]?|long"
)


class NotUnderstood(Exception):
    """A declaration that cannot be turned into a message."""


@dataclass(frozen=True)
class Function:
    """A declaration, such as `float* sum(const float* d_items, unsigned n)`."""

    result: str
    name: str
    parameters: str  # as declared
    names: list[str]  # of the parameters


def head_of(grader: str) -> str:
    """The text before the grader's own code: includes, types, and the learner's functions."""
    found = _OWN_CODE.search(grader)
    if not found:
        raise NotUnderstood("there is no line 'namespace {' after the learner's functions")
    return grader[: found.start()]


def functions_of(head: str) -> list[Function]:
    """The functions that it declares, in order."""
    code = re.sub(r"//[^\n]*", "", head)
    code = re.sub(r"^[ \t]*#[^\n]*", "", code, flags=re.MULTILINE)
    code = re.sub(r"\b(struct|enum)\b[^;{]*\{[^}]*\}", "", code)
    functions = []
    for statement in code.split(";"):
        words = " ".join(statement.split())
        if not words or "(" not in words or words.startswith(("using ", "typedef ")):
            continue
        found = re.fullmatch(r"(?P<result>[\w:<>*& ]+?[*& ])(?P<name>\w+)\((?P<parameters>.*)\)", words)
        if not found or re.match(r"(template|static|inline|constexpr|__global__|extern)\b", words):
            raise NotUnderstood(f"'{words}' is not a declaration of a function that can be called from another process")
        parameters = found.group("parameters")
        functions.append(Function(found.group("result").strip(), found.group("name"), parameters, _names(parameters)))
    if len({function.name for function in functions}) != len(functions):
        raise NotUnderstood("two functions have one name")
    if not functions:
        raise NotUnderstood("no function of the learner's is declared")
    return functions


def _names(parameters: str) -> list[str]:
    names, depth, last = [], 0, 0
    for at, character in enumerate(f"{parameters},"):
        depth += character in "(<["
        depth -= character in ")>]"
        if character != "," or depth:
            continue
        one = parameters[last:at].strip()
        last = at + 1
        if not one:
            continue
        # `float* const (&d_scratch)[2]` or `const int* d_keys`
        found = re.search(r"\(&\s*(\w+)\)", one) or re.search(r"[\s*&](\w+)$", one)
        if not found:
            raise NotUnderstood(f"the parameter '{one}' has no name")
        names.append(found.group(1))
    return names


def judge_text(grader: str, rewritten: Path) -> str:
    """The C++ code of the whole judge: the grader, whose rewritten text is in a file, and the functions that it
    calls."""
    made = []
    for number, function in enumerate(functions_of(head_of(grader))):
        words = ", ".join([f"{number}u", *function.names])
        made.append(
            f"{function.result} {function.name}({function.parameters}) {{\n"
            f"    return grading::detail::call<{function.result}>({words});\n}}\n"
        )
    return "\n".join(['#include "common/grading/lib/remote.hpp"', f'#include "{rewritten}"', "", *made])


def _needs_headers(head: str) -> bool:
    """Whether functions take or return a type that is neither the language's nor CUDA's, nor declared in `head`."""
    known = set(re.findall(r"\b(?:struct|enum|enum class|using)\s+(\w+)", head))
    for function in functions_of(head):
        words = re.findall(r"[A-Za-z_]\w*", f"{function.result} {function.parameters}")
        if any(not _BUILT_IN.fullmatch(word) and word not in known and word not in function.names for word in words):
            return True
    return False


def worker_text(grader: str) -> str:
    """The C++ code of the table of functions."""
    head = head_of(grader)
    # The library's headers take a second to compile; most declarations need none of them.
    types = head if _needs_headers(head) else re.sub(r'^[ \t]*#[ \t]*include[ \t]*".*\n', "", head, flags=re.MULTILINE)
    rows = "".join(f"    grading::worker::wrap<&{function.name}>,\n" for function in functions_of(head))
    return "\n".join(
        [
            "#include <cuda_runtime.h>",
            '#include "common/grading/worker/functions.hpp"',
            types,
            f"const grading::worker::Function grading::worker::functions[] = {{\n{rows}}};",
            "const std::size_t grading::worker::function_count = sizeof(functions) / sizeof(functions[0]);\n",
        ]
    )


def main() -> int:
    """Writes both files; 2 if the grader's declarations are not understood."""
    if len(sys.argv) != 5:
        print(__doc__, file=sys.stderr)
        return 2
    grader, rewritten, judge, worker = (Path(word) for word in sys.argv[1:])
    try:
        text = grader.read_text(encoding="utf-8")
        made = {judge: judge_text(text, rewritten), worker: worker_text(text)}
    except (OSError, UnicodeDecodeError, NotUnderstood) as error:
        print(f"{grader}: {error}", file=sys.stderr)
        return 2
    for path, words in made.items():
        path.write_text(words, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
