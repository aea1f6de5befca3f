"""Every file of common/ is found by its name: the README.md of its room says what it is for."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The folders whose files a room's README.md names, one by one, or several on a line of its table.
ROOMS = {
    "harness": ("", "multi_gpu"),
    "emulator": ("", "include/emulator", "src", "rewriting", "nccl/src"),
    "lab": ("src", "src/order", "src/rules", "chapter", "include/lab"),
    "grading": ("", "lib", "check", "files", "process", "rules", "course", "authoring", "worker"),
    "tutorial": ("",),
    "building": ("",),
}
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".py"}


class FileMaps(unittest.TestCase):
    def test_every_file_is_named(self) -> None:
        for room, folders in ROOMS.items():
            text = (ROOT / "common" / room / "README.md").read_text(encoding="utf-8")
            for folder in folders:
                files = [path for path in (ROOT / "common" / room / folder).iterdir() if path.suffix in SUFFIXES]
                self.assertTrue(files, f"common/{room}/{folder}")
                for path in sorted(files):
                    if not path.name.startswith("__"):
                        with self.subTest(path.relative_to(ROOT).as_posix()):
                            self.assertRegex(text, rf"(?<!\w){re.escape(path.stem)}(?!\w)")

    def test_every_file_that_a_table_names_is_there(self) -> None:
        for room, folders in ROOMS.items():
            text = (ROOT / "common" / room / "README.md").read_text(encoding="utf-8")
            for name in re.findall(r"`([\w/]+\.(?:py|cpp|hpp|cuh))`", text):
                found = [folder for folder in ("", *folders) if (ROOT / "common" / room / folder / name).exists()]
                self.assertTrue(
                    found
                    or (ROOT / name).exists()
                    or list((ROOT / "common").glob(f"**/{name}"))
                    or list(ROOT.glob(f"ch*/**/{name}")),
                    f"common/{room}/README.md names {name}",
                )

    def test_the_page_labs_table_is_its_folder(self) -> None:
        folder = ROOT / "docs" / "site" / "page_lab"
        text = (folder / "README.md").read_text(encoding="utf-8")
        files = {path.name for path in folder.iterdir() if path.suffix in (".mjs", ".js", ".py")}
        self.assertEqual(set(re.findall(r"^\| `(\w+\.(?:mjs|js|py))`", text, re.MULTILINE)), files)


if __name__ == "__main__":
    unittest.main()
