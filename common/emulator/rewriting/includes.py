"""A file and the files that it includes: which need rewriting, and where their copies go."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator

from rewriting.functions import functions_of
from rewriting.shared import file_scope_names
from rewriting.text import OPAQUE, RewriteError, blank, spaces

QUOTED_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"', re.MULTILINE)
# Headers of CUDA that the emulator does not have.
GPU_ONLY_INCLUDE = re.compile(
    r'^[ \t]*#[ \t]*include[ \t]*[<"]((?:cub|nv|cutlass|cute|cooperative_groups/details)/[^>"\n]*'
    r'|cuda/(?!(?:atomic|barrier|pipeline|std/atomic)[>"])[^>"\n]*'
    r"|(?:cublas(?!_v2\.h|Lt\.h)|cufft|cusparse|cusolver|cudnn|cutensor|cudss|nvgraph|nvjpeg|npp|cupti|nvml|nvrtc|"
    r"nvJitLink|nvshmem|optix|cuda_gl|cuda_egl|cuda_vdpau|cuda_d3d|cudaGL|cudaEGL|cuda_awbarrier|curand_mtgp|"
    r'cuda_fp8|cuda_fp6|cuda_fp4|mma)[^>"\n]*)[>"][^\n]*',
    re.MULTILINE,
)
THRUST_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"](thrust/[^>"\n]*)[>"][^\n]*', re.MULTILINE)
SYSTEM_FOLDERS = ("/usr/include", "/usr/local/include", "/opt/homebrew/include")
NEEDS_REWRITE = re.compile(
    r"<<<|<<\s+<|<\s+<<"
    r"|\b(?:__shared__|__global__|__device__|asm|__asm__|__noinline__|__CUDA_ARCH__)\b"
    r"|\b__(?:shfl|any|all|ballot)\b|\b__shfl_(?:up|down|xor)\b"
    r"|\b(?:cublas|CU(?:module|function|context|mem)|cu[A-Z]|cudaTextureObject_t\b|cudaSurfaceObject_t\b|cudaGraph"
    r"|cuda(?:Ipc|AccessPolicyWindow|StreamAttr|External)|curand(?:State(?:Scrambled)?(?:Sobol|MRG|Mtgp)|DirectionV))"
)


def include_path(path: str) -> str:
    """The path as it is written in #line and #include "..."."""
    return path.replace("\\", "\\\\").replace('"', '\\"')


def with_names_only(text: str) -> str:
    """The text without what is opaque, except between quotes, where the name of an included file may be."""
    return OPAQUE.sub(lambda match: match.group(0) if match.group(0)[0] == '"' else spaces(match), text)


def refuse_what_is_no_text(path: str, begin: bytes) -> None:
    """Ends the program with one line of text for a file that no compiler could read."""
    if begin.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in begin[:2]:
        raise SystemExit(f"{path}:1: error: the file is in UTF-16: save it as UTF-8")
    if b"\0" in begin:
        raise SystemExit(f"{path}:1: error: this is a binary file, and no source code")


