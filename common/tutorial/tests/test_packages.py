"""What is missing on a machine, and how it is installed."""

from __future__ import annotations

import unittest
from unittest import mock

from building import packages


class Table(unittest.TestCase):
    def test_every_line_names_a_package_for_every_manager(self):
        things = packages.table()
        self.assertIn("libdw", [thing.name for thing in things])
        for thing in things:
            self.assertEqual(list(thing.packages), ["apt", "dnf", "pacman", "brew"], thing.name)
            self.assertIn(
                thing.used_for, ("all", "cpu", "download", "lab", "gcc", "clang", "grade", "multi_gpu", "site")
            )

    def test_all_that_is_probed_is_in_the_table(self):
        names = {thing.name for thing in packages.table()}
        self.assertLessEqual(set(packages.HEADERS) | set(packages.LIBRARIES), names)


class Missing(unittest.TestCase):
    def find(self, there, preset="cpu", verb="run", clang=0, system="Linux"):
        with mock.patch("building.packages._there", return_value=set(there)):
            with mock.patch("building.packages.clang_version", return_value=clang):
                with mock.patch("platform.system", return_value=system):
                    missing = packages.find_missing(preset, verb)
        return [thing.name for thing in missing.needed], [thing.name for thing in missing.wanted]

    ALL = "python compiler cmake ninja boost fmt cli11 doctest json libdw plugin bubblewrap mpi mpirun node npm".split()

    def without(self, *names):
        return [name for name in self.ALL if name not in names]

    def test_a_bare_machine_gets_everything_at_once(self):
        needed, wanted = self.find(["python"])
        self.assertEqual(needed, ["compiler", "cmake", "ninja", "boost"])
        self.assertEqual(wanted, ["fmt", "cli11", "doctest", "libdw", "plugin"])

    def test_nothing_is_missing_where_all_is_there(self):
        self.assertEqual(self.find(self.ALL), ([], []))

    def test_what_a_verb_needs(self):
        self.assertEqual(self.find(self.without("libdw")), ([], ["libdw"]))
        self.assertEqual(self.find(self.without("libdw"), verb="explain"), (["libdw"], []))
        self.assertEqual(self.find(self.without("mpi", "mpirun")), ([], []))
        self.assertEqual(self.find(self.without("mpi", "mpirun"), verb="multi_gpu"), (["mpi", "mpirun"], []))
        self.assertEqual(self.find(self.without("node", "npm")), ([], []))
        self.assertEqual(self.find(self.without("node", "npm"), verb="site"), (["node", "npm"], []))
        self.assertEqual(self.find(self.without("libdw"), system="Darwin"), ([], []))
        self.assertEqual(self.find(self.without("bubblewrap")), ([], []))
        self.assertEqual(self.find(self.without("bubblewrap"), verb="grade"), ([], ["bubblewrap"]))

    def test_the_lab_takes_the_headers_of_the_compiler_that_is_used(self):
        self.assertEqual(self.find(self.without("plugin", "libdw"), clang=14), ([], ["libdw", "llvm"]))
        self.assertEqual(self.find(self.without("plugin"), verb="explain", clang=14), (["llvm"], []))
        self.assertEqual(self.find(self.without("libdw"), clang=99), ([], []), "untried")
        for clang, there, expected in (
            (0, ["libdw"], []),
            (0, [], ["libdw"]),
            (14, ["libdw"], ["llvm"]),
            (14, ["libdw", "llvm"], []),
        ):
            with mock.patch("building.packages._there", return_value=set(there)):
                with mock.patch("building.packages.clang_version", return_value=clang):
                    self.assertEqual([thing.name for thing in packages.missing_for_lab()], expected)
        llvm = [thing for thing in packages.table() if thing.name == "llvm"]
        with mock.patch("building.packages.clang_version", return_value=14):
            self.assertEqual(packages.Missing([], llvm).packages("apt"), ["llvm-14-dev"])

    def test_a_gpu_needs_less(self):
        gone = self.without("boost", "libdw")
        self.assertEqual(self.find(gone, preset="cuda"), ([], []))
        self.assertEqual(self.find(gone, preset="cuda", verb="check"), ([], ["boost", "libdw"]))

    def test_a_compiler_that_does_not_work_is_none(self):
        with mock.patch.dict("os.environ", CXX="/nowhere/c++"):
            self.assertNotIn("compiler", packages._there())
            self.assertNotIn("fmt", packages._there())
            self.assertEqual(packages.clang_version(), 0)

    def test_the_line_for_this_machine(self):
        libdw = [thing for thing in packages.table() if thing.name == "libdw"]
        with mock.patch("shutil.which", side_effect=lambda name: "/usr/bin/dnf" if name == "dnf" else None):
            text = packages.how_to_install(packages.Missing([], libdw))
        self.assertEqual(text, "    sudo dnf install elfutils-devel")


if __name__ == "__main__":
    unittest.main()
