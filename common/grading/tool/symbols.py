"""What an attempt's object file may not hold: a way round the grader, by names that are the grader's.

An attempt and its grader are one program. Somebody who replaced memcmp(), or called the grading
library, could give himself any verdict; here that does not compile.
"""

from __future__ import annotations

import re

# Of the library, and of what it stands on. In them nothing may be defined; grading and lab may not
# even be called.
_NEVER = ("grading", "lab")
_NOT_DEFINED = (*_NEVER, "cpu", "tutorial", "std")
_ENTRY = re.compile(r"^ *\d+: [0-9a-f]+ +\S+ (?P<type>\S+) +(?P<bind>GLOBAL|WEAK|LOCAL|UNIQUE) +\S+ +(?P<where>\S+) (?P<name>\S+)")


def command(program_object: str) -> list[str]:
    """Prints what complaint() reads."""
    return ["readelf", "--wide", "--symbols", "--sections", program_object]


def complaint(listing: str) -> str:
    """What is not allowed, in one line; empty: nothing is wrong."""
    if re.search(r"^ *\[ *\d+\] \.preinit_array", listing, re.MULTILINE):
        return "code that runs before the grader's (.preinit_array) is not allowed here"
    for line in listing.splitlines():
        found = _ENTRY.match(line)
        if not found:
            continue
        name, is_defined = found.group("name"), found.group("where") != "UND"
        if found.group("type") == "IFUNC":
            return f"'{name}' is chosen while the program is loaded (ifunc): that is not allowed here"
        if found.group("bind") == "LOCAL":
            continue
        space = _namespace(name)
        if space in _NEVER:
            return f"the code uses the namespace '{space}', which is the grader's: that is not allowed here"
        if not is_defined or name.startswith("DW.ref."):
            continue
        if not name.startswith("_Z"):
            # The name of a variable in no namespace is not mangled, and does no harm.
            if found.group("type") == "FUNC":
                return f"the code defines the C function '{name}': that is not allowed here"
            continue
        if space in _NOT_DEFINED and found.group("bind") == "GLOBAL":
            return f"the code defines something in the namespace '{space}': that is not allowed here"
    return ""


def _namespace(name: str) -> str:
    """The outermost namespace of a mangled name, as far as it is one of those above."""
    found = re.match(r"_Z(?:T[VTIS]|GV)?N[KVrRO]*(St|\d+)(\w*)", name)
    if not found:
        return "std" if name.startswith("_ZSt") else ""
    length = found.group(1)
    return "std" if length == "St" else found.group(2)[: int(length)]
