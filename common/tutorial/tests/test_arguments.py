"""What follows a verb."""

from __future__ import annotations

import unittest

from tutorial import arguments, targets
from building.errors import Refused
from tutorial.verbs.bench import slug


class Split(unittest.TestCase):
    def test_the_first_option_ends_the_targets(self):
        self.assertEqual(
            arguments.split(["ch01", "ch02", "--stage", "shared", "--cpu", "ch03"]),
            (["ch01", "ch02"], "cpu", ["--stage", "shared", "ch03"]),
        )

    def test_the_backend_may_stand_anywhere(self):
        self.assertEqual(arguments.split(["--cpu", "ch01"]), (["ch01"], "cpu", []))

    def test_all_after_two_dashes_is_the_programs(self):
        self.assertEqual(arguments.split(["ch01", "--", "--gpu", "--", "x"]), (["ch01"], None, ["--gpu", "--", "x"]))

    def test_both_backends_are_refused(self):
        with self.assertRaisesRegex(Refused, "only one of them"):
            arguments.split(["ch01", "--cpu", "--gpu"])


class Targets(unittest.TestCase):
    def test_a_chapter_has_two_names_and_a_slash_does_no_harm(self):
        for word in ("ch01", "ch01_bubble", "ch01_bubble/"):
            self.assertEqual([chapter.name for chapter in targets.find_chapters([word])], ["ch01_bubble"])

    def test_none_means_all_chapters(self):
        self.assertEqual([c.name for c in targets.find_chapters([])], [c.name for c in targets.chapters()])
        self.assertGreaterEqual(len(targets.chapters()), 6)

    def test_an_unknown_one_is_refused_and_all_are_named(self):
        with self.assertRaisesRegex(Refused, "unknown chapter 'ch9'; there are: ch01_bubble .*ch06_topk"):
            targets.find_chapters(["ch01", "ch9"])


class Slug(unittest.TestCase):
    def test_the_folder_of_a_gpu(self):
        for gpu, folder in (
            ("NVIDIA GeForce RTX 4090", "rtx-4090"),
            ("NVIDIA H200", "h200"),
            ("Tesla T4", "t4"),
            ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"),
        ):
            self.assertEqual(slug(gpu), folder)


if __name__ == "__main__":
    unittest.main()
