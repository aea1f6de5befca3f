"""Recorded outputs of explain against the current sources."""

import json

import sample_repository
import recordings

SOURCE = """// a comment
void f() {
    a[i] = b[i];
    __syncthreads();
    sum += a[i];
    __syncthreads();
}
"""
TEXT = """ch01_bubble: n = 4

slow: one block
     line  memory             requests
        3  a[i] = b[i];
          global load              16   32.0    4.00 sectors      4.00
        6  __syncthreads();
       12  of 32 lanes
"""


def row(line, source, file="main.cu"):
    return {"file": file, "line": line, "source": source, "operation": "load"}


class Recordings(sample_repository.RepositoryTest):
    def setUp(self):
        super().setUp()
        self.write("ch01_bubble/main.cu", SOURCE)

    def json(self, *rows):
        report = {"schema": "x", "stages": [{"kernels": [{"rows": list(rows)}]}]}
        return self.write("docs/results/cpu/ch01_explain.json", json.dumps(report) + "\n")

    def check(self, path, write=False):
        return recordings.check(path, self.root, write)

    def test_numbers_that_are_right(self):
        path = self.json(row(3, "a[i] = b[i];"), row(5, "sum += a[i];"), row(3, "a[i] = ..."))
        self.assertEqual(self.check(path), (False, []))
        self.assertEqual(recordings.recordings(self.root), [path])

    def test_a_legend_is_todays(self):
        self.write("docs/first_kernel/explain.txt", "212 F\n\nHow to read it\n  step  a stretch of code\n")
        path = self.write("docs/results/cpu/ch01_explain.txt", "counts\n\nHow to read it\n  step  a basic block\n")
        self.assertIn("is not that of", recordings.legend(path, self.root)[0])
        self.write("docs/results/cpu/ch01_explain.txt", "counts\n\nHow to read it\n  step  a stretch of code\n")
        self.assertEqual(recordings.legend(path, self.root), [])

    def test_lines_that_moved_are_found_and_renumbered(self):
        path = self.json(row(3, "a[i] = b[i];"), row(4, "__syncthreads();"), row(6, "__syncthreads();"))
        self.write("ch01_bubble/main.cu", "\n\n" + SOURCE)
        before = path.read_text()
        self.assertEqual(self.check(path), (True, []))
        self.assertEqual(path.read_text(), before)
        self.assertEqual(self.check(path, write=True), (True, []))
        rows = json.loads(path.read_text())["stages"][0]["kernels"][0]["rows"]
        self.assertEqual([r["line"] for r in rows], [5, 6, 8])
        self.assertEqual(self.check(path), (False, []))

    def test_a_line_that_moved_into_another_file(self):
        path = self.json(row(3, "a[i] = b[i];"))
        self.write("ch01_bubble/main.cu", "int main() {}\n")
        self.write("ch01_bubble/part.cuh", SOURCE)
        self.check(path, write=True)
        self.assertIn('"file": "part.cuh", "line": 3', path.read_text())

    def test_a_line_that_changed_must_be_counted_again(self):
        path = self.json(row(3, "a[i] = b[i];"))
        self.write("ch01_bubble/main.cu", SOURCE.replace("a[i] = b[i]", "a[i] = c[i]"))
        moved, errors = self.check(path, write=True)
        self.assertFalse(moved)
        self.assertRegex(
            errors[0], r"ch01_explain.json: main.cu no longer has the line 'a\[i\] = b\[i\];': count again"
        )

    def test_the_printed_form(self):
        path = self.write("docs/results/cpu/ch01_explain.txt", TEXT.replace("       12  of 32 lanes\n", ""))
        self.assertEqual(self.check(path), (False, []))
        self.write("ch01_bubble/main.cu", "\n" * 7 + SOURCE)
        self.assertEqual(self.check(path, write=True), (True, []))
        self.assertIn("\n       10  a[i] = b[i];\n", path.read_text())
        self.assertIn("\n       13  __syncthreads();\n", path.read_text())

    def test_what_cannot_be_read(self):
        self.assertRegex(self.check(self.json())[1][0], "names no line")
        path = self.write("docs/results/cpu/ch01_explain.json", "{")
        self.assertRegex(self.check(path)[1][0], "cannot be read")
        path = self.write("docs/results/cpu/ch07_explain.json", "{}")
        self.assertRegex(self.check(path)[1][0], "no chapter is called ch07")
