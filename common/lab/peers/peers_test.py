#!/usr/bin/env python3
"""peers_test.py BUILD: run_peers.py on two small suites of the same form as GPUVerify's and Indigo3's."""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import gpuverify
import indigo3
import run_peers

BUILD = Path("build/cpu")

OWN_ITEMS = """//pass
//--blockDim=64 --gridDim=4

__device__ int any();
__global__ void own(int* items, int shift) {
    __requires(shift == 3);
    items[blockIdx.x * blockDim.x + threadIdx.x] = shift + any();
}
"""
NEXT_ITEM = """//xfail:NOT_ALL_VERIFIED
//--blockDim=[32,2] --gridDim=1

__global__ void next(int* items) {
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    items[i] = items[i + 1];
}
"""
CODE = """#include <cstdio>
#include <cuda_runtime.h>
__global__ void count(int* total) { %s; }
int main(int words, char**) {
    int *total, result = 0;
    cudaMalloc(&total, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    count<<<2, 32>>>(total);
    cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
    return words == 4 && result >= 0 ? 0 : 3;
}
"""
# What Indigo3's script of this name does, but far simpler.
GENERATOR = f"""
from pathlib import Path
configuration = Path("codeGen/configure.txt").read_text()
names = ["RaceBug"] if "bug: {{hasbug}}" in configuration else ["Atomic", "CudaAtomic"]
folder = Path("generatedCodes/CUDA/TC-CUDA")
folder.mkdir(parents=True)
for name in names:
    what = "*total += 1" if name == "RaceBug" else "atomicAdd(total, 1)"
    text = '''{CODE}''' % what
    for loop in "NonPersist", "Persist":
        (folder / f"TC_CUDA_V_Thread_{{loop}}_GlobalAdd_{{name}}_NoBoundsBug.cu").write_text(text)
"""


def rows_of(table):
    with table.open(newline="", encoding="utf-8") as file:
        return {row["program"]: row for row in csv.DictReader(file)}


class Peers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.table = self.folder / "peers.csv"

    def run_suite(self, suite, code):
        command = [sys.executable, str(HERE / "run_peers.py"), str(BUILD), suite, str(self.folder / "checkout")]
        done = subprocess.run([*command, "--table", str(self.table)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_kernels(self):
        for name, text in ("own", OWN_ITEMS), ("deep/next", NEXT_ITEM), ("deep/text", OWN_ITEMS + "no C++"):
            at = self.folder / "checkout" / "testsuite" / "CUDA" / name
            at.mkdir(parents=True)
            (at / "kernel.cu").write_text(text)
        said = self.run_suite("gpuverify", 1)
        self.assertIn("no reason in reasons.csv: deep/text", said)
        rows = rows_of(self.table)
        self.assertEqual((rows["own"]["says"], rows["own"]["verdict"]), ("nothing", "agreed right"))
        self.assertEqual((rows["deep/next"]["says"], rows["deep/next"]["verdict"]), ("race at 6", "found"))
        self.assertEqual(rows["deep/next"]["orders"], "forward reverse shuffle:1")
        self.assertEqual(rows["deep/text"]["verdict"], "not run")

    def test_codes_and_their_twins(self):
        checkout = self.folder / "checkout"
        (checkout / "codeGen").mkdir(parents=True)
        (checkout / "codeGen" / "configure.txt").write_text("CODE: in a comment\nCODE:\n bug: {nobug}\n")
        (checkout / "generate_all_codes.py").write_text(GENERATOR)
        self.table.write_text(",".join(run_peers.COLUMNS) + "\ngpuverify,kept,right,nothing,,agreed right,\n")
        self.run_suite("indigo3", 0)
        rows = rows_of(self.table)
        self.assertEqual(len(rows), 3)  # the persistent ones and the second twin are left out
        self.assertEqual(rows["TC_CUDA_V_Thread_NonPersist_GlobalAdd_RaceBug_NoBoundsBug"]["verdict"], "found")
        self.assertEqual(rows["TC_CUDA_V_Thread_NonPersist_GlobalAdd_Atomic_NoBoundsBug"]["verdict"], "agreed right")
        self.assertEqual(rows["kept"]["verdict"], "agreed right")

    def test_what_is_read_of_a_kernel(self):
        made = gpuverify.program("own", OWN_ITEMS)
        self.assertIn("peers::launch(own,", made.source)
        self.assertIn("{{1, 3}}", made.source)
        self.assertIn("__device__ int any() { return {}; }", made.source)
        self.assertEqual(gpuverify.shrunk([64, 64, 1], 1024), [32, 32, 1])
        self.assertEqual(gpuverify.program("a", NEXT_ITEM.replace("int i", "__assert(1); int i")).expects, "assertion")

    def test_twins(self):
        right = {"A_Atomic_NoFieldBug", "A_CudaAtomic_NoFieldBug", "B_NoRaceBug_C"}
        self.assertEqual(indigo3.twin("A_RaceBug_NoFieldBug", right), "A_Atomic_NoFieldBug")
        self.assertEqual(indigo3.twin("B_RaceBug_C", right), "B_NoRaceBug_C")
        with self.assertRaises(LookupError):
            indigo3.twin("C_RaceBug", right)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1)).resolve()
    unittest.main()
