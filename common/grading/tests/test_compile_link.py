"""From source to program in one script: what each step says, with a real compiler and linker."""

import os
import shutil
import subprocess
import unittest

import support
from grading.check import compile_link
from grading.check.build import Backend
from grading.rules import symbols

GRADER = """#include <cstring>
int twice(int* numbers, int count);
// Not the library's: what goes through them can be told.
extern "C" void* lab_memcpy(void* to, const void* from, std::size_t bytes) {
    return std::memmove(to, from, bytes - 4);
}
extern "C" void* lab_memmove(void* to, const void* from, std::size_t bytes) {
    return std::memmove(to, from, bytes - 4);
}
extern "C" void* lab_memset(void* to, int value, std::size_t bytes) {
    return std::memset(to, value, bytes - 4);
}
int main() {
    int numbers[] = {1, 2, 3, 4};
    return twice(numbers, 4);
}
"""
PLAIN = "int twice(int* numbers, int) { return 2 * numbers[0]; }\n"
MOVES = """#include <algorithm>
int twice(int* numbers, int count) {
    std::copy(numbers, numbers + count - 1, numbers + 1);
    return numbers[3];
}
"""
# Calls of a function that no header has replaced; if it is the library's own, each returns a different number.
UNSEEN = {
    "by a reference": "void* (&copy)(void*, const void*, std::size_t) = memcpy; copy(numbers + 2, numbers, 8);",
    "by a pointer": "void* (*volatile move)(void*, const void*, std::size_t) = memmove; move(numbers + 2, numbers, 8);",
    "a fill by a pointer": "void* (*volatile fill)(void*, int, std::size_t) = memset; fill(numbers, 0, count * 4);",
    "std::fill on bytes": "char* b = reinterpret_cast<char*>(numbers); std::fill(b, b + 4 * count, char{0});",
}


@unittest.skipUnless(all(map(shutil.which, ("g++", "readelf", "objcopy"))), "needs g++, readelf and objcopy")
class CompileLinkTest(unittest.TestCase):
    def setUp(self):
        exercise = support.small_tutorial(self)
        self.folder = exercise.root / "it's here"
        self.folder.mkdir()
        grader = exercise.root / "grader.o"
        subprocess.run(["g++", "-x", "c++", "-c", "-", "-o", str(grader)], input=GRADER, text=True, check=True)
        backend = Backend(
            "lab",
            exercise.root,
            "g++",
            # Ubuntu's g++ replaces memcpy() by itself; what the lab replaces is in lab/memory_calls.hpp.
            ["-O2", "-Wall", "-fno-builtin", "-U_FORTIFY_SOURCE"],
            [],
            [],
            {"ch01/ex1": ["target", str(grader)]},
            {"ch01/ex1": "judge"},
        )
        self.steps = compile_link.CompileLink(exercise, backend, self.folder)

    def make(self, code: str) -> subprocess.CompletedProcess:
        source = self.folder / "attempt.cpp"
        source.write_text(code)
        return subprocess.run(
            self.steps.command(source), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )

    def result(self) -> int:
        return subprocess.run([str(self.steps.program)], check=False).returncode

    def test_the_program_runs_and_its_names_are_known(self):
        done = self.make(PLAIN)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(self.result(), 2)
        self.assertIn("_Z5twicePii", self.steps.names())
        self.assertEqual(symbols.complaint(self.steps.names()), "")

    def test_what_the_library_copies_goes_through_the_lab(self):
        self.assertEqual(self.make(MOVES).returncode, 0)
        self.assertEqual(self.result(), 4, "with the library's own memmove it would be 3")

    def test_no_way_to_memory_goes_past_the_lab(self):
        for how, code in UNSEEN.items():
            head = "#include <algorithm>\n#include <cstring>\n"
            done = self.make(f"{head}int twice(int* numbers, int count) {{ {code} return numbers[3]; }}\n")
            self.assertEqual((done.returncode, done.stdout), (0, ""), how)
            self.assertEqual(self.result(), 4, how)

    def test_no_step_writes_what_another_one_has_made(self):
        # The linked object is not the compiled one, but the listed names are those of the compiled one.
        self.assertEqual(self.make(MOVES).returncode, 0)
        listed = subprocess.run(
            symbols.command(str(self.folder / "attempt.o")), stdout=subprocess.PIPE, text=True, check=True
        )
        self.assertEqual(listed.stdout, self.steps.names())
        self.assertRegex(self.steps.names(), r"(?m) UND memmove$")

    def test_what_the_compiler_says_ends_it(self):
        done = self.make("int twice(int*, int) { return x; }\n")
        self.assertNotIn(done.returncode, (0, compile_link.NO_NAMES, compile_link.NOT_WATCHED, compile_link.NOT_LINKED))
        self.assertIn("error: ", done.stdout)
        self.assertFalse(self.steps.program.exists())
        self.assertIsNone(self.steps.names())

    def test_the_linker_is_heard_without_the_compiler(self):
        done = self.make("int other(int* a, int) { int unused; return 0; }\n")
        self.assertEqual(done.returncode, compile_link.NOT_LINKED)
        self.assertIn("undefined reference", done.stdout)
        self.assertNotIn("warning", done.stdout)
        self.assertIn("_Z5otherPii", self.steps.names(), "its names are looked at all the same")

    def test_names_that_cannot_be_listed(self):
        source = self.folder / "attempt.cpp"
        source.write_text(PLAIN)
        words = self.steps.command(source)
        words[2] = words[2].replace("readelf", "false", 1)
        done = subprocess.run(words, check=False)
        self.assertEqual(done.returncode, compile_link.NO_NAMES)

    def test_a_list_that_is_no_file_or_too_long_is_none(self):
        self.assertEqual(self.make(PLAIN).returncode, 0)
        names = self.folder / "attempt.names"
        with open(names, "ab") as file:
            file.truncate((16 << 20) + 1)
        self.assertIsNone(self.steps.names())
        names.unlink()
        names.symlink_to("/etc/passwd")
        self.assertIsNone(self.steps.names())
        names.unlink()
        os.mkfifo(names)
        self.assertIsNone(self.steps.names())
        names.unlink()
        self.assertIsNone(self.steps.names())


if __name__ == "__main__":
    unittest.main()
