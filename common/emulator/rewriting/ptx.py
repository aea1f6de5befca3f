"""Inline PTX: the few instructions that courses use become C++; any other is a compile error."""

from __future__ import annotations

import re

from rewriting.text import blank, is_in_macro, match_forward, newlines, split_top

STATEMENT = re.compile(r"\b(?:asm|__asm__|__asm)\b(?:\s*(?:volatile|__volatile__))?\s*(?=\()")

# Each pattern matches the instruction once spaces are single; %0 is the first operand.
REGISTERS = {
    "laneid": "::emulator::ptx_laneid()",
    "warpid": "::emulator::ptx_warpid()",
    "nwarpid": "::emulator::ptx_nwarpid()",
    "smid": "::emulator::ptx_smid()",
    "nsmid": "::emulator::ptx_nsmid()",
    "lanemask_eq": "::emulator::ptx_lanemask_eq()",
    "lanemask_lt": "::emulator::ptx_lanemask_lt()",
    "lanemask_le": "::emulator::ptx_lanemask_le()",
    "lanemask_gt": "::emulator::ptx_lanemask_gt()",
    "lanemask_ge": "::emulator::ptx_lanemask_ge()",
    "clock": "::clock()",
    "clock64": "::clock64()",
    "globaltimer": "::emulator::globaltimer()",
    "tid.x": "threadIdx.x",
    "tid.y": "threadIdx.y",
    "tid.z": "threadIdx.z",
    "ntid.x": "blockDim.x",
    "ctaid.x": "blockIdx.x",
    "ctaid.y": "blockIdx.y",
    "nctaid.x": "gridDim.x",
}
# Instruction without its type suffix: the expression for its sources {1}, {2}...
EXPRESSIONS = [
    (r"mov\.[busf](?:32|64)", 1, "{1}"),
    (r"add\.[su](?:32|64)", 2, "{1} + {2}"),
    (r"sub\.[su](?:32|64)", 2, "{1} - {2}"),
    (r"mul\.lo\.[su](?:32|64)", 2, "{1} * {2}"),
    (r"mad\.lo\.[su](?:32|64)", 3, "{1} * {2} + {3}"),
    (r"add(?:\.rn)?\.f(?:32|64)", 2, "{1} + {2}"),
    (r"mul(?:\.rn)?\.f(?:32|64)", 2, "{1} * {2}"),
    (r"fma\.rn\.f32", 3, "fmaf({1}, {2}, {3})"),
    (r"fma\.rn\.f64", 3, "fma({1}, {2}, {3})"),
    (r"and\.b(?:32|64)", 2, "{1} & {2}"),
    (r"or\.b(?:32|64)", 2, "{1} | {2}"),
    (r"xor\.b(?:32|64)", 2, "{1} ^ {2}"),
    (r"not\.b(?:32|64)", 1, "~({1})"),
    (r"popc\.b32", 1, "__popc({1})"),
    (r"clz\.b32", 1, "__clz(static_cast<int>({1}))"),
    (r"brev\.b32", 1, "__brev({1})"),
    (r"bfind\.u32", 1, "::emulator::ptx_bfind({1})"),
    (r"bfe\.u32", 3, "::emulator::ptx_bfe_u32({1}, {2}, {3})"),
    (r"bfe\.s32", 3, "::emulator::ptx_bfe_s32({1}, {2}, {3})"),
    (r"bfi\.b32", 4, "::emulator::ptx_bfi({1}, {2}, {3}, {4})"),
    (r"lop3\.b32", 4, "::emulator::ptx_lop3({1}, {2}, {3}, {4})"),
    (r"prmt\.b32", 3, "__byte_perm({1}, {2}, {3})"),
    (r"shf\.l\.wrap\.b32", 3, "__funnelshift_l({1}, {2}, {3})"),
    (r"shf\.r\.wrap\.b32", 3, "__funnelshift_r({1}, {2}, {3})"),
]


