"""Refused words."""

import subprocess
import sys

import sample_repository
import terms

LIST = r"""# a comment

(?i:CPU backend) | emulator | all
Job | plain arguments | names:ch*_
floors? | threshold | all:ch06
probe | test | code:common/
"""


class Terms(sample_repository.RepositoryTest):
    def check(self, **files):
        """What is refused, as "file:line word"; `ch06__a_dot_cu` is ch06/a.cu."""
        self.write("terms_of_test.list", LIST)
        for name, text in files.items():
            self.write(name.replace("__", "/").replace("_dot_", "."), text)
        found = terms.check(self.root, terms.read(self.root / "terms_of_test.list"))
        return [f"{each.file}:{each.line} {each.written}" for each in found]

    def test_everywhere_in_any_case_and_across_lines(self):
        text = "One\nthe cpu backend. The CPU\nbackend, CPU  backends, a CPU-backend\n"
        self.assertEqual(self.check(docs__a_dot_md=text), ["docs/a.md:2 CPU backend", "docs/a.md:2 cpu backend"])
        comment = "int a;\n    /// of the CPU\n    /// backend\n"
        self.assertEqual(self.check(common__a_dot_hpp=comment, docs__a_dot_md=""), ["common/a.hpp:2 CPU /// backend"])

    def test_names_are_code_and_what_a_text_shows_as_code(self):
        source = '// Job in a comment\nstruct Job {};\nconst char* a = "Job";\nJobs b;\nint my_Job;\n'
        self.assertEqual(self.check(ch01_one__a_dot_cu=source), ["ch01_one/a.cu:2 Job"])
        text = "Job as a word, `Job<int>` as a name\n```\nJob a;\n```\n"
        self.assertEqual(
            self.check(ch01_one__a_dot_cu="", ch01_one__a_dot_md=text),
            ["ch01_one/a.md:1 Job", "ch01_one/a.md:3 Job"],
        )

    def test_a_term_is_refused_where_it_was_dialect(self):
        text = "the floors of a house\n"
        self.assertEqual(
            self.check(ch06__a_dot_md=text, ch05__a_dot_md=text, docs__a_dot_md=text), ["ch06/a.md:1 floors"]
        )
        self.assertEqual(self.check(ch06__a_dot_md="Job\n", common__a_dot_cu="Job j;\n"), [])

    def test_code_and_its_comments_but_no_text(self):
        self.assertEqual(
            self.check(common__a_dot_cu="// probe\nint probe;\n", common__a_dot_md="probe\n"),
            ["common/a.cu:1 probe", "common/a.cu:2 probe"],
        )

    def test_what_is_recorded_or_built_is_left_alone(self):
        text = "CPU backend\n"
        self.assertEqual(self.check(docs__results__cpu__a_dot_txt=text, build__a_dot_md=text, docs__a_dot_svg=text), [])

    def test_the_page_of_the_results_is_written_by_hand(self):
        self.assertEqual(
            self.check(docs__results__README_dot_md="CPU backend\n"), ["docs/results/README.md:1 CPU backend"]
        )

    def test_scripts(self):
        text = '"""Job"""\na = "Job"  # Job\nJob = 1\n'
        self.assertEqual(self.check(ch01_one__a_dot_py=text), ["ch01_one/a.py:3 Job"])

    def test_the_message_says_what_to_write(self):
        found = terms.Found("a.md", 3, "Job", "plain arguments")
        self.assertEqual(str(found), "a.md:3: 'Job' is not used in this repository: write plain arguments")

    def test_a_line_that_is_not_as_it_should_be(self):
        for line in ("Job\n", "Job | a | everywhere\n", "Job | a | names:x texts\n"):
            with self.subTest(line), self.assertRaises(ValueError):
                terms.read(self.write("bad.list", line))

    def test_the_list_of_this_repository(self):
        listed = terms.read()
        self.assertGreater(len(listed), 40)
        for term in listed:
            for scope in term.scopes:
                self.assertNotIn("", [term.instead, scope.kind])

    def test_some_paths(self):
        for name in ("docs/a.md", "ch01_a/a.md"):
            self.write(name, "the CPU backend\n")
        self.assertEqual([each.file for each in terms.check(self.root, below=("docs/",))], ["docs/a.md"])

    def test_the_right_words_are_not_refused(self):
        """The suggested words must not be rejected themselves, nor must ordinary English."""
        text = """The threshold of a segment; `radix_key`, `order_mask`, `KeyIndex`, `StatusWord`, `SortKey`.
        Passes over the banks; ranks of MPI; a record of the times; many GPUs; it takes its place in the queue.
        The emulator watches a CPU; backends of the harness; a hole in the ice; launch overhead; programmatic launch.
        """
        source = "int max_index, lead, at_or_above, segments, passes; float a = floorf(x) + std::floor(y);\n"
        self.write("ch06_topk/a.md", text)
        self.write("ch05_merge_bitonic/a.cu", source)
        self.assertEqual(terms.check(self.root), [])


class Program(sample_repository.RepositoryTest):
    def test_for_some_paths(self):
        done = subprocess.run([sys.executable, terms.__file__, "nowhere/"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "no refused word\n"))
