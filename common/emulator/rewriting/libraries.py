"""Calls of cuBLAS: compile errors that name them. What needs no computing is in include/cublas_v2.h."""

import re

from rewriting.ptx import error_pragma
from rewriting.text import blank, is_in_macro

# What the header has, and the names that programs give to their own checks, such as cublasCheck.
OTHERS = r"(?:Create|Destroy|SetMathMode|SetStream)\b|Check|Assert|Error|Call|Safe"
CALL = re.compile(rf"(?<![\w:.])(?:::\s*)?(cublas(?!(?:Lt)?(?:{OTHERS}))[A-Z][a-z]\w*)(?=\s*\()")


def rewrite_calls(text: str) -> str:
    """The text with an error before each call; a function of the program's own stays as it is."""
    if "cublas" not in text:
        return text
    code = blank(text)
    for found in reversed(list(CALL.finditer(code))):
        name = found.group(1)
        before = code[: found.start()].rstrip()
        is_declaration = re.search(r"\b(?!return\b|else\b|do\b)\w+[\s*&]*$", before) is not None
        if is_declaration or is_in_macro(text, found.start()):
            continue
        message = error_pragma(f"{name}: cuBLAS is not on the CPU backend, which has its types and handles alone")
        text = f"{text[: found.start()]}{message} {text[found.start() :]}"
    return text
