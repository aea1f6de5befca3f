"""kernel<<<grid, block, bytes, stream>>>(arguments): a call of ::emulator::launcher."""

import re

from rewriting.ptx import error_pragma
from rewriting.text import (
    CLOSING,
    OPENING,
    RewriteError,
    in_string,
    is_in_macro,
    match_backward,
    match_forward,
    newlines,
    one_line,
)


def close_up(text, code):
    """`k << <1, 32 >> >(d)`, as written by tools that do not know CUDA, becomes `k<<<1, 32>>>  (d)`."""
    for opening in reversed(list(re.finditer(r"<\s*<\s*<", code))):
        if not re.search(r"[\w>]\s*$", code[: opening.start()]):
            continue
        closing = re.compile(r">\s*>\s*>(?=\s*\()|;").search(code, opening.end())
        if not closing or closing.group(0) == ";" or (opening.group(0) == "<<<" and closing.group(0) == ">>>"):
            continue
        for found, word in ((closing, ">>>"), (opening, "<<<")):
            space = re.sub(r"[<>]", "", text[found.start() : found.end()])
            text = text[: found.start()] + word + space + text[found.end() :]
    return text


def drop_casts(text, code):
    """cudaLaunchKernel((void*)kernel, ...): the kernel itself is needed, whose type has the parameters."""
    cast = (
        r"(?:\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)"
        r"|(?:reinterpret|static)_cast\s*<\s*(?:const\s+)?void\s*\*\s*>)"
    )
    for found in reversed(list(re.finditer(rf"\bcudaLaunch(?:Cooperative)?Kernel\s*\(\s*({cast}\s*&?)", code))):
        blanked = re.sub(r"[^\n]", " ", text[found.start(1) : found.end(1)])
        text = text[: found.start(1)] + blanked + text[found.end(1) :]
    return text


def kernel_start(code, launch):
    """Offset of the kernel expression that ends before the <<< at `launch`."""
    i = launch - 1
    while i >= 0 and code[i].isspace():
        i -= 1
    end = i + 1
    while i >= 0:
        if code[i] in ">)]":
            i = match_backward(code, i, launch) - 1
            while i >= 0 and code[i].isspace():
                i -= 1
            if i >= 0 and (code[i].isalnum() or code[i] in "_"):
                word = re.search(r"\w+$", code[: i + 1]).group(0)
                if word in ("return", "else", "do"):
                    break
                continue
            if i >= 0 and code[i] in ">)]":
                continue
            break
        if not (code[i].isalnum() or code[i] == "_"):
            break
        while i >= 0 and (code[i].isalnum() or code[i] == "_"):
            i -= 1
        before = code[: i + 1].rstrip()
        if before.endswith("::"):
            i = len(before) - 3
            while i >= 0 and code[i].isspace():
                i -= 1
            if i < 0 or not (code[i].isalnum() or code[i] in "_>"):
                i = len(before) - 3
                break
        elif before.endswith("->") or before.endswith("."):
            i = len(before) - (3 if before.endswith("->") else 2)
        else:
            break
    start = i + 1
    while start < end and code[start].isspace():
        start += 1
    if start >= end:
        raise RewriteError(launch, "<<< without a kernel before it")
    return start, end


def has_comma(code, start, end):
    """Whether there is a comma outside brackets; one between < and > counts, as < may be less-than."""
    depth = 0
    for c in code[start:end]:
        depth += (c in OPENING) - (c in CLOSING)
        if c == "," and depth == 0:
            return True
    return False


def rewrite_launch(text, code, launch):
    """(start, end, replacement) of the launch whose <<< is at `launch`."""
    start, name_end = kernel_start(code, launch)
    depth = 0
    i = launch + 3
    while i < len(code):
        c = code[i]
        if c in OPENING:
            depth += 1
        elif c in CLOSING:
            depth -= 1
        elif depth == 0 and code.startswith(">>>", i):
            break
        if depth < 0 or c == ";":
            raise RewriteError(launch, "<<< without its >>>")
        i += 1
    else:
        raise RewriteError(launch, "<<< without its >>>")
    # `>>>>`: the first one still belongs to the configuration, e.g. f<g<int>>>>>.
    while code.startswith(">>>>", i):
        i += 1
    config_end = i
    i += 3
    while i < len(code) and code[i].isspace():
        i += 1
    if i >= len(code) or code[i] != "(":
        raise RewriteError(launch, "a launch without its (arguments)")
    match_forward(code, i, launch)  # raises if the ) is missing
    kernel = text[start:name_end]
    macro = is_in_macro(text, launch)
    config = text[launch + 3 : config_end]
    if not config.strip():
        raise RewriteError(launch, "<<<>>> without grid and block")
    said = ""
    if not macro and not has_comma(code, launch + 3, config_end):
        said = error_pragma(
            f"{one_line(kernel)}<<<{one_line(config)}>>>: without a block size each block has one thread; "
            "nvcc accepts this since CUDA 13, older versions reject it",
            "warning",
        )
    # Launches among the arguments or in the configuration are rewritten first, by the caller.
    replacement = (
        f'{said}::emulator::launcher({{"{in_string(kernel)}", __PRETTY_FUNCTION__, {{__FILE__, __LINE__}}}}, '
        f"[=](auto&... cpu_arguments) {{ {one_line(kernel)}(cpu_arguments...); }}, "
        f"[=](auto cpu_address) -> decltype(cpu_address({one_line(kernel)})) "
        f"{{ return cpu_address({one_line(kernel)}); }})"
        f"{newlines(text[start:launch], macro)}"
        f".configure({config})"
        f"{newlines(text[config_end + 3 : i], macro)}"
    )
    return start, i, replacement
