"""Refused sentences."""

import subprocess
import sys

import sample_repository
import sentences

WRONG = (
    "Two keys a thread.",
    "It has 1,024 threads a block, and more.",
    "One block a multiprocessor, no more.",
    "It runs on the device, too.",
    "Memory that nobody has written.",
    "Whoever is quick wins.",
    "It belongs into the loop.",
    "This says nothing of a GPU.",
    "What the check says of each exercise.",
    "It has a look into the table.",
    "The device has done nothing for it.",
    "Programs of one's own are run.",
    "They are equal but for their names.",
    "It is so known to 1 %.",
    "Bytes by the time it took.",
    "several of very many",
    "257 is no multiple of 32",
    "It waits for ever.",
    "Who has a key puts it there.",
    "All threads come to the barrier.",
    "The fault is mended.",
    "A word, be it from memory or not.",
    "It stands inside of the loop.",
    "4 bytes behind the end of the array.",
    "A barrier behind the loop is missing.",
    "Half of the threads wait.",
    "It is <!-- value a b c -->1.25<!-- /value -->\ntimes as fast as that one.",
    "It takes 1.05 times as long.",
    "Sizes 4097 and 100,003.",
    "An array of 21,120 items. The next launch leaves 3300 of them.",
    "Let the blocks meet at the barrier.",
    "No block waits to be told.",
    "A thread that polls gives way to others.",
    "What came of it is shown.",
    "It is declared outside of a function.",
    "A full set takes another way.",
    "All lanes wait for the long way.",
    "What remains is the way of the keys.",
    "Counts are taken at few sizes.",
    "A block needs two barriers fewer.",
    "The k-th largest of the bests is found.",
    "Thread 0 draws the next number.",
    "The fault's cure is a barrier.",
    "If more than 128 threads have, it rises.",
    "Where buckets are few, all blocks wait.",
    "When does it stop to help?",
    "The threads of a block meet.",
    "Every key searches in every level.",
    "The compiler comes once.",
    "A sum at the speed of the memory.",
    "It is not slower than that stage.",
    "It is slower (0.95 times as fast) than that stage.",
)
RIGHT = """The upper half of the picture. Half the threads wait.
Two keys per thread. The 32 keys a warp holds are one row. Four keys a thread can hold. Two lanes share a
sector. One of a block's threads adds. It is too long, too. short. That is so, too many. It is as long as a step.
It is too late; not for the key but for the index. Whole blocks as a rank. One thread of a block. At least two.
Thread 5 overwrites an item. Lane 3 gets a word.
"Two plus three is five lines a page can hold." One process a GPU shares runs. Ten steps across a row.
Who has a key? A thread that comes to a row. The inside of that block.
Where the keys are is known. With few exceptions. The thread draws a picture. The block has a few keys. It is a way to
go. One step more than that. Let the paths meet. If one has, it is done.
It is 1.5 times as fast, or 21.4 times as fast. In 2014 it took 3,217 us, and by 2028 1,000,003.
"""


class Sentences(sample_repository.RepositoryTest):
    def check(self, text, name="docs/a.md"):
        self.write(name, text)
        return [f"{each.file}:{each.line} {each.written}" for each in sentences.check(self.root)]

    def test_each_wrong_sentence(self):
        for text in WRONG:
            self.assertEqual(len(self.check(f"A line.\n\n{text}\n")), 1, text)

    def test_right_ones(self):
        self.assertEqual(self.check(RIGHT.replace("too long, too. short", "too long")), [])

    def test_across_lines_but_not_across_code(self):
        self.assertEqual(self.check("a\ntwo keys\na thread\n"), ["docs/a.md:2 two keys a thread"])
        for text in ("`two keys a thread`", "```\ntwo keys a thread\n```", "    two keys a thread", "two `x` a thread"):
            self.assertEqual(self.check(text), [], text)

    def test_some_paths(self):
        for name in ("docs/a.md", "ch01_a/a.md"):
            self.write(name, "two keys a thread\n")
        self.assertEqual([each.file for each in sentences.check(self.root, below=("docs/",))], ["docs/a.md"])

    def test_messages_and_comments_but_no_code(self):
        source = '// two keys a thread\nsay("holds two keys a thread");\nint too; f(a, too);\n'
        self.assertEqual(
            self.check(source, "ch01_a/main.cu"), [f"ch01_a/main.cu:{line} two keys a thread" for line in (1, 2)]
        )
        (self.root / "ch01_a/main.cu").unlink()
        script = 'say("two keys a thread")\ntwo = keys_a_thread  # `two keys a thread`\n'
        self.assertEqual(self.check(script, "common/a.py"), ["common/a.py:1 two keys a thread"])

    def test_strings_that_become_one(self):
        for name, source in (
            ("common/a.cpp", 'say("two keys "\n    "a thread");\n'),
            ("common/a.py", 'say("two keys "\n    f"a thread {n}")\n'),
            ("docs/a.mjs", "say('two keys ' +\n    `a thread ${n}`);\n"),
        ):
            self.assertEqual(self.check(source, name), [f"{name}:1 two keys a thread"])
            (self.root / name).unlink()
        self.assertEqual(self.check('say("two keys ", "a thread");\n', "common/a.cpp"), [])

    def test_comments(self):
        source = (
            "int a;\n  /// It has two keys\n  /// a thread.\nint b;  // two keys a thread\n/* two keys a thread */\n"
        )
        said = ["a.hpp:2 two keys a thread", "a.hpp:4 two keys a thread", "a.hpp:5 two keys a thread"]
        self.assertEqual(self.check(source, "common/a.hpp"), [f"common/{each}" for each in said])
        self.assertEqual(self.check("// two keys\nint x;\n// a thread\n", "common/a.hpp"), [])
        (self.root / "common/a.hpp").unlink()
        script = '"""two keys a thread"""\nx = 1  # two keys a thread\n# It has two keys\n# a thread.\n'
        said = ["a.py:1 two keys a thread", "a.py:2 two keys a thread", "a.py:3 two keys a thread"]
        self.assertEqual(self.check(script, ".ci/a.py"), [f".ci/{each}" for each in said])

    def test_the_message_says_what_to_write(self):
        found = sentences.Found("a.md", 3, ", too", "also")
        self.assertEqual(str(found), "a.md:3: ', too' is not how we put it: write also")

    def test_a_line_that_is_not_as_it_should_be(self):
        for line in ("nobody has\n", "nobody has | \n"):
            with self.subTest(line), self.assertRaises(ValueError):
                sentences.read(self.write("bad.list", line))

    def test_for_some_paths(self):
        done = subprocess.run([sys.executable, sentences.__file__, "nowhere/"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "no refused sentence\n"))