def error_pragma(message: str, kind: str = "error") -> str:
    """`kind`: error or warning."""
    return f'_Pragma("GCC {kind} \\"' + message.replace("\\", "").replace('"', "'") + '\\"")'


def operands_of(text: str, code: str, start: int, end: int) -> tuple[list[str], int]:
    """The expressions after "=r"(...), and how many of them are results."""
    pieces = [(a, b) for a, b in split_top(code, start, end, ":")]
    names: list[str] = []
    results = 0
    for number, (a, b) in enumerate(pieces[1:3]):
        for x, y in split_top(code, a, b, ","):
            operand = re.match(r'\s*"[^"]*"\s*\((.*)\)\s*$', text[x:y], re.DOTALL)
            if operand:
                names.append(" ".join(operand.group(1).split()))
                results += number == 0
    return names, results


def in_cpp(instruction: str, operands: list[str], results: int) -> str | None:
    """A statement that does what one instruction does; None: the instruction is unknown."""
    instruction = " ".join(instruction.split())
    if not instruction:
        return ""
    if re.fullmatch(r"(?:bar|barrier)\.sync 0", instruction):
        return "__syncthreads();"
    if re.fullmatch(r"(?:membar\.gl|fence\.acq_rel\.gpu)", instruction):
        return "__threadfence();"
    parts = re.fullmatch(r"([\w.]+) (.*)", instruction)
    if not parts:
        return None
    name = parts.group(1)
    places = [place.strip() for place in parts.group(2).split(",")]
    special = re.fullmatch(r"%%?([a-z_]\w*(?:\.[xyz])?)", places[-1])
    target = re.fullmatch(r"%(\d+)", places[0])
    if not target or int(target.group(1)) >= results:
        return None
    result = operands[int(target.group(1))]
    if re.fullmatch(r"mov\.[busf](?:32|64)", name) and len(places) == 2 and special:
        value = REGISTERS.get(special.group(1))
        return f"{result} = {value};" if value else None
    sources = [""]
    for place in places[1:]:
        number = re.fullmatch(r"%(\d+)", place)
        if number and int(number.group(1)) < len(operands):
            sources.append(f"({operands[int(number.group(1))]})")
        elif re.fullmatch(r"-?(?:0x[0-9a-fA-F]+|\d+)U?", place):
            sources.append(place)
        else:
            return None
    for pattern, count, expression in EXPRESSIONS:
        if re.fullmatch(pattern, name) and count == len(sources) - 1:
            return f"{result} = {expression.format(*sources)};"
    return None


def rewrite_asm(text: str, code: str, match: re.Match) -> tuple[int, int, str]:
    """(start, end, replacement) of an asm statement."""
    close = match_forward(code, match.end(), match.start())
    end = close + 1
    while end < len(code) and code[end].isspace():
        end += 1
    is_statement = end < len(code) and code[end] == ";"
    lines = newlines(text[match.start() : end], is_in_macro(text, match.start()))
    operands, results = operands_of(text, code, match.end() + 1, close)
    strings = text[match.end() + 1 : split_top(code, match.end() + 1, close, ":")[0][1]]
    body = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', strings)).replace("\\n", " ").replace("\\t", " ")
    statements = [in_cpp(each, operands, results) for each in body.strip().strip("{}").split(";")]
    known = [each for each in statements if each is not None]
    if len(known) == len(statements) and is_statement:
        return match.start(), end, "{ " + " ".join(known) + " }" + lines
    first = " ".join(body.split())[:60].replace("%", "")
    message = f"inline PTX that the emulator does not have (it runs on a GPU only): {first}"
    return match.start(), end, error_pragma(message) + lines


def rewrite_all(text: str) -> str:
    position = 0
    while True:
        code = blank(text)
        found = STATEMENT.search(code, position)
        if not found:
            return text
        start, end, replacement = rewrite_asm(text, code, found)
        text = text[:start] + replacement + text[end:]
        position = start + len(replacement)
