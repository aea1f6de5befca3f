import unittest

import sample_repository  # noqa: F401
from nvcc_line import command, line_of, with_archives


class NvccLine(unittest.TestCase):
    def test_the_line_is_found_in_a_comment_even_when_continued(self):
        self.assertEqual(line_of("// x\n//   nvcc -O3 a.cu -o a\n"), "nvcc -O3 a.cu -o a")
        self.assertEqual(line_of("// nvcc -O3 \\\n//     a.cu -o a\n").split(), ["nvcc", "-O3", "a.cu", "-o", "a"])
        self.assertIsNone(line_of("nvcc();\n// it uses nvcc\n"))

    def test_only_compiler_output_and_missing_gpu_change(self):
        line = "nvcc -arch=native -I. docs/tools/nvcc_l*.py -lfmt -o ch01"
        self.assertEqual(
            command(line, "/x/nvcc", "out", native=False),
            ["/x/nvcc", "-arch=sm_90", "-I.", "docs/tools/nvcc_line.py", "-lfmt", "-o", "out"],
        )
        self.assertIn("-arch=native", command(line, "nvcc", "out", native=True))

    def test_a_line_that_cannot_work_is_refused(self):
        self.assertRaisesRegex(ValueError, "no -o", command, "nvcc a.cu", "nvcc", "out", True)
        self.assertRaisesRegex(ValueError, "no file matches", command, "nvcc absent*.cu -o a", "nvcc", "out", True)

    def test_archives_take_the_place_of_the_shared_sources(self):
        line = "nvcc -O3 -I. a/main.cu common/b.cpp common/c.cu -lfmt -o out"
        self.assertEqual(
            with_archives(line.split(), ["harness.a", "base.a"]),
            ["nvcc", "-O3", "-I.", "a/main.cu", "harness.a", "base.a", "-lfmt", "-o", "out"],
        )
