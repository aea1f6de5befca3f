"""The first statement of every kernel, which tells a launch which kernel it calls."""

import re

from rewriting.text import match_forward, one_line


def rewrite_kernels(text, code):
    """The text with a first statement in every kernel, which tells a launch which kernel it calls."""
    for word in reversed(list(re.finditer(r"\b__global__\b", code))):
        depth = 0
        for i in range(word.end(), len(code)):
            if code[i] in "([":
                depth += 1
            elif code[i] in ")]":
                depth -= 1
            if depth < 0 or (depth == 0 and code[i] == ";"):
                break  # a declaration
            if depth == 0 and code[i] == "{":
                begins = "::emulator::kernel_begins();"
                begin = max(code.rfind(c, 0, word.start()) for c in ";{}") + 1
                bounds = re.search(r"\b__launch_bounds__\s*(?=\()", code[begin:i])
                if bounds:
                    opening = begin + bounds.end()
                    bound = one_line(text[opening + 1 : match_forward(code, opening, opening)])
                    begins = (
                        f"static constexpr ::emulator::LaunchBound cpu_launch_bound{{{bound}}}; "
                        "::emulator::kernel_begins(&cpu_launch_bound);"
                    )
                text = f"{text[: i + 1]} {begins}{text[i + 1 :]}"
                break
    return text
