"""Tests of headers_alone.py: headers of a small chapter, translated and compiled as on the emulator."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import headers_alone

EMULATOR = headers_alone.ROOT / "common" / "emulator"
ENTRY = {
    "compiler": "c++",
    "options": ["-std=c++17", f"-I{EMULATOR / 'include'}"],
    "rewrite": [sys.executable, str(EMULATOR / "translate.py")],
}
ALONE = """#pragma once
#include <cuda_runtime.h>
#include "shared.cuh"
__global__ void kernel(int* keys) { __shared__ int tile[kTile]; keys[0] = tile[0]; }
inline void launch(int* keys) { kernel<<<1, 2>>>(keys); }
"""


class HeadersAlone(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in {
            "fastest/shared.cuh": "#pragma once\nconstexpr int kTile = 8;\n",
            "fastest/1_alone.cuh": ALONE,
            "fastest/2_not.cuh": "inline int two_tiles() { return 2 * kTile; }\n",
            "experiment.hpp": "#pragma once\n",
            "library.cuh": "#include <cub/cub.cuh>\n",
        }.items():
            path = self.root / "ch00" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def test_which_headers(self) -> None:
        names = [path.name for path in headers_alone.headers(self.root / "ch00", "cpu")]
        self.assertEqual(names, ["1_alone.cuh", "2_not.cuh", "shared.cuh", "experiment.hpp"])
        self.assertIn("library.cuh", [path.name for path in headers_alone.headers(self.root / "ch00", "cuda")])

    def test_a_header_that_includes_what_it_uses_and_one_that_does_not(self) -> None:
        with mock.patch.object(headers_alone, "ROOT", self.root):
            errors = [
                headers_alone.first_error(ENTRY, "cpu", path)
                for path in headers_alone.headers(self.root / "ch00", "cpu")
            ]
        self.assertRegex(errors.pop(1), "2_not.cuh:1:.*kTile")
        self.assertEqual(errors, ["", "", ""])

    def test_nvcc_goes_as_far_as_ptx(self) -> None:
        (command,) = headers_alone.commands({"compiler": "nvcc", "options": ["-O3"]}, "cuda", Path("a.cu"), self.root)
        self.assertEqual(command[:2] + command[-4:-2], ["nvcc", "-std=c++17", "-ptx", "-o"])


if __name__ == "__main__":
    unittest.main()
