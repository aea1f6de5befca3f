"""Makes the folders of students who hand in everything that students hand in, and worse.

    submissions.py FOLDER

Each has a file for one exercise, and the grade that it must get is known. The same in every run.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import adversarial
import paths  # puts the tool's folder on the path
from building.turn import todays_part
from grading.files import exercise as exercises
from grading.files.exercise import Exercise

# One whose blank holds a kernel and its launcher, so that any code fits; one with numbers to predict;
# one with a line of a kernel.
WHOLE, NUMBERS, LINE = "ch05/ex5", "ch03/ex2", "ch02/ex1"
ATTACKED = [f"common/grading/{each}" for each in ("course", "process", "worker", "tests/submissions.py")]

HEADERS = """\
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>
"""

# What the launcher does, on the host, before the right thing.
ON_THE_HOST = {
    "loops": ("time_limit", "stopped after", "for (volatile int i = 0;; i = i + 1) {}"),
    "sleeps": ("time_limit", "stopped after", "for (;;) pause();"),
    "crashes": ("crash", "SIGSEGV", "*reinterpret_cast<volatile int*>(8) = 1;"),
    "aborts": ("crash", "SIGABRT", "std::abort();"),
    "divides_by_zero": ("crash", "SIGFPE", "volatile int zero = 0; zero = 10 / zero;"),
    "recurses": (
        "crash",
        "SIGSEGV",
        "struct Deep { static int go(volatile char* up) { volatile char here[4096];"
        " here[0] = up[0]; return go(here) + here[0]; } }; char first[1] = {}; Deep::go(first);",
    ),
    "throws": ("cuda_error", "thrown on purpose", 'throw std::runtime_error("thrown on purpose");'),
    "exits": ("no_verdict", "exit code 0", "std::exit(0);"),
    "takes_memory": (
        "memory_limit",
        "memory",
        "std::vector<char*> all; for (;;) { all.push_back(new char[1 << 24]);"
        " std::memset(all.back(), 1, 1 << 24); }",
    ),
    "asks_for_memory": (
        "memory_limit",
        "bad_alloc",
        "volatile std::size_t much = std::size_t{1} << 45; char* volatile all = new char[much];" " delete[] all;",
    ),
    "prints_a_verdict": (
        "no_verdict",
        "exit code 0",
        'std::puts("{\\"nonce\\": \\"\\", \\"reason\\": \\"\\",'
        ' \\"text\\": \\"passed\\"}"); std::puts("all tests passed"); std::fflush(nullptr); _exit(0);',
    ),
    "writes_a_verdict": (
        "no_verdict",
        "exit code 0",
        'const char fake[] = "{\\"nonce\\": \\"0\\", \\"reason\\": \\"\\",'
        ' \\"text\\": \\"\\"}\\n"; for (int f = 3; f < 64; ++f) if (write(f, fake, sizeof fake - 1) < 0)'
        " continue; _exit(0);",
    ),
    "closes_every_pipe": ("no_verdict", "", "for (int f = 0; f < 64; ++f) close(f);"),
    "prints_without_end": ("no_verdict", "printed more than", 'for (;;) std::puts("' + "x" * 200 + '");'),
    "bombs": ("no_verdict", "processes", "for (;;) fork();"),
    "leaks": ("leak", "not freed", "int* d_lost; CUDA_CHECK(cudaMalloc(&d_lost, 64));"),
    # These are harmless and correct.
    "prints": ("", "", 'for (int i = 0; i < 1000; ++i) std::puts("' + "y" * 100 + '");'),
    "fills_its_tmp": (
        "",
        "",
        # Once per process: the answer is called for each test input, and writing takes a while.
        'static const int f = open("/tmp/big", O_CREAT | O_WRONLY, 0600); static char much[1 << 20];'
        " static int left = 200; for (; left > 0 && write(f, much, sizeof much) > 0; --left) {} left = 0;",
    ),
    "kills_what_it_sees": ("", "", "kill(-1, SIGKILL);"),
    "leaves_a_daemon": (
        "",
        "",
        "static bool once = false; if (!once && fork() == 0) { setsid(); if (fork() == 0)"
        " for (;;) pause(); _exit(0); } once = true;",
    ),
    "reads_the_solution": (
        "",
        "",
        'if (open("@SOLUTION@", O_RDONLY) >= 0 || open("@NEIGHBOUR@", O_RDONLY) >= 0)' " std::abort();",
    ),
    "writes_outside": (
        "",
        "",
        'for (const char* path : {"@MARK@", "@GRADER@", "mine", "/usr/bin/mine", "/mine"})'
        " if (open(path, O_CREAT | O_WRONLY, 0600) >= 0) std::abort();",
    ),
    "calls_home": (
        "",
        "",
        "sockaddr_in to{}; to.sin_family = AF_INET; to.sin_port = htons(@PORT@);"
        " to.sin_addr.s_addr = htonl(INADDR_LOOPBACK); int s = socket(AF_INET, SOCK_STREAM, 0);"
        " if (connect(s, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) std::abort(); close(s);",
    ),
}

# A kernel that is launched before the right thing is done.
ON_THE_DEVICE = {
    "loops_in_a_kernel": ("backend", "endless wait", "while (keys[0] == keys[0]) {}"),
    "waits_for_a_flag": (
        "backend",
        "endless wait",
        "if (threadIdx.x == 0) while (keys[1] != 77) {}\n" "    __syncthreads();\n" "    keys[1] = 77;",
    ),
    "meets_in_a_branch": ("backend", "divergent barrier", "if (threadIdx.x < 5) __syncthreads();"),
    "runs_off_the_end": ("out_of_bounds", "out of bounds", "if (threadIdx.x == 0) keys[100] = 1;"),
}

# Text above the right kernel and launcher.
ABOVE = {
    "does_not_compile": ("compile", "error", "int number = ;"),
    "includes_what_is_not_there": ("compile", "no_such_header.h", "#include <no_such_header.h>"),
    # Fatal: it cannot be read. If it could be, the errors would be about definitions made twice.
    "includes_the_solution": ("compile", "fatal error", '#include "@SOLUTION@"'),
    "swallows_the_rest": ("compile", "unterminated", "#if 0"),
    "defines_memcmp": (
        "forbidden",
        "memcmp",
        'extern "C" int memcmp(const void*, const void*, unsigned long) noexcept ' "{ return 0; }",
    ),
    "calls_the_grader": (
        "forbidden",
        "namespace 'grading'",
        "namespace grading { struct Grader { int run(int, char**); }; }"
        "\nint cheat() { return grading::Grader().run(0, nullptr); }",
    ),
    "ends_before_main": ("no_verdict", "exit code 0", "const bool ended = (std::exit(0), true);"),
    "expands_without_end": (
        "compile",
        "compiler",
        "#define A(x) x + x + x + x + x + x + x + x\n#define B(x) A(A(A(x)))\n" "int number = B(B(B(B(1))));",
    ),
}


# Another right way to do ch05/ex5; the kernel as CUDA's own samples hand it over.
COOPERATIVE = """\
#include <cooperative_groups.h>

