"""The examples of the texts: found, named correctly, and run."""

import sample_repository
import examples

TEXT = """
    ./tutorial run ch01 --n 4097   other data
    ./tutorial run | test  a form
Say `./tutorial check ch01/ex2` or `./tutorial run chNN`.

```
$ ./tutorial explain ch01 --faults
./tutorial run ch01 --label "a b"
```
"""


class Examples(sample_repository.RepositoryTest):
    def setUp(self):
        super().setUp()
        self.write("ch01_bubble/exercises/ex2_end.cu", "")

    def program(self, name, code):
        self.write(f"bin/{name}", f'#!/bin/sh\necho "$@"\necho it broke >&2\nexit {code}\n').chmod(0o755)

    def test_commands_of_a_text(self):
        found = [(e.place, e.words) for e in examples.commands(TEXT, "a.md")]
        self.assertEqual(
            found,
            [
                ("a.md:2", ("run", "ch01", "--n", "4097")),
                ("a.md:4", ("check", "ch01/ex2")),
                ("a.md:7", ("explain", "ch01", "--faults")),
                ("a.md:8", ("run", "ch01", "--label", "a b")),
            ],
        )

    def test_each_command_is_collected_once(self):
        self.write("a.md", TEXT)
        self.write("docs/b.md", TEXT)
        self.assertEqual(len(examples.collect(self.root)), 4)

    def test_chapters_and_exercises_must_exist(self):
        for words, wrong in (
            (("check", "ch01/ex2"), ""),
            (("check", "ch01"), ""),
            (("run", "first"), ""),
            (("check", "first/ex1"), "first_kernel has no exercise ex1"),
            (("run", "a/b.cu"), "there is no file a/b.cu"),
            (("run", "my.cu"), ""),
            (("run", "~/cuda/my.cu"), ""),
            (("run", "ch01_bubble/exercises/ex2_end.cu"), ""),
            (("check", "ch01/ex9"), "ch01_bubble has no exercise ex9"),
            (("run", "ch09"), "no chapter is called ch09"),
        ):
            self.assertEqual(examples.wrong_names(examples.Example("a.md:1", words), self.root), wrong)

    def test_which_examples_take_several_gpus(self):
        for words, many in (
            (("run", "ch01", "--gpus", "2"), True),
            (("run", "ch01", "--gpu"), False),
            (("explain", "ch01"), False),
        ):
            self.assertEqual(examples.takes_multi_gpu(examples.Example("a.md:1", words)), many)

    def test_a_command_becomes_a_call(self):
        def call(*words):
            return examples.calls(examples.Example("a.md:1", words), self.root / "bin", self.root)

        folder = str(self.root / "bin/ch01_bubble")
        self.assertEqual(call("run", "ch01", "--cpu", "--n", "3"), [[f"{folder}_cpu", "--n", "3"]])
        self.assertEqual(call("explain", "ch01"), [[f"{folder}_lab", "--explain"]])
        self.assertEqual(call("explain", "ch01", "--faults"), [[f"{folder}_lab", "--faults"]])
        self.assertEqual(call("check", "ch01"), [])

    def test_what_fails_says_why(self):
        self.program("good", 0)
        self.program("bad", 2)
        self.assertEqual(examples.failure([str(self.root / "bin/good"), "x"]), "")
        self.assertEqual(examples.failure([str(self.root / "bin/bad")]), "exit code 2: it broke")
        self.assertEqual(examples.failure([str(self.root / "bin/absent")]), "absent is not built")
