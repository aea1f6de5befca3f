#!/usr/bin/env python3
"""Removes each barrier and fence of a chapter, one at a time, and checks whether the lab notices.

    without_barriers.py BUILD_FOLDER CHAPTER      e.g. build/cpu ch02_reduce_baseline
    ctest -C mutation -R without_barriers          all chapters; takes minutes

The runs are the lines of [without_barriers] in the chapter's runs.txt: several blocks, and code that only some options
reach. A line may begin with TUTORIAL_CPU_SMS=1: with one multiprocessor each block has several small tiles. A copy of
the chapter is compiled once, with every barrier under a condition; the environment says which one is left out in a run.
Prints a line for each: what was found, and
whether the result was still right. Barriers whose absence no run shows are listed in
without_barriers.txt, each with the reason.
Exit code: 1 if the list and what was found do not agree.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "../../.."))
sys.path.insert(0, os.path.join(ROOT, "common"))

from tutorial import runs as chapter_runs  # noqa: E402

LIST = os.path.join(HERE, "without_barriers.txt")
SMS = 4  # multiprocessors of the imitated device, unless the line says otherwise
ORDERING = re.compile(r"^(\s*)(.*?)\b(__syncthreads|__syncwarp|__threadfence)\(\);")
FOUND = re.compile(
    r"^(?:[Ee]mulator: )?(race (?:within|between)|missing fence|uninitialised|out of bounds|illegal address|"
    r"no progress|incomplete|divergent)",
    re.MULTILINE,
)
QUESTION = """#include <cstdlib>
inline const int barrier_away = std::getenv("BARRIER_AWAY") ? std::atoi(std::getenv("BARRIER_AWAY"))
                                                            : 0;
"""


def commands(build, chapter):
    """The build's own commands for the program with the lab: compile and link."""
    done = subprocess.run(
        ["ninja", "-C", build, "-t", "commands", f"{chapter}_lab"], stdout=subprocess.PIPE, text=True, check=True
    )
    lines = done.stdout.splitlines()
    compiling = [x for x in lines if f"{chapter}_watched.dir" in x and " -c " in x][-1]
    linking = [x for x in lines if f"-o bin/{chapter}_lab" in x][-1]
    return compiling, linking


def device_sources(folder):
    """The files of the chapter that may hold kernels of the program, relative to its folder."""
    others = ("tests.cu", "ablations.cu", "multi_gpu.cu", "library.cuh")
    found = [path for pattern in ("*", "fastest/*") for path in sorted(pathlib.Path(folder).glob(pattern))]
    return [
        path.relative_to(folder).as_posix()
        for path in found
        if path.suffix in (".cu", ".cuh", ".hpp") and path.name not in others
    ]


def put_questions(folder):
    """Puts each barrier of the copy under a condition. Returns a list of (file, line number, the line); the
    second of equal lines in a file ends with ' @2', and so on."""
    barriers = []
    for name in device_sources(folder):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines):
            found = ORDERING.match(line)
            if not found or found.group(2).startswith("//"):
                continue
            same = sum(each[0] == name and each[2].split(" @")[0] == line.strip() for each in barriers)
            barriers.append((name, number + 1, line.strip() + (f" @{same + 1}" if same else "")))
            lines[number] = (
                f"{found.group(1)}{found.group(2)}" f"if (barrier_away != {len(barriers)}) {found.group(3)}();"
            )
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return barriers


def build_copy(folder, build, chapter):
    """Rewrites, compiles and links the changed copy in `folder`; returns the program."""
    source, thing, program, question = (
        os.path.join(folder, x) for x in ("out.cpp", "out.o", "program", "question.hpp")
    )
    with open(question, "w", encoding="utf-8") as file:
        file.write(QUESTION)
    subprocess.run(
        [
            sys.executable,
            os.path.join(ROOT, "common/emulator/translate.py"),
            os.path.join(folder, chapter, "main.cu"),
            source,
            "--source-root",
            ROOT,
            "--copies",
            os.path.join(folder, "copies"),
        ],
        check=True,
    )
    compiling, linking = commands(build, chapter)
    word = r"""((?:"[^"]*"|'[^']*'|\S)+)"""  # of a shell: a path with a blank is quoted
    files = re.search(f" -o {word} -c {word}", compiling)
    compile_it = re.sub(f" -M[FT] {word}| -MD", "", compiling).replace(
        files.group(0), f" -include {question} -o {thing} -c {source}"
    )
    link_it = linking.replace(files.group(1), thing).replace(f"-o bin/{chapter}_lab", f"-o {program}")
    subprocess.run(compile_it, shell=True, cwd=build, check=True)
    subprocess.run(link_it, shell=True, cwd=build, check=True, stdout=subprocess.DEVNULL)
    return program


def run(program, away, runs):
    """What one of the runs finds: the first that finds anything."""
    for words in runs:
        settings, options = chapter_runs.settings(words)
        environment = {"TUTORIAL_CPU_SMS": str(SMS), **settings, "BARRIER_AWAY": str(away)}
        done = subprocess.run(
            [program, "--faults", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            env={**os.environ, **environment},
        )
        found = sorted(set(FOUND.findall(done.stdout)))
        if found:
            break
    return found, "WRONG" in done.stdout


def unseen(chapter):
    """{(file, the barrier's line): reason}, from without_barriers.txt"""
    reasons = {}
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, code, reason = (part.strip() for part in line.split(" | "))
                if name.startswith(chapter + "/"):
                    reasons[(name.split("/", 1)[1], code)] = reason
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("chapter")
    arguments = parser.parse_args()
    build, chapter = os.path.realpath(arguments.build), arguments.chapter
    runs = chapter_runs.lines(pathlib.Path(ROOT, chapter), "without_barriers")
    if not runs:
        sys.exit(f"{chapter}/runs.txt has no line in [without_barriers]")
    reasons, bad, used = unseen(chapter), 0, set()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, "common"), os.path.join(folder, "common"))
        shutil.copytree(os.path.join(ROOT, chapter), os.path.join(folder, chapter))
        barriers = put_questions(os.path.join(folder, chapter))
        program = build_copy(folder, build, chapter)
        found, is_wrong = run(program, 0, runs)
        if found or is_wrong:
            sys.exit(f"{chapter}: not right with all its barriers: {found}")
        for away, (name, number, line) in enumerate(barriers, 1):
            found, is_wrong = run(program, away, runs)
            reason = reasons.get((name, line))
            used.add((name, line))
            verdict = ", ".join(found) or reason or "NOTHING FOUND"
            if found and reason:
                verdict += "; BUT without_barriers.txt SAYS NOTHING IS: " + reason
            bad += bool(found) == bool(reason)
            print(f"{name}:{number}: {verdict}; result {'wrong' if is_wrong else 'right'}: {line}", flush=True)
        for name, line in sorted(set(reasons) - used):
            print(f"{name}: without_barriers.txt names a barrier that is not there: {line}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