__global__ void sort_kernel(int* keys, unsigned n) {
    const auto grid = cooperative_groups::this_grid();
    for (unsigned i = 2; i < 2 * n; i *= 2) {
        for (unsigned j = i / 2; j > 0; j /= 2) {
            compare(keys, n, blockIdx.x * blockDim.x + threadIdx.x, i, j);
            grid.sync();
        }
    }
}

void bitonic_sort(int* d_keys, std::size_t count) {
    unsigned n = static_cast<unsigned>(count);
    if (n == 0) return;
    void* arguments[] = {&d_keys, &n};
    CUDA_CHECK(cudaLaunchCooperativeKernel(@KERNEL@, blocks_for(n), kThreads, arguments));
}
"""
KERNELS = {"right_kernel": "sort_kernel", "right_void": "(void*)sort_kernel"}
KERNELS["right_const_void"] = "reinterpret_cast<const void*>(sort_kernel)"


@dataclass(frozen=True)
class Submission:
    """A student's name, the exercise, and what `solved`, `reason` and the text must be."""

    student: str
    exercise: str
    solved: bool
    reason: str
    says: str = ""
    shown: str = ""  # the student's name in the grades, if it is different


class Maker:
    """Writes students' folders below `folder`; `port`: one where the test listens."""

    def __init__(self, folder: Path, port: int):
        self.folder, self.port = folder, port
        found = exercises.find()
        self._exercises = {e.id: e for e in found if e.id in (WHOLE, NUMBERS, LINE)}
        self.made: list[Submission] = []

    def _right(self, name: str) -> str:
        return "\n".join(self._exercises[name].official.blank)

    def _file(self, name: str, blank: str) -> str:
        official = self._exercises[name].official
        return "\n".join([*official.before, *blank.split("\n"), *official.after]) + "\n"

    def _place(self, student: str, exercise: Exercise) -> Path:
        place = self.folder / student / exercise.folder / "exercises" / f"{exercise.name}.cu"
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _add(self, student: str, name: str, blank: str, reason: str, says: str = "") -> None:
        """A student whose blank holds this text."""
        for word, value in {
            "@SOLUTION@": self._exercises[name].solution,
            "@GRADER@": self._exercises[name].grader,
            "@NEIGHBOUR@": self.folder / "right_whole",
            "@MARK@": self.folder / "mark",
            "@PORT@": self.port,
        }.items():
            blank = blank.replace(word, str(value))
        self._raw(student, name, self._file(name, blank).encode(), reason, says)

    def _raw(self, student: str, name: str, data: bytes, reason: str, says: str = "") -> None:
        """A student whose file holds these bytes."""
        self._place(student, self._exercises[name]).write_bytes(data)
        self.made.append(Submission(student, name, not reason, reason, says))

    def make(self, in_turn: bool = False) -> list[Submission]:
        """in_turn: of the hostile ones a third each day; all after a change to what they attack."""
        self._right_and_wrong()
        self._hostile(in_turn)
        self._odd_files()
        self._odd_folders()
        return self.made

    def _right_and_wrong(self) -> None:
        for name, word in ((WHOLE, "whole"), (NUMBERS, "numbers"), (LINE, "line")):
            one = self._exercises[name]
            self._add(f"right_{word}", name, self._right(name), "")
            self._add(f"untouched_{word}", name, "\n".join(one.notes.blank), "not_begun")
            for number, wrong in enumerate(one.notes.wrong, 1):
                # For a class the report does not say which number is wrong.
                says = "Not every predicted number is right" if wrong.fails == "prediction" else wrong.says
                self._add(f"wrong_{word}_{number}", name, "\n".join(wrong.blank), wrong.fails, says)
        for student, kernel in KERNELS.items():
            self._add(student, WHOLE, COOPERATIVE.replace("@KERNEL@", kernel), "")
        windows = self._file(LINE, self._right(LINE)).replace("\n", "\r\n")
        self._raw("right_from_windows", LINE, b"\xef\xbb\xbf" + windows.encode(), "")
        changed = self._file(LINE, self._right(LINE)).replace("#include <cuda_runtime.h>", "#include <nothing.h>")
        self._raw("right_and_changed_outside", LINE, changed.encode(), "", "outside the blank, was changed")

    def _hostile(self, in_turn: bool) -> None:
        def todays(tricks: dict) -> list:
            return todays_part(list(tricks.items()), 3 if in_turn else 1, ATTACKED)

        right = self._right(WHOLE)
        begins = self._launcher_begins(right)
        before, after = right[:begins], right[begins:]
        for student, (reason, says, code) in todays(ON_THE_HOST):
            self._add(student, WHOLE, HEADERS + before + "    " + code + "\n" + after, reason, says)
        for student, (reason, says, code) in todays(ON_THE_DEVICE):
            kernel = f"__global__ void mine_kernel(volatile int* keys) {{\n    {code}\n}}\n"
            launch = "    if (count > 1) mine_kernel<<<1, 64>>>(d_keys);\n    CUDA_CHECK_LAUNCH();\n"
            self._add(student, WHOLE, kernel + before + launch + after, reason, says)
        for student, (reason, says, code) in todays(ABOVE):
            self._add(student, WHOLE, HEADERS + code + "\n" + right, reason, says)
        self._add("renames_the_launcher", WHOLE, right.replace("bitonic_sort", "my_sort"), "compile", "bitonic_sort")

    def _launcher_begins(self, right: str) -> int:
        found = re.search(r"void bitonic_sort\([^)]*\) \{\n", right)
        assert found, "the launcher of the exercise has another name: change this test"
        return found.end()

    def make_forbidden(self) -> list[Submission]:
        """Students whose blanks are refused before they run, a quarter of them each day, and two whose blanks are
        right."""
        right = self._right(WHOLE)
        every = list(adversarial.blanks(right, self._launcher_begins(right)).items())
        assert len(every) >= 118
        for student, text in todays_part(every, 4):
            is_brace = student.startswith("closed_brace") and student not in adversarial.FORBIDDEN_BRACES
            words = ("compile", "error:") if is_brace else ("forbidden", "not allowed here")
            self._add(student, WHOLE, text, *words)
        self._add("right_whole", WHOLE, right, "")
        self._add("right_with_headers", WHOLE, "#include <cstdio>\n#include <vector>\n" + right, "")
        return self.made

    def _odd_files(self) -> None:
        right = self._file(LINE, self._right(LINE)).encode()
        no_markers = b"\n".join(line for line in right.split(b"\n") if b"TODO" not in line)
        self._raw("no_markers", LINE, no_markers, "unreadable", "TODO")
        self._raw("empty", LINE, b"", "unreadable", "TODO")
        self._raw("binary", LINE, bytes(range(256)) * 64, "unreadable", "not UTF-8")
        self._raw("zeros", LINE, right + b"\0", "unreadable", "zero byte")
        self._raw("latin_1", LINE, right + b"// gr\xfc\xdfe\n", "unreadable", "not UTF-8")
        self._raw("much", LINE, right + b"// much\n" * (1 << 18), "unreadable", "larger than 1 MiB")
        one = self._exercises[LINE]

        def odd(student: str, reason: str, says: str) -> Path:
            self.made.append(Submission(student, LINE, False, reason, says))
            return self._place(student, one)

        os.symlink(one.solution, odd("link_to_the_solution", "unreadable", "symbolic link"))
        os.symlink("/nowhere", odd("link_to_nothing", "unreadable", "symbolic link"))
        odd("a_folder", "unreadable", "is not a file").mkdir()
        os.mkfifo(odd("a_pipe", "unreadable", "is not a file"))
        twice = odd("two_files", "unreadable", "several files")
        for name in ("ex1_mine.cu", "ex1_yours.cu"):
            twice.with_name(name).write_bytes(right if name == "ex1_mine.cu" else right.replace(b"// END", b"\n// END"))
        linked = self.folder / "linked_folder" / one.folder
        linked.mkdir(parents=True)
        os.symlink(one.solution.parent, linked / "exercises")
        self.made.append(Submission("linked_folder", LINE, False, "missing", "no file"))

    def _odd_folders(self) -> None:
        right = self._file(LINE, self._right(LINE)).encode()
        one = self._exercises[LINE]

        def place(student: str, *names: str, shown: str = "") -> None:
            path = self.folder.joinpath(student, *names)
            path.parent.mkdir(parents=True)
            path.write_bytes(right)
            self.made.append(Submission(student, LINE, True, "", "", shown))

        chapter = one.folder.split("_")[0]
        place("short_names", chapter, "ex1.cu")
        place("wrapped", "tutorial-main", one.folder, "exercises", f"{one.name}.cu")
        formula = '=1+2,"a"; rm -rf'
        place(formula, chapter, "ex1.cu", shown="'" + formula)
        odd = os.fsdecode(b"gr\xfc\xdfe\nund <mehr> & \x1b[31m")
        place(odd, chapter, "ex1.cu", shown="gr\ufffd\ufffde\ufffdund <mehr> & \ufffd[31m")
        (self.folder / "nothing in it").mkdir()
        self.made.append(Submission("nothing in it", LINE, False, "unreadable", "nothing is in it"))
        (self.folder / "notes.txt").write_text("no folder\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("submissions.py: say the folder that is to be made, and nothing else")
    target = Path(sys.argv[1])
    target.mkdir(parents=True)
    for each in Maker(target, 9).make():
        print(ascii(each.student), each.exercise, each.reason or "solved")
