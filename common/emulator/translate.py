#!/usr/bin/env python3
"""Turns CUDA C++ into C++ for the CPU backend. Only these things change:

    kernel<<<grid, block, bytes, stream>>>(arguments)   a call of ::cpu::launcher
    __shared__ T name[N];  extern __shared__ T name[];  references into the block's shared memory
    __global__ void kernel(...) {                       ... { ::cpu::kernel_begins();
    asm(...), <cub/...>, <thrust/...>, ...              a compile error that names it
    #include "file"                                     the file's full path, or its rewritten copy

Everything stays on its line, and #line keeps errors and debuggers in the original file.

    translate.py INPUT OUTPUT --source-root DIR --copies DIR [--depfile FILE] [-I DIR]...

Included files that hold launches or shared variables are rewritten to DIR/<path from source root>.
"""

import argparse
import os
import re
import sys

# What no rewrite may look into: comments, raw strings, strings, characters, preprocessor lines.
OPAQUE = re.compile(
    r"//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|\b(?:u8|[uUL])?R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|//[^\n]*|/\*.*?\*/|[^\n])*", re.DOTALL | re.MULTILINE)
QUOTED_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"', re.MULTILINE)
GPU_ONLY_INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*<((?:cub|thrust|cuda|nv|cutlass|cute)/[^>\n]*"
    r"|(?:cublas|cufft|curand|cusparse|cusolver|cuda_fp|cuda_bf16|cuda_pipeline|cuda_awbarrier|mma|"
    r"nvtx|cuda_profiler|cuda\.h)[^>\n]*)>[^\n]*",
    re.MULTILINE,
)
NEEDS_REWRITE = re.compile(r"<<<|\b__shared__\b|\b__global__\b|\basm\b|\b__asm__\b|\b__noinline__\b")
OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open_ for open_, close in OPENING.items()}


class RewriteError(Exception):
    """Source that cannot be rewritten; `position` is an offset into the text."""

    def __init__(self, position, message):
        super().__init__(message)
        self.position = position
        self.message = message


