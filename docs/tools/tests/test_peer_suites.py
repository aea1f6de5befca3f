import sample_repository  # first: it says where the tools are
import peer_suites
from errors import DocsError

ROWS = """suite,program,expects,says,orders,verdict,reason
gpuverify,a,wrong,race at 3,forward,found,
gpuverify,b,wrong,nothing,,silent,all store the same
gpuverify,c,right,nothing,,agreed right,
gpuverify,d,wrong,nothing,,silent,all store the same
gpuverify,e,CLANG_ERROR,refused: x,,not run,no such function
indigo3,BFS_RaceBug_NoFieldBug,right,race at 3,forward,blamed,a fault of the suite
"""


class PeerSuites(sample_repository.RepositoryTest):
    def setUp(self):
        super().setUp()
        file = self.root / peer_suites.FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(ROWS)

    def test_counts(self):
        lines = peer_suites.table(["counts"], self.root).split("\n")
        self.assertEqual(lines[2], "| GPUVerify's testsuite/CUDA | 5 | 1 of 3 | 1 of 1 | 1 |")
        self.assertEqual(lines[3], "| Indigo3 | 1 | 0 of 0 | 0 of 1 | 0 |")

    def test_differences_of_one_reason_are_one_row(self):
        lines = peer_suites.table(["differences"], self.root).split("\n")
        self.assertEqual(len(lines), 5)
        self.assertIn("| silent | `b`, `d` | all store the same |", lines[2])
        self.assertIn("| blamed | `BFS_RaceBug` | a fault of the suite |", lines[4])

    def test_many_names_are_cut(self):
        file = self.root / peer_suites.FILE
        file.write_text(ROWS + "".join(f"gpuverify,f{i},wrong,nothing,,silent,all store the same\n" for i in range(4)))
        self.assertIn("`b`, `d`, `f0` and 3 more", peer_suites.table(["differences"], self.root))

    def test_unknown_word(self):
        with self.assertRaisesRegex(DocsError, "a peers marker names one of counts, differences"):
            peer_suites.table(["all"], self.root)
