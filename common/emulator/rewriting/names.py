"""Names that a rewritten file may contain though its source does not: no macro may have one of them."""

from __future__ import annotations

import re

from rewriting.text import RewriteError, blank

GENERATED = re.compile(
    r"emulator|launcher|configure|as|in_kernel|LaunchBound|SharedVariable|DynamicShared|dynamic_shared|Type|larger"
    r"|alignment_of|extents_of|kernel_(?:begins|heap|malloc|free)"
    r"|cpu_(?:arguments|address|launch_bound|shared_type_\d+)|ptx_\w+"
)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_$][\w$]*)", re.MULTILINE)


def check_macros(text: str, rewritten: str) -> None:
    """Refuses a macro that would change what the rewriting has inserted into `text`."""
    # A backslash may join the pieces of a directive; a comment may stand within it.
    joined = re.sub(r"/\*.*?\*/", " ", text.replace("\\\n", ""), flags=re.DOTALL)
    for name in dict.fromkeys(MACRO.findall(joined)):
        if is_put_in(name, blank(text), blank(rewritten)):
            at = re.search(rf"\b{re.escape(name)}\b", text)
            raise RewriteError(
                at.start() if at else 0,
                f"the macro {name} has a name that the emulator uses for launches and shared memory: give it another",
            )


def is_put_in(name: str, code: str, rewritten: str) -> bool:
    """Whether the rewriting has also created this name, as a word."""
    word = re.escape(name)
    if re.search(rf"\bSharedVariable {word}\{{|\busing {word} = ::emulator\b", rewritten):
        return True
    count = re.compile(rf"\b{word}\b")
    return GENERATED.fullmatch(name) is not None and len(count.findall(rewritten)) > len(count.findall(code))
