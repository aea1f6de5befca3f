"""__shared__ variables: references into the block's shared memory."""

import re

from rewriting.ptx import error_pragma
from rewriting.text import (
    DIRECTIVE,
    OPENING,
    CLOSING,
    RewriteError,
    is_in_macro,
    match_forward,
    newlines,
    one_line,
    split_top,
)


def scope_is_function(code, position):
    """Whether the position lies inside a function's braces, not just namespaces and classes."""
    depth = 0
    i = position - 1
    while i >= 0:
        c = code[i]
        if c == "}":
            depth += 1
        elif c == "{":
            if depth == 0:
                before = re.split(r"[;{}]", code[:i])[-1]
                if not re.search(r"\b(namespace|class|struct|union|extern|enum)\b", before) or re.search(
                    r"\)\s*(const|noexcept|override|final|\s)*$", before
                ):
                    return True
            else:
                depth -= 1
        i -= 1
    return False


ATTRIBUTE = re.compile(r"\b(?:alignas|__align__|__attribute__)\s*\(")


def behind_directives(text, code, start, end):
    """Where a declaration begins after #define lines, whose bodies are also code."""
    for found in DIRECTIVE.finditer(text, start, end):
        line = text.rfind("\n", 0, found.start()) + 1
        # What was not blanked is not a comment.
        if code[line : found.end()].strip():
            start = found.end()
    return start


def parenthesised(extents):
    """[N > 16 ? N : 16] as a template's argument: its > must not end the list."""
    output, depth = "", 0
    for c in extents:
        depth -= c == "]"
        output += {"[": "[(", "]": ")]"}.get(c, c) if depth == 0 else c
        depth += c == "["
    return re.sub(r"\[\(\s*\)\]", "[]", output)


def rewrite_shared(text, code, word):
    """(start, end, replacement) of the declaration whose __shared__ is at `word`."""
    start = max(code.rfind(c, 0, word) for c in ";{}") + 1
    macro = is_in_macro(text, word)
    if not macro:
        start = behind_directives(text, code, start, word)
    label = re.search(r".*[^:]:(?!:)", code[start:word], re.DOTALL)
    if label:
        start += label.end()
    if macro:
        line = text.rfind("\n", 0, word) + 1
        define = re.match(r"[ \t]*#[ \t]*define[ \t]+\w+(\([^)]*\))?", text[line:])
        if define:
            start = max(start, line + define.end())
    while code[start].isspace() or text[start] == "\\":
        start += 1
    end = word
    depth = 0
    while end < len(code):
        if code[end] in OPENING:
            depth += 1
        elif code[end] in CLOSING:
            depth -= 1
        elif code[end] == ";" and depth == 0:
            break
        if depth < 0:
            raise RewriteError(word, "__shared__ without a ; after the declaration")
        end += 1
    if end >= len(code):
        raise RewriteError(word, "__shared__ without a ; after the declaration")
    declaration = code[start:end]
    if '"' in declaration:
        raise RewriteError(word, "a __shared__ variable with a string in its declaration")
    lines = newlines(text[start:end], macro)
    declaration = one_line(declaration)
    is_dynamic = re.search(r"\bextern\b", declaration) is not None
    declaration = re.sub(r"\b(?:extern|static|__shared__|__device__)\b", " ", declaration)
    # A type that is declared with the variable gets a separate statement, and a name if it has none.
    own_type = ""
    typed = re.match(r"(.*?)\b((?:union|struct)\b[^{};=]*)\{", declaration, re.DOTALL)
    if typed:
        close = match_forward(declaration, typed.end() - 1, 0)
        type_name = re.search(r"(\w+)\s*$", typed.group(2)[6:].strip())
        type_name = type_name.group(1) if type_name else f"cpu_shared_type_{text.count(chr(10), 0, word) + 1}"
        kind = typed.group(2).split()[0]
        own_type = f"{kind} {type_name} {declaration[typed.end() - 1 : close + 1]}; "
        declaration = f"{typed.group(1)} {type_name} {declaration[close + 1 :]}"
    alignments = []
    while True:
        found = ATTRIBUTE.search(declaration)
        if not found:
            break
        close = match_forward(declaration, found.end() - 1, 0)
        attribute = found.group(0)
        inner = declaration[found.end() : close]
        if attribute.startswith("__attribute__"):
            aligned = re.fullmatch(r"\s*\(\s*(?:aligned|__aligned__)\s*\((.*)\)\s*\)\s*", inner)
            if not aligned:
                raise RewriteError(word, "a __shared__ variable with an unknown __attribute__")
            inner = aligned.group(1)
        # alignas takes a number or a type: alignment_of() takes both.
        alignments.append(f"::emulator::alignment_of({inner})")
        declaration = declaration[: found.start()] + " " + declaration[close + 1 :]
    declaration = re.sub(r"\[\[.*?\]\]", " ", declaration).strip()
    pieces = [declaration[a:b].strip() for a, b in split_top(declaration, 0, len(declaration), ",")]
    first = re.match(r"(.*?)([*&\s]*)\b(\w+)\s*((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*)*)$", pieces[0], re.DOTALL)
    has_initialiser = any(re.search(r"[^=!<>]=[^=]|\{", piece) for piece in pieces)
    if has_initialiser:
        raise RewriteError(
            word, "a __shared__ variable cannot have an initial value: let a thread write it, and then __syncthreads()"
        )
    if not first or not first.group(1).strip():
        raise RewriteError(
            word,
            f"a __shared__ declaration that is not understood: {declaration!r}"
            " (allowed: type name, or type name[extent]...)",
        )
    base = first.group(1).strip()
    output = []
    site = "{__FILE__, __LINE__}"
    for index, piece in enumerate(pieces):
        if index == 0:
            pointer, name, extents = first.group(2).strip(), first.group(3), first.group(4).strip()
        else:
            found = re.match(r"([*\s]*)\b(\w+)\s*((?:\[.*\]\s*)*)$", piece, re.DOTALL)
            if not found:
                raise RewriteError(word, f"a __shared__ declaration that is not understood: {piece!r}")
            pointer, name, extents = found.group(1).strip(), found.group(2), found.group(3).strip()
        in_function = scope_is_function(code, word)
        if is_dynamic:
            empty = re.match(r"\[\s*\]\s*", extents)
            if not empty:
                raise RewriteError(word, f"extern __shared__ {name} must be an array without extent: " f"{name}[]")
            inner = extents[empty.end() :]
            element = f"{base}{pointer}{parenthesised(inner)}"
            if in_function:
                output.append(
                    f"[[maybe_unused]] ::emulator::Type<{element}>* const {name} = "
                    f'::emulator::dynamic_shared<::emulator::Type<{element}>>("{name}", {site})'
                )
            else:
                output.append(
                    f"[[maybe_unused]] static const ::emulator::DynamicShared<::emulator::Type<{element}>> {name}"
                    f'{{"{name}", {site}}}'
                )
            continue
        if re.match(r"\[\s*\]", extents):
            raise RewriteError(
                word, f"__shared__ {name}[] has no extent; dynamic shared memory is " f"declared extern __shared__"
            )
        kind = f"::emulator::Type<{base}{pointer}{parenthesised(extents)}>"
        alignment = f"alignof({kind})"
        for wanted in alignments:
            alignment = f"::emulator::larger({alignment}, {wanted})"
        variable = (
            f'static constexpr ::emulator::SharedVariable {name}_shared{{"{name}", sizeof({kind}), '
            f"{alignment}, {site}, ::emulator::extents_of<{kind}>()}}"
        )
        if in_function:
            output.append(f"{variable}; [[maybe_unused]] {kind}& {name} = {name}_shared.template as<{kind}>()")
        else:
            output.append(f"using {name}_shared_type = {kind}; {variable}")
    return start, end, own_type + "; ".join(output) + lines