def blank(text):
    """The text with everything opaque replaced by spaces of the same length and lines."""

    def spaces(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    def keep_quotes(match):
        inner = match.group(0)
        if inner.startswith(("//", "/*")):
            return spaces(match)
        # A string stays visible as something, so that an argument is not taken for empty.
        return '"' + re.sub(r"[^\n]", "_", inner[1:-1]) + '"'

    text = OPAQUE.sub(keep_quotes, text)

    def directive(match):
        body = match.group(0)
        # The body of a macro is code like any other.
        if re.match(r"[ \t]*#[ \t]*define\b", body):
            return re.sub(r"\\\n", " \n", body.replace("#", " "))
        return spaces(match)

    return DIRECTIVE.sub(directive, text)


def match_forward(code, start, position):
    """Offset of the bracket that closes the one at `start`."""
    stack = []
    for i in range(start, len(code)):
        c = code[i]
        if c in OPENING:
            stack.append(OPENING[c])
        elif c in CLOSING:
            if not stack or stack.pop() != c:
                break
            if not stack:
                return i
    raise RewriteError(position, f"'{code[start]}' without its '{OPENING[code[start]]}'")


def match_backward(code, end, position):
    """Offset of the bracket that opens the one at `end`; '>' counts as a bracket."""
    pairs = dict(CLOSING)
    pairs[">"] = "<"
    stack = []
    i = end
    while i >= 0:
        c = code[i]
        inside_parentheses = any(open_ != "<" for open_ in stack)
        if c == ">" and not inside_parentheses and code[i - 1] != "-":
            stack.append("<")
        elif c == "<" and not inside_parentheses:
            if not stack or stack.pop() != "<":
                break
        elif c in CLOSING:
            stack.append(pairs[c])
        elif c in OPENING:
            if not stack or stack.pop() != c:
                break
        if not stack:
            return i
        i -= 1
    raise RewriteError(position, f"'{code[end]}' without its '{pairs[code[end]]}'")


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


def one_line(text):
    return re.sub(r"\s+", " ", text.replace("\\\n", " ")).strip()


def in_string(text):
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')


def newlines(text, code_is_macro):
    """The line breaks of a piece that moved, so that what follows stays on its line."""
    return ("\\\n" if code_is_macro else "\n") * text.count("\n")


def split_top(code, start, end, separator):
    """Offsets of pieces of code[start:end] between separators outside of brackets and <...>."""
    pieces = []
    depth = angle = 0
    begin = start
    for i in range(start, end):
        c = code[i]
        if c in OPENING:
            depth += 1
        elif c in CLOSING:
            depth -= 1
        elif c == "<" and depth == 0:
            angle += 1
        elif c == ">" and depth == 0 and angle > 0:
            angle -= 1
        elif c == separator and depth == 0 and angle == 0:
            pieces.append((begin, i))
            begin = i + 1
    pieces.append((begin, end))
    return pieces


def is_in_macro(text, position):
    """Whether the position lies in a #define, whose lines end with a backslash."""
    start = text.rfind("\n", 0, position) + 1
    while start >= 2 and text[start - 2 : start] == "\\\n":
        start = text.rfind("\n", 0, start - 1) + 1
    return re.match(r"[ \t]*#", text[start:]) is not None


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
    match_forward(code, i, launch)  # they must be balanced
    kernel = text[start:name_end]
    macro = is_in_macro(text, launch)
    config = text[launch + 3 : config_end]
    if not config.strip():
        raise RewriteError(launch, "<<<>>> without grid and block")
    # Launches among the arguments or in the configuration are rewritten first, by the caller.
    replacement = (
        f'::cpu::launcher({{"{in_string(kernel)}", __PRETTY_FUNCTION__, {{__FILE__, __LINE__}}}}, '
        f"[=](auto... cpu_arguments) {{ {one_line(kernel)}(cpu_arguments...); }}, "
        f"[=](auto cpu_address) -> decltype(cpu_address({one_line(kernel)})) "
        f"{{ return cpu_address({one_line(kernel)}); }})"
        f"{newlines(text[start:launch], macro)}"
        f".configure({config})"
        f"{newlines(text[config_end + 3 : i], macro)}"
    )
    return start, i, replacement


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


def rewrite_shared(text, code, word):
    """(start, end, replacement) of the declaration whose __shared__ is at `word`."""
    start = max(code.rfind(c, 0, word) for c in ";{}") + 1
    label = re.search(r".*[^:]:(?!:)", code[start:word], re.DOTALL)
    if label:
        start += label.end()
    if is_in_macro(text, word):
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
            raise RewriteError(word, "__shared__ without a ; behind the declaration")
        end += 1
    if end >= len(code):
        raise RewriteError(word, "__shared__ without a ; behind the declaration")
    macro = is_in_macro(text, word)
    declaration = code[start:end]
    if '"' in declaration:
        raise RewriteError(word, "a __shared__ variable with a string in its declaration")
    lines = newlines(text[start:end], macro)
    declaration = one_line(declaration)
    is_dynamic = re.search(r"\bextern\b", declaration) is not None
    declaration = re.sub(r"\b(?:extern|static|__shared__|__device__)\b", " ", declaration)
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
        # alignas takes a number or a type; alignof(char) is what an unknown type would not be.
        alignments.append(f"::cpu::alignment_of({inner})")
        declaration = declaration[: found.start()] + " " + declaration[close + 1 :]
    declaration = re.sub(r"\[\[.*?\]\]", " ", declaration).strip()
    pieces = [declaration[a:b].strip() for a, b in split_top(declaration, 0, len(declaration), ",")]
    first = re.match(r"(.*?)([*&\s]*)\b(\w+)\s*((?:\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]\s*)*)$", pieces[0], re.DOTALL)
    has_initialiser = any(re.search(r"[^=!<>]=[^=]|\{", piece) for piece in pieces)
    if not first or not first.group(1).strip() or has_initialiser:
        raise RewriteError(
            word,
            f"a __shared__ declaration that is not understood: {declaration!r}"
            " (allowed is: type name, or type name[extent]..., without initialiser)",
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
            element = f"{base}{pointer}{inner}"
            if in_function:
                output.append(
                    f"[[maybe_unused]] ::cpu::Type<{element}>* const {name} = "
                    f'::cpu::dynamic_shared<::cpu::Type<{element}>>("{name}", {site})'
                )
            else:
                output.append(
                    f"[[maybe_unused]] static const ::cpu::DynamicShared<::cpu::Type<{element}>> {name}"
                    f'{{"{name}", {site}}}'
                )
            continue
        if not in_function:
            raise RewriteError(word, f"__shared__ {name} outside of a function: move it into the kernel")
        if re.match(r"\[\s*\]", extents):
            raise RewriteError(
                word, f"__shared__ {name}[] has no extent; dynamic shared memory is " f"declared extern __shared__"
            )
        kind = f"::cpu::Type<{base}{pointer}{extents}>"
        alignment = f"alignof({kind})"
        for wanted in alignments:
            alignment = f"::cpu::larger({alignment}, {wanted})"
        output.append(
            f'static constexpr ::cpu::SharedVariable {name}_shared{{"{name}", sizeof({kind}), '
            f"{alignment}, {site}}}; "
            f"[[maybe_unused]] {kind}& {name} = "
            f"{name}_shared.template as<{kind}>()"
        )
    return start, end, "; ".join(output) + lines


def rewrite_kernels(text, code):
    """The text with a first statement in every kernel, which tells a launch whom it calls."""
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
                begins = "::cpu::kernel_begins();"
                begin = max(code.rfind(c, 0, word.start()) for c in ";{}") + 1
                bounds = re.search(r"\b__launch_bounds__\s*(?=\()", code[begin:i])
                if bounds:
                    opening = begin + bounds.end()
                    bound = one_line(text[opening + 1 : match_forward(code, opening, opening)])
                    begins = (
                        f"static constexpr ::cpu::LaunchBound cpu_launch_bound{{{bound}}}; "
                        "::cpu::kernel_begins(&cpu_launch_bound);"
                    )
                text = f"{text[: i + 1]} {begins}{text[i + 1 :]}"
                break
    return text


def error_pragma(message):
    return '_Pragma("GCC error \\"' + message.replace("\\", "").replace('"', "'") + '\\"")'


def rewrite_asm(text, code, match):
    """An asm statement becomes a compile error where it is compiled at all."""
    end = match.end()
    while end < len(code) and code[end] != ";":
        end += 1
    macro = is_in_macro(text, match.start())
    message = "inline PTX (asm) runs on a GPU only: the CPU backend has no PTX"
    return match.start(), end, error_pragma(message) + newlines(text[match.start() : end], macro)


def rewrite_text(text):
    """The rewritten text; the same number of lines."""
    # Rightmost first, so that a launch among another one's arguments is done before it.
    while True:
        code = blank(text)
        launches = [m.start() for m in re.finditer("<<<", code)]
        if not launches:
            break
        start, end, replacement = rewrite_launch(text, code, launches[-1])
        text = text[:start] + replacement + text[end:]
    while True:
        code = blank(text)
        found = re.search(r"\b__shared__\b", code)
        if not found:
            break
        start, end, replacement = rewrite_shared(text, code, found.start())
        text = text[:start] + replacement + text[end:]
    while True:
        code = blank(text)
        found = re.search(r"\b(?:asm|__asm__|__asm)\b(?:\s*(?:volatile|__volatile__))?\s*(?=\()", code)
        if not found:
            break
        start, end, replacement = rewrite_asm(text, code, found)
        text = text[:start] + replacement + text[end:]
    text = rewrite_kernels(text, blank(text))
    code = blank(text)
    for found in reversed(list(re.finditer(r"\b__noinline__\b", code))):
        if not re.search(r"__attribute__\s*\(\(\s*$", code[: found.start()]):
            text = text[: found.start()] + "__attribute__((noinline))" + text[found.end() :]
    return text


class Rewriter:
    """Rewrites a file and the files that it includes."""

    def __init__(self, source_root, copies, folders=()):
        self.source_root = os.path.realpath(source_root)
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.copies = os.path.realpath(copies)
        self.read = set()
        self.needed = {}

    def text_of(self, path):
        self.read.add(path)
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()

    def resolve(self, includer, name):
        """Full path of a quoted include, or None where no folder has it that is looked in."""
        for folder in (os.path.dirname(includer), *self.folders, self.source_root):
            path = os.path.realpath(os.path.join(folder, name))
            if os.path.isfile(path):
                return path
        return None

    def includes(self, path, text):
        code = OPAQUE.sub(lambda m: m.group(0) if m.group(0)[0] == '"' else re.sub(r"[^\n]", " ", m.group(0)), text)
        for match in QUOTED_INCLUDE.finditer(code):
            found = self.resolve(path, match.group(2))
            if found:
                yield match, found

    def needs_rewrite(self, path):
        """Whether a file, or one that it includes, holds something to rewrite."""
        if path not in self.needed:
            self.needed[path] = False  # an include cycle ends here
            text = self.text_of(path)
            self.needed[path] = (
                NEEDS_REWRITE.search(blank(text)) is not None
                or GPU_ONLY_INCLUDE.search(text) is not None
                or any([self.needs_rewrite(found) for _, found in self.includes(path, text)])
            )
        return self.needed[path]

    def copy_path(self, path):
        relative = os.path.relpath(path, self.source_root)
        if relative.startswith(".."):
            relative = os.path.join("outside", path.lstrip("/"))
        return os.path.join(self.copies, relative)

    def rewrite(self, path, output):
        text = self.text_of(path)
        for match, found in reversed(list(self.includes(path, text))):
            target = found
            if self.needs_rewrite(found):
                target = self.copy_path(found)
                self.rewrite(found, target)
            text = text[: match.start()] + f'{match.group(1)}"{target}"' + text[match.end() :]

        def gpu_only(match):
            return (
                f'#error "<{match.group(1)}> is for a GPU only: put the include, and what needs '
                'it, under #if defined(__CUDACC__)"'
            )

        code = OPAQUE.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
        for match in reversed(list(GPU_ONLY_INCLUDE.finditer(code))):
            text = text[: match.start()] + gpu_only(match) + text[match.end() :]
        try:
            text = rewrite_text(text)
        except RewriteError as error:
            line = text.count("\n", 0, error.position) + 1
            raise SystemExit(f"{path}:{line}: error: {error.message}")
        write(output, f'#line 1 "{path}"\n{text}')


def write(path, text):
    """Writes the file in one step: two builds may make the same copy at once."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--source-root", required=True, help="includes are also looked for here")
    parser.add_argument("--copies", required=True, help="where rewritten included files go")
    parser.add_argument("--depfile", help="for the build system: what was read")
    parser.add_argument("-I", dest="folders", action="append", default=[], help="includes are also looked for here")
    arguments = parser.parse_args()
    rewriter = Rewriter(arguments.source_root, arguments.copies, arguments.folders)
    rewriter.rewrite(os.path.realpath(arguments.input), arguments.output)
    if arguments.depfile:
        names = " \\\n  ".join(p.replace(" ", "\\ ") for p in sorted(rewriter.read))
        write(arguments.depfile, f"{arguments.output}: \\\n  {names}\n")


if __name__ == "__main__":
    sys.exit(main())
