"""Connecting a grader with functions in another process: which declarations are understood."""

import unittest
from pathlib import Path

import paths  # puts the tool's folder on the path
from grading.authoring import write_functions
from grading.authoring.write_functions import NotUnderstood
from grading.files import exercise as exercises

REWRITTEN = Path("rewritten.cpp")


def functions(head):
    return [(f.result, f.name, f.names) for f in write_functions.functions_of(head)]


class Declarations(unittest.TestCase):
    def test_parameters(self):
        head = """
#include <vector>
// not this one: void comment(int a);
struct Point { double x, y; };
using Sum = unsigned long long;
Point predict();
int* sort(int* d_keys, int* d_spare, unsigned n);
void sum(const float* d_items, std::size_t n, float* const (&d_scratch)[2],
         float* d_sum);
bool may_be_right(const std::vector<float>& items, double depth);
const std::vector<Point>& records();
"""
        self.assertEqual(
            functions(head),
            [
                ("Point", "predict", []),
                ("int*", "sort", ["d_keys", "d_spare", "n"]),
                ("void", "sum", ["d_items", "n", "d_scratch", "d_sum"]),
                ("bool", "may_be_right", ["items", "depth"]),
                ("const std::vector<Point>&", "records", []),
            ],
        )

    def test_what_cannot_be_called_from_elsewhere(self):
        for head in (
            "template <int n> void sum(float* d_sum);",
            "__global__ void kernel(float* items);",
            "inline int twice(int x);",
            "void unnamed(int);",
            "void same(int a); void same(float a);",
            "int number;",
            "",
        ):
            with self.assertRaises(NotUnderstood, msg=head):
                write_functions.functions_of(head)
        with self.assertRaises(NotUnderstood):
            write_functions.judge_text("void sum(float* d_sum);\nint main() {}\n", REWRITTEN)

    def test_both_sides_number_them_alike(self):
        grader = "void one(int a);\nint two(float* d_b, int n);\n\nnamespace {\nint own(int);\n}\n"
        judge, worker = write_functions.judge_text(grader, REWRITTEN), write_functions.worker_text(grader)
        self.assertIn('#include "rewritten.cpp"', judge)
        self.assertIn("return grading::detail::call<void>(0u, a);", judge)
        self.assertIn("return grading::detail::call<int>(1u, d_b, n);", judge)
        self.assertLess(worker.index("wrap<&one>"), worker.index("wrap<&two>"))
        for text in (judge, worker):
            self.assertNotIn("own", text)

    def test_headers_only_where_a_type_needs_them(self):
        head = '#include "own.hpp"\nstruct Own { int a; };\n'
        for declared, needed in (
            ("void sum(const float* d_items, std::size_t n, uint2* d_cuts);", False),
            ("Own predict(const std::vector<unsigned>& all);", False),
            ("void sum(Sum* d_sum);", True),
        ):
            text = write_functions.worker_text(f"{head}{declared}\n\nnamespace {{\n}}\n")
            self.assertEqual('#include "own.hpp"' in text, needed, declared)

    def test_every_exercise(self):
        for exercise in exercises.find():
            text = exercise.grader.read_text(encoding="utf-8")
            self.assertTrue(write_functions.functions_of(write_functions.head_of(text)), exercise.id)


if __name__ == "__main__":
    unittest.main()
