"""Your own programs: requests, and the message for a wrong one. Nothing is compiled."""

import os
import tempfile
import unittest
from pathlib import Path

from building.errors import USAGE, Refused
from tutorial import own_build
from tutorial.own_request import FIRST, is_meant, parse


class OwnProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        Path("my files").mkdir()
        for name in ("a.cu", "my files/b.cu", "c.cpp", "d.cuh"):
            Path(name).write_text("", encoding="utf-8")

    def refused(self, words, text, verb="run"):
        with self.assertRaises(Refused) as raised:
            parse(words, verb)
        self.assertEqual(raised.exception.code, USAGE)
        self.assertIn(text, str(raised.exception))
        self.assertNotIn("\n", str(raised.exception))

    def test_files_are_told_from_chapters(self):
        for words in (["a.cu"], ["first"], ["--cpu", "x/y.cu"], ["c.cpp"], ["d.cuh"], ["nowhere.cu", "--", "ch01"]):
            self.assertTrue(is_meant(words), words)
        for words in ([], ["ch01"], ["ch01", "--n", "5"], ["ch01", "--", "a.cu"], ["--list"], ["nowhere"]):
            self.assertFalse(is_meant(words), words)
        Path("ch01_bubble").mkdir()
        for words in (["ch01_bubble"], ["ch01", "--csv", "my files"]):
            self.assertFalse(is_meant(words), words)
        for words in (["my files"], ["/dev/null"], ["--cpu", "my files"]):
            self.assertTrue(is_meant(words), words)

    def test_files_options_and_the_programs_own(self):
        request = parse(
            [
                "a.cu",
                "--cpu",
                "my files/b.cu",
                "c.cpp",
                "-I",
                "my files",
                "-I.",
                "--compile-option=-DX=1",
                "--compile-option",
                "-O0",
                "-lm",
                "-Lx",
                "--",
                "--cpu",
                "a b",
                "--",
            ],
            "run",
        )
        self.assertEqual([s.shown for s in request.sources], ["a.cu", "my files/b.cu", "c.cpp"])
        self.assertEqual([s.is_cuda for s in request.sources], [True, True, False])
        self.assertEqual(request.sources[1].path, Path("my files/b.cu").resolve())
        here = Path.cwd().resolve()
        self.assertEqual(request.compiler_options, (f"-I{here / 'my files'}", f"-I{here}", "-DX=1", "-O0"))
        self.assertEqual(request.link_options, ("-lm", f"-L{here / 'x'}"))
        self.assertEqual(request.arguments, ("--cpu", "a b", "--"))
        self.assertEqual((request.backend, request.faults, request.order), ("cpu", False, ""))

    def test_explain_looks_for_faults_in_any_order(self):
        request = parse(["a.cu", "--faults", "--order", "shuffle:7"], "explain")
        self.assertEqual((request.faults, request.order), (True, "shuffle:7"))

    def test_counts_and_traces_go_to_files(self):
        request = parse(["a.cu", "--json", "my files/counts.json"], "explain")
        self.assertEqual((request.json, request.trace), (str(Path("my files/counts.json").resolve()), ""))
        request = parse(["a.cu", "--faults", "--trace=steps.json"], "explain")
        self.assertEqual((request.trace, request.faults), (str(Path("steps.json").resolve()), True))
        self.refused(["a.cu", "--json", "nowhere/x.json"], "--json nowhere/x.json: cannot write there", "explain")
        self.refused(["a.cu", "--trace", "my files"], "--trace my files: cannot write there", "explain")
        self.refused(["a.cu", "--json", "x.json", "--faults"], "need a run of their own", "explain")
        self.refused(["a.cu", "--json", "x.json"], "'--json' is not an option of run")

    def test_first_is_the_first_kernel(self):
        self.assertEqual(parse(["first"], "run").sources[0].path, FIRST)
        self.assertTrue(FIRST.is_file())

    def test_what_is_wrong_is_said_in_a_line(self):
        self.refused(["nowhere.cu"], "there is no file 'nowhere.cu'")
        self.refused(["my files", "a.cu"], "'my files' is a folder: name its files, such as my files/*.cu")
        self.refused(["d.cuh"], "'d.cuh' is a header")
        self.refused(["a.cu", "ch01"], "'ch01': a program consists of files")
        self.refused(["/dev/null"], "'/dev/null' is not an ordinary file")
        Path("notes").write_text("", encoding="utf-8")
        self.refused(["notes"], "'notes' ends with neither .cu nor .cpp")
        for option in ("-fopenmp", "-O3", "-DN=3", "-std=c++20", "-arch=sm_90"):
            self.refused(
                ["a.cu", option], f"'{option}': an option of the compiler is written --compile-option {option}"
            )
        self.refused(["a.cu", "--n", "5"], "'--n' is not an option of run; those of the program come after --")
        self.refused(["a.cu", "--faults"], "'--faults' is not an option of run")
        self.refused(["a.cu", "-I"], "-I needs a folder")
        self.refused(["a.cu", "-I", "nowhere"], "there is no folder 'nowhere'")
        self.refused(["a.cu", "--compile-option"], "--compile-option needs a value")
        self.refused(["a.cu", "--order", "random"], "--order 'random': allowed: forward", "explain")
        self.refused(["a.cu", "--order=shuffle:x"], "--order 'shuffle:x'", "explain")
        self.refused(["a.cu", "--cpu", "--gpu"], "only one of them")
        self.refused(["--cpu", "--", "a.cu"], "no file is named")

    def test_names_of_a_depfile(self):
        depfile = Path("x.d")
        depfile.write_text("out.o: /a/b.cu \\\n  /with\\ a/space.h \\\n /c.h\n", encoding="utf-8")
        self.assertEqual(own_build._names(depfile), ["/a/b.cu", "/with a/space.h", "/c.h"])
        self.assertEqual(own_build._names(Path("nowhere.d")), [])


if __name__ == "__main__":
    unittest.main()
