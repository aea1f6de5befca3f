#!/usr/bin/env python3
"""json_text_test.py WRITER: what the lab writes as JSON is what Python would write, whatever bytes a text holds."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import unittest

# The first and last valid sequences of UTF-8 (The Unicode Standard, table 3-7), and their neighbours.
EDGES = bytes.fromhex("001f207f808f909fa0bfc1c2dfe0e1ecedeeeff0f1f3f4f5ff") + b'"\\a'
EVERY: dict[str, object] = {
    "a": 1,
    "none": None,
    "yes": True,
    "most": 2**64 - 1,
    "least": -(2**63),
    "empty": [],
    "nothing": {},
    "inner": {"text": "x", "list": [1, "two", []]},
    "rows": [{"file": "main.cu", "grid": [1, 2]}] * 2,
    "last": "z",
}
INDENTED = """{
 "a": 1,
 "none": null,
 "yes": true,
 "most": 18446744073709551615,
 "least": -9223372036854775808,
 "empty": [],
 "nothing": {},
 "inner": {"text": "x", "list": [1, "two", []]},
 "rows": [
  {"file": "main.cu", "grid": [1, 2]},
  {"file": "main.cu", "grid": [1, 2]}
 ],
 "last": "z"
}"""


def written(texts: list[bytes]) -> tuple[str, list[str]]:
    """What comes first, and each text as the lab writes it."""
    lines = "".join(f"{text.hex()}\n" for text in texts)
    said = subprocess.run([WRITER], input=lines.encode(), stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    first, _, rest = said.partition("\n\n")
    return first, rest.split("\n")[:-1]


class JsonText(unittest.TestCase):
    def same(self, texts: list[bytes]) -> None:
        wanted = [json.dumps(text.decode("utf-8", "replace"), ensure_ascii=False) for text in texts]
        for text, mine, other in itertools.zip_longest(texts, written(texts)[1], wanted):
            self.assertEqual(mine, other, text)

    def test_objects_and_arrays_in_one_line_and_indented(self) -> None:
        line, _, indented = written([])[0].partition("\n")
        self.assertEqual(line, json.dumps(EVERY, separators=(",", ":")))
        self.assertEqual(json.loads(indented), EVERY)
        self.assertEqual(indented, INDENTED)  # an object that holds no other is one line

    def test_every_byte_and_every_pair_of_bytes(self) -> None:
        every = [bytes([i]) for i in range(256)]
        self.same([b + b"end" for b in [*every, *(a + b for a in every for b in every)]])

    def test_sequences_of_utf_8_whole_cut_off_and_with_other_bytes_in_between(self) -> None:
        chance = random.Random(1)
        self.same([bytes(chance.choices(EDGES, k=chance.randrange(7))) for _ in range(100_000)])


if __name__ == "__main__":
    WRITER = sys.argv.pop(1)
    unittest.main()
