"""Marks beside the variables of a file, by which the lab knows them.

A linker puts one variable after the other, so an index just past the end of one would use the next. A __device__
variable gets a red zone on each side, and a host's variable a mark that it is the host's. Both are macros
(emulator/qualifiers.hpp), which mean nothing unless the program is searched for faults (lab/memory_calls.hpp).
"""

import re

from rewriting.functions import Function, blank_parentheses
from rewriting.rules import file_statements

NOT_A_DEFINITION = re.compile(
    r"\[\[|\b(?:extern|typedef|using|template|friend|__constant__|__managed__|__shared__|operator|thread_local)\b"
)
NAME = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^][]*\]\s*)*$")
NESTED = re.compile(r"\{[^{}]*\}|\([^()]*\)")
# The declarators of one declaration after its first: the comma, the name.
OTHERS = re.compile(r"(,)[\s*]*([A-Za-z_]\w*)\s*(?:\[[^][]*\]\s*)*(?=[=,{]|$)")
# Another word may be a macro that stands for __device__.
OF_HOST = re.compile(r"(?:(?:static|unsigned|signed|long|short)\s+)*(?:(?![A-Z\d_]+\b)[A-Za-z_]\w*)?[\s*]*")


def blanks(found: re.Match[str]) -> str:
    return " " * len(found.group(0))


def insertions(text: str, code: str, functions: list[Function]) -> list[tuple[int, str]]:
    """Where each mark belongs, in order."""
    found: list[tuple[int, str]] = []
    has_zone = False
    for begin, end in file_statements(code, functions):
        statement = blank_parentheses(code[begin:end])
        declaration = re.split(r"=(?!=)|\{", statement, maxsplit=1)[0]
        is_template = "<" in declaration  # whose commas may separate its arguments
        name = NAME.search((declaration if is_template else declaration.split(",")[0]).rstrip())
        if name is None or "(" in declaration or NOT_A_DEFINITION.search(declaration):
            continue
        before = declaration[: name.start()]
        if not before.strip() or re.search(r"\b(?:struct|class|union|enum|namespace|const|constexpr)\b", before):
            continue  # constants are elsewhere, and the host has them too
        macros = "|".join(re.findall(r"\b[A-Z_][A-Z_\d]*\b", before)) or "0"
        if re.search(rf"#\s*define\s+(?:{macros})\s[^\n]*__managed__", text):
            continue
        if re.search(r"\b__device__\b", declaration):
            # Initialised, it lies elsewhere than variables that begin as zeros.
            macro = "CPU_FILLED_RED_ZONE" if re.search(r"=(?!=)|\{", statement) else "CPU_RED_ZONE"
            first = f"{macro}(before_{name.group(1)}) " if not has_zone or macro != "CPU_RED_ZONE" else ""
            has_zone = has_zone or macro == "CPU_RED_ZONE"
            found.append((begin, f"{first}CPU_IN_ORDER "))
            names = [name.group(1)]
            for other in [] if is_template else OTHERS.finditer(NESTED.sub(blanks, code[begin:end])):
                found.append((begin + other.start(1), f" CPU_NEXT_RED_ZONE({names[-1]})"))
                names.append(other.group(2))
            # A statement of its own, or the next declaration would begin with it.
            found.append((end + 1, "".join(f" {macro}({each});" for each in names)))
        elif OF_HOST.fullmatch(before):
            found.append((end + 1, f" CPU_HOST_VARIABLE({name.group(1)});"))
    return found


def add_marks(text: str, code: str, functions: list[Function]) -> str:
    for at, mark in reversed(insertions(text, code, functions)):
        text = text[:at] + mark + text[at:]
    return text
