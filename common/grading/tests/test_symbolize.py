"""The line at which a program was stopped."""

import shutil
import subprocess
import unittest

import support
from grading.process import limited_process, symbolize

PROGRAM = """\
#include <cstdio>
#include <cstring>
__attribute__((noinline)) int loops(int n) {
    int sum = 0;
#line 77 "%s"
    for (volatile int i = 0; i < n; i = i + 1) sum += i;
    return sum;
}
int main() { std::printf("%%d", loops(3)); }
"""


@unittest.skipUnless(shutil.which("addr2line") and shutil.which("nm") and shutil.which("c++"), "needs binutils and c++")
class Places(unittest.TestCase):
    def test_the_innermost_line_of_the_learners_file(self):
        exercise = support.small_tutorial(self)
        folder = exercise.root
        name = exercise.root / "learner.cu"
        name.write_text("\n" * 77 + "    return sum;\n", encoding="utf-8")
        source, program = exercise.root / "p.cpp", exercise.root / "p"
        source.write_text(PROGRAM % name, encoding="utf-8")
        subprocess.run(["c++", "-g", "-gdwarf-4", "-O1", str(source), "-o", str(program)], check=True)
        listed = subprocess.run(["nm", str(program)], stdout=subprocess.PIPE, text=True, check=True).stdout
        address = next(int(line.split()[0], 16) for line in listed.splitlines() if line.endswith(" T _Z5loopsi"))
        inside = " ".join(f"{address + step:x}" for step in range(0, 64, 4))
        said = symbolize.learners_line(str(program), f"zz {inside}", name, folder, limited_process.run)
        self.assertRegex(said, r"^It was at learner.cu:7[789], or in a function called there:\n     7[789] \| ")
        self.assertEqual(
            symbolize.learners_line(str(program), inside, exercise.learner, folder, limited_process.run), ""
        )
        self.assertEqual(symbolize.learners_line(str(program), "", name, folder, limited_process.run), "")
        self.assertEqual(
            symbolize.learners_line(str(exercise.root / "none"), inside, name, folder, limited_process.run), ""
        )


if __name__ == "__main__":
    unittest.main()