class Rewriter:
    """Rewrites a file and the files that it includes. `rewrite_text` does one file's text."""

    def __init__(self, source_root, copies, rewrite_text, folders=()):
        self.source_root = os.path.realpath(source_root)
        self.copies = os.path.realpath(copies)
        self.rewrite_text = rewrite_text
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.have_thrust = any(
            os.path.isfile(os.path.join(folder, "thrust", "version.h")) for folder in [*self.folders, *SYSTEM_FOLDERS]
        )
        self.read: set[str] = set()
        self.needed: dict[str, bool] = {}
        self.done: set[str] = set()
        self.shared: set[str] = set()

    def text_of(self, path: str) -> str:
        self.read.add(path)
        with open(path, "rb") as file:
            refuse_what_is_no_text(path, file.read(4096))
        # utf-8-sig: a byte order mark is not part of the text.
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            return file.read()

    def resolve(self, includer: str, name: str) -> str | None:
        """Full path of a quoted include, or None if it is in none of the folders."""
        for folder in (os.path.dirname(includer), *self.folders, self.source_root):
            path = os.path.realpath(os.path.join(folder, name))
            if os.path.isfile(path):
                return path
        return None

    def includes(self, path: str, text: str) -> Iterator[tuple[re.Match, str]]:
        for match in QUOTED_INCLUDE.finditer(with_names_only(text)):
            found = self.resolve(path, match.group(2))
            if found:
                yield match, found

    def needs_rewrite(self, path: str) -> bool:
        """Whether a file, or one that it includes, contains something to rewrite."""
        if path not in self.needed:
            self.needed[path] = False  # an include cycle ends here
            text = self.text_of(path)
            if "__shared__" in text:
                self.shared.update(file_scope_names(text, blank(text), functions_of(text)))
            self.needed[path] = (
                NEEDS_REWRITE.search(blank(text)) is not None
                or "__CUDA_ARCH__" in text
                or GPU_ONLY_INCLUDE.search(text) is not None
                or THRUST_INCLUDE.search(text) is not None
                or any([self.needs_rewrite(found) for _, found in self.includes(path, text)])
            )
        return self.needed[path]

    def copy_path(self, path: str) -> str:
        relative = os.path.relpath(path, self.source_root)
        if relative.startswith(".."):
            relative = os.path.join("outside", path.lstrip("/"))
        return os.path.join(self.copies, relative)

    def refuse_headers(self, text: str) -> str:
        """#error in place of each include that the emulator does not have."""

        def gpu_only(match):
            return (
                f'#error "<{match.group(1)}> is for a GPU only: put the include, and what needs '
                'it, under #if defined(__CUDACC__)"'
            )

        def no_thrust(match):
            return (
                f'#error "<{match.group(1)}>: Thrust is not installed (Debian and Ubuntu: apt install libthrust-dev)"'
            )

        code = with_names_only(text)
        refused = [(match, gpu_only) for match in GPU_ONLY_INCLUDE.finditer(code)]
        if not self.have_thrust:
            refused += [(match, no_thrust) for match in THRUST_INCLUDE.finditer(code)]
        for match, message in sorted(refused, key=lambda each: -each[0].start()):
            text = text[: match.start()] + message(match) + text[match.end() :]
        return text

    def rewrite(self, path: str, output: str, is_main: bool = True) -> None:
        text = self.text_of(path)
        try:
            rewritten = self.rewritten(path, text)
        except RewriteError as error:
            # An editor, or git, may be writing the file right now: read it again before reporting an
            # error in half a file.
            time.sleep(0.3)
            again = self.text_of(path)
            if again != text:
                self.rewrite(path, output, is_main)
                return
            line = text.count("\n", 0, error.position) + 1
            raise SystemExit(f"{path}:{line}: error: {error.message}") from None
        # As nvcc does, before the first line of the file.
        # With nvcc, asserts are active unless a program turns them off, whatever the build type.
        start = "#undef NDEBUG\n#include <cuda_runtime.h>\n" if is_main else ""
        made = f'{start}#line 1 "{include_path(path)}"\n{rewritten}'
        # A copy that is the same must not look new to what has included it.
        if is_main or not holds(output, made):
            write(output, made)

    def rewritten(self, path: str, text: str) -> str:
        for _, found in self.includes(path, text):
            self.needs_rewrite(found)  # before any is rewritten: which shared variables there are
        for match, found in reversed(list(self.includes(path, text))):
            target = found
            if self.needs_rewrite(found):
                target = self.copy_path(found)
                if found not in self.done:
                    self.done.add(found)
                    self.rewrite(found, target, is_main=False)
            # Here no quote can occur between quotes, not even after a backslash.
            named = f"<{target}>" if '"' in target else f'"{target}"'
            text = text[: match.start()] + match.group(1) + named + text[match.end() :]
        return self.rewrite_text(self.refuse_headers(text), self.shared)


def holds(path: str, text: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read() == text
    except OSError:
        return False


def write(path: str, text: str) -> None:
    """Writes the file in one step: two builds may make the same copy at once."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.replace(temporary, path)


def depfile_path(path: str) -> str:
    """The path as make and ninja read it in a depfile."""
    return path.replace("\\", "\\\\").replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