EXTERN_ARRAY = re.compile(r"[;{}]\s*((?:extern\s+__shared__|__shared__\s+extern)\b[^;{}]*?(\w+)\s*\[\s*\][^;{}]*)(?=;)")


def name_overlaps(text, code, functions):
    """A warning in each function that declares two extern __shared__ arrays: both begin at the same address."""
    for function in sorted(functions, key=lambda each: -each.body):
        names = []
        for found in EXTERN_ARRAY.finditer(code, function.body, function.end):
            if found.group(2) not in names:
                names.append(found.group(2))
        if not function.runs_on_device or len(names) < 2:
            continue
        said = error_pragma(
            f"{function.name}: {' and '.join(names[:2])} begin at the same address, that of the dynamic shared memory. "
            "If both hold values at once, declare one array, and let "
            f"{names[1]} be a pointer to what follows the items of {names[0]}",
            "warning",
        )
        text = f"{text[: function.body + 1]} {said};{text[function.body + 1 :]}"
    return text


def file_scope_names(text, code, functions):
    """Names of the static shared variables that are declared outside functions."""
    names = []
    for found in re.finditer(r"\b__shared__\b([^;{}()=]*);", code):
        inside = any(function.start <= found.start() <= function.end for function in functions)
        before = code[max(code.rfind(c, 0, found.start()) for c in ";{}") + 1 : found.start()]
        if inside or "extern" in before + found.group(1) or is_in_macro(text, found.start()):
            continue
        for piece in found.group(1).split(","):
            name = re.search(r"(\w+)\s*(?:\[.*)?$", piece.strip(), re.DOTALL)
            if name:
                names.append(name.group(1))
    return names


# "float sums = 2;", "for (int sums = 0;": a function's own variable.
LOCAL = (
    r"(?:[;{{}}]\s*(?:(?:const|static|unsigned|volatile)\s+)*(?!return\b|else\b|delete\b)"
    r"[A-Za-z_][\w:]*(?:<[^;(){{}}]*>)?[\s*&]+"
    r"|\(\s*(?:(?:const|unsigned)\s+)*[A-Za-z_][\w:]*\s+){}\s*[=;,\[({{]"
)


def bind_file_scope(text, names, functions, code, elsewhere=()):
    """Every function that uses such a variable begins with a reference to its block's. `elsewhere`: names of an
    included file, or of one that includes this one; a function may have a variable of its own of that name."""
    for function in sorted(functions, key=lambda each: -each.body):
        body = code[function.body : function.end]
        used = [
            name
            for name in [*names, *elsewhere]
            if re.search(rf"\b{name}\b", body)
            and not re.search(rf"\b{name}\b", function.parameters)
            and not (name in elsewhere and re.search(LOCAL.format(name), body))
        ]
        if function.runs_on_device and used:
            bound = " ".join(
                f"[[maybe_unused]] {name}_shared_type& {name} = {name}_shared.as<{name}_shared_type>();"
                for name in used
            )
            text = f"{text[: function.body + 1]} {bound}{text[function.body + 1 :]}"
    return text
