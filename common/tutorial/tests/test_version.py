"""./tutorial --version, and the other places that name a version: they must agree."""

from __future__ import annotations

import contextlib
import io
import re
import unittest

from tutorial import cli
from building.repository import ROOT
from tutorial.version import NAME, version


class Version(unittest.TestCase):
    def test_it_is_printed_with_the_name(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(cli.main(["--version"]), 0)
        self.assertRegex(out.getvalue(), r"\ABubbles to Bandwidth \d+\.\d+\.\d+\n\Z")

    def test_it_is_that_of_cmake(self):
        project = re.search(r"project\(.*\)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertIsNotNone(project)
        self.assertIn(f" VERSION {version()} ", project.group())

    def test_the_changelog_has_it_as_its_latest(self):
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
        self.assertEqual(headings[0], "Unreleased")
        self.assertRegex(headings[1], rf"\A{re.escape(version())} - \d{{4}}-\d\d-\d\d\Z")

    def test_the_citation_has_it_with_the_changelogs_date(self):
        citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        members = dict(re.findall(r'^([a-z-]+): "?(.+?)"?$', citation, re.MULTILINE))
        self.assertEqual(members["cff-version"], "1.2.0")
        self.assertEqual(members["title"], NAME)
        self.assertEqual(members["version"], version())
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        self.assertIn(f"\n## {version()} - {members['date-released']}\n", changelog)


if __name__ == "__main__":
    unittest.main()
