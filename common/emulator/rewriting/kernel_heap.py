"""malloc, free and new in code of the device: memory of the device's own heap."""

import re

from rewriting.functions import flatten, functions_of
from rewriting.rules import device_bodies
from rewriting.text import is_in_macro, match_forward

WORDS = re.compile(r"(?<![\w.:])(?<!->)(?:(?:\bstd\s*)?::\s*)?\b(malloc|free)(?=\s*\()|\bnew\b")


def rewrite_heap(text: str) -> str:
    """The text with the emulator's functions in place of the C library's, in device code."""
    if not re.search(r"\b(?:malloc|free|new)\b", text):
        return text
    code = flatten(text)
    functions = functions_of(text)
    defined = {function.name for function in functions}
    places = {
        found.start(): found
        for begin, end in device_bodies(code, functions)
        for found in WORDS.finditer(code, begin, end)
    }
    for at in sorted(places, reverse=True):
        found = places[at]
        name = found.group(1)
        if is_in_macro(text, at):
            continue
        if name is None:
            replacement = heap_of_new(code, found)
        elif name in defined or is_declaration(code, at):
            continue
        else:
            replacement = f"::emulator::kernel_{name}"
        text = text[:at] + replacement + text[found.end() :]
    return text


def is_declaration(code, at):
    """`int free(` and `void* malloc(` rather than `= malloc(`: a type before it."""
    before = re.search(r"(\w+)\s*$|\bvoid\s*\*\s*$", code[:at])
    return before is not None and before.group(1) not in ("return", "else", "do")


def heap_of_new(code, found):
    """new T and new (T); a placement new and an operator's name stay."""
    if re.search(r"\boperator\s*$", code[: found.start()]) or re.search(r"::\s*$", code[: found.start()]):
        return "new"
    opening = re.compile(r"\s*\(").match(code, found.end())
    if opening:
        close = match_forward(code, opening.end() - 1, found.start())
        if re.match(r"\s*[\w:(]", code[close + 1 :]):
            return "new"
    return "new (::emulator::kernel_heap)"
