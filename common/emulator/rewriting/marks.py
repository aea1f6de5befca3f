"""Marks beside the variables of a file, by which the lab knows them.

A linker puts one variable after the other, so an index just past the end of one would use the next. A __device__
variable gets a red zone on each side, and a host's variable a mark that it is the host's. Both are macros
(emulator/qualifiers.hpp), which mean nothing unless the program is searched for faults (lab/memory_calls.hpp). So are
the red zones of a local array that a kernel passes on as a pointer.
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


# A local array: its type, name and extents.
LOCAL = re.compile(
    r"(?<=[;{}])\s*((?:const\s+)?(?:(?:unsigned|signed|long|short)\s+)*[A-Za-z_][\w:]*(?:<[\w:\s]*>)?)\s+"
    r"([A-Za-z_]\w*)\s*((?:\[[^][,;{}\"']+\]\s*)+)(?==(?!=)|\{|;)"
)
NO_TYPE = re.compile(
    r"(?:const\s+)?(?:return|delete|goto|new|case|else|do|throw|static|extern|constexpr|volatile|auto)"
)
# What ends a declaration, or needs it as it is.
AS_IT_IS = re.compile(r"\b(?:goto|decltype|size|ssize|constexpr|asm)\b")


def blanks(found: re.Match[str]) -> str:
    return " " * len(found.group(0))


def is_in_statements(code: str, begin: int, at: int) -> bool:
    """Whether the innermost block around `at` is one of statements, which no label enters."""
    depth = 0
    for i in range(at - 1, begin, -1):
        depth += (code[i] == "}") - (code[i] == "{")
        if depth < 0:
            head = code[max(code.rfind(each, begin, i) for each in ";{}") + 1 : i]
            return re.search(r"\b(?:switch|struct|class|union|enum)\b", head) is None
    return True


def local_arrays(code: str, function: Function) -> list[tuple[int, str]]:
    """Marks around those local arrays of a function of the device that it uses as pointers."""
    found: list[tuple[int, str]] = []
    if not function.runs_on_device or AS_IT_IS.search(code, function.start, function.end):
        return found
    for each in LOCAL.finditer(code, function.body, function.end):
        end = code.find(";", each.end())
        passed = re.compile(rf"(?<![\w.>])(?<!sizeof )(?<!sizeof\(){each.group(2)}\b(?!\s*\[)|&\s*{each.group(2)}\b")
        if NO_TYPE.fullmatch(each.group(1)) or not passed.search(code, end, function.end):
            continue
        value = code[each.end() : end]
        while NESTED.search(value):
            value = NESTED.sub("", value)
        if "," in value or not is_in_statements(code, function.body, each.start(1)):
            continue
        macro = "CPU_LOCAL_ARRAY" if end == each.end() else "CPU_FILLED_LOCAL_ARRAY"
        found.append((each.start(1), f"{macro}("))
        found.append((each.start(2), ", "))
        found.append((each.start(3), ", "))
        found.append((each.end(3), ")"))
        if end != each.end():
            found.append((end, f" CPU_LOCAL_ARRAY_END({each.group(2)})"))
    return found


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
    for function in functions:
        found += local_arrays(code, function)
    return sorted(found, key=lambda each: each[0])


def add_marks(text: str, code: str, functions: list[Function]) -> str:
    for at, mark in reversed(insertions(text, code, functions)):
        text = text[:at] + mark + text[at:]
    return text
