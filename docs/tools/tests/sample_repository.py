"""Shared by the tests: the path to the tools, and a small repository to work on."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

HEADER = (
    "chapter,stage,kind,n,input,seed,options,device,sm_count,cuda,date,samples,cold_us,cold_min_us,"
    "hot_us,copies_us,bytes_needed,ceiling,ceiling_us,first,library,check,message"
)


def csv_row(
    stage,
    kind,
    n,
    cold_us,
    *,
    hot_us="",
    bytes_needed="",
    ceiling_us="",
    check="ok",
    message="",
    options="type=float",
    seed=1,
):
    return (
        f"ch01_bubble,{stage},{kind},{n},random,{seed},{options},NVIDIA Test,4,13.0,2026-11-20T01:02:03Z,10,"
        f"{cold_us},{cold_us},{hot_us},,{bytes_needed},read bandwidth,{ceiling_us},slow,lib,{check},{message}"
    )


ROWS = [
    csv_row("slow", "stage", 1024, 100, bytes_needed=4096, ceiling_us=10, hot_us=50),
    csv_row("fast", "stage", 1024, 12.5, bytes_needed=4096, ceiling_us=10),
    csv_row("small", "stage", 1024, "", check="", message="takes 1000 keys"),
    csv_row("lib", "library", 1024, 25, bytes_needed=4096, ceiling_us=10),
    csv_row("slow", "stage", 65536, 2000, bytes_needed=262144, ceiling_us=640),
    csv_row("fast", "stage", 65536, 1000, bytes_needed=262144, ceiling_us=640),
    csv_row("lib", "library", 65536, 800, bytes_needed=262144, ceiling_us=640),
]


class RepositoryTest(unittest.TestCase):
    """A repository with one chapter and one results file, in a folder of its own."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = Path(self._folder.name).resolve()
        self.write("ch01_bubble/main.cu", "int main() { return 0; }\n")
        self.write("docs/results/test/ch01.csv", "\n".join([HEADER, *ROWS]) + "\n")

    def write(self, name: str, content: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        return path
