"""From an attempt's source to its program: rewriter, compiler, list of names and linker, one after the other in one
sandbox."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from ..files.exercise import Exercise
from ..rules import symbols
from .build import Backend

# The script's exit codes if one of these steps fails; if the compiler does, it is the compiler's.
NOT_REWRITTEN, NO_NAMES, NOT_WATCHED, NOT_LINKED = 90, 91, 92, 93

_MAX_NAMES = 16 << 20  # bytes of the list of an object's names


@dataclass(frozen=True)
class CompileLink:
    """The steps for one attempt, whose files are in `folder`. No step overwrites another step's output."""

    exercise: Exercise
    backend: Backend
    folder: Path

    @property
    def program(self) -> Path:
        return self.folder / "attempt"

    @property
    def lists_names(self) -> bool:
        """Whether there is a program that lists names."""
        return shutil.which("readelf") is not None

    def command(self, source: Path) -> list[str]:
        """All steps, up to the first that fails. The compiler's warnings are not shown if the linker fails."""
        made, watched = self.folder / "attempt.o", self.folder / "watched.o"
        said = shlex.quote(str(self.folder / "compiler.txt"))
        script = []
        if self.backend.rewriter:
            rewritten = self.folder / "attempt.cpp"
            rewrite = self.backend.rewrite(source, rewritten, self.folder / "copies")
            script.append(f"{shlex.join(rewrite or [])} || exit {NOT_REWRITTEN}")
            source = rewritten
        compiler = self.backend.compile_attempt(source, self.exercise.learner.parent, made)
        script.append(f"{shlex.join(compiler)} >{said} 2>&1 || {{ code=$?; cat {said}; exit $code; }}")
        if self.lists_names:
            names = shlex.quote(str(self._names))
            script.append(f"{shlex.join(symbols.command(str(made)))} >{names} || exit {NO_NAMES}")
            if self.backend.kind == "lab":
                watching = shlex.join(symbols.watch_copies(str(made), str(watched)))
                script += [
                    f"if grep -Eq {shlex.quote(symbols.UNSEEN_LINES)} {names}; then",
                    f"{watching} || exit {NOT_WATCHED}",
                    f"{self._linker(watched)}",
                    "fi",
                ]
        return ["sh", "-c", "\n".join([*script, self._linker(made)])]

    def names(self) -> str | None:
        """All that symbols.complaint() reads; None if that is incomplete: the rest is unknown."""
        try:
            with open(os.open(self._names, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return None
                data = file.read(_MAX_NAMES + 1)
        except OSError:
            return None
        return data.decode("utf-8", "replace") if len(data) <= _MAX_NAMES else None

    @property
    def _names(self) -> Path:
        return self.folder / "attempt.names"

    def _linker(self, made: Path) -> str:
        """Links, and ends the script."""
        linker = shlex.join(self.backend.link_attempt(self.exercise.id, made, self.program))
        return f"{linker} || exit {NOT_LINKED}; exit 0"
