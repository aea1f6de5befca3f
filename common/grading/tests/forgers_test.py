"""A learner's process that is entirely under an attacker's control: whatever it answers, the judge never says "solved".

    forgers_test.py JUDGE

JUDGE is the sample's: it asks for an array in reverse order. The attackers here use the judge's protocol and
lie, or use another one.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path

import paths  # puts the tool's folder on the path
from grading.process import limited_process, two_processes

JUDGE = ""
NONCE = "nobody-knows-it"

(BEGIN, MARK, ALLOCATE, RELEASE, UPLOAD, DOWNLOAD, FILL, CALL, FAULTS, LEAKS, COUNT, DONE) = range(12)
ANSWER, FAILED, RUN, RESET = range(12, 16)
NOTHING_FOUND = struct.pack("<Q", 0)


class Gone(Exception):
    """The judge has ended."""


class Enemy:
    """Answers as an honest process does; subclasses lie. `memory`: what was given, by address."""

    lies: dict[int, tuple[int, bytes]] = {}  # by the kind of question: the kind of the answer, and its bytes

    def __init__(self, asked: int, answers: int):
        self.asked, self.answers = asked, answers
        self.memory: dict[int, bytearray] = {}
        self.next = 1 << 20

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = os.read(self.asked, size - len(data))
            if not more:
                raise Gone
            data += more
        return data

    def write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self.answers, data) :]
        except BrokenPipeError:
            raise Gone from None

    def send(self, kind: int, data: bytes = b"") -> None:
        self.write(struct.pack("<BQ", kind, len(data)) + data)

    def serve(self) -> None:
        """Until the judge has ended."""
        try:
            while True:
                kind, size = struct.unpack("<BQ", self.read(9))
                self.answer(kind, self.read(size))
        except Gone:
            pass

    def run_counted(self) -> None:
        """Asks for the function that is counted, and answers the judge's questions until it has run."""
        self.send(RUN)
        while True:
            kind, size = struct.unpack("<BQ", self.read(9))
            data = self.read(size)
            if kind == DONE:
                return
            self.answer(kind, data)

    def answer(self, kind: int, data: bytes) -> None:
        if kind in (MARK, RELEASE, DONE):
            return
        if kind in self.lies:
            self.send(*self.lies[kind])
        elif kind == ALLOCATE:
            (size,) = struct.unpack_from("<Q", data)
            self.next += size + 4096
            self.memory[self.next] = bytearray(b"\xff" * size)
            self.send(ANSWER, struct.pack("<Q", self.next))
        elif kind == UPLOAD:
            (address,) = struct.unpack_from("<Q", data)
            self.memory[address][:] = data[8:]
            self.send(ANSWER)
        elif kind == DOWNLOAD:
            address, size = struct.unpack_from("<QQ", data)
            self.send(ANSWER, self.downloaded(address, size))
        elif kind == CALL:
            (number,) = struct.unpack_from("<I", data)
            self.send(ANSWER, self.called(number, data[4:]))
        elif kind in (FAULTS, LEAKS):
            self.send(ANSWER, NOTHING_FOUND)
        else:
            self.send(ANSWER)

    def downloaded(self, address: int, size: int) -> bytes:
        return bytes(self.memory[address])

    def called(self, number: int, arguments: bytes) -> bytes:
        return struct.pack("<d", 4.0) if number == 1 else b""


class Honest(Enemy):
    """Reverses the array here, which proves that this file uses the judge's protocol."""

    def called(self, number: int, arguments: bytes) -> bytes:
        if number == 0:
            items, turned, n = struct.unpack("<QQQ", arguments)
            if n:
                self.memory[turned][:] = b"".join(self.memory[items][4 * i : 4 * i + 4] for i in reversed(range(n)))
        return super().called(number, arguments)


class DoesNothing(Enemy):
    """Reports that everything is done."""


class GivesTheInputBack(Enemy):
    def downloaded(self, address, size):
        first = min(self.memory)
        return bytes(self.memory[first]).ljust(size, b"\0")[:size]


class GivesZeros(Enemy):
    def downloaded(self, address, size):
        return b"\0" * size


class GivesTooLittle(Honest):
    def downloaded(self, address, size):
        return super().downloaded(address, size)[:-1]


class GivesTooMuch(Honest):
    def downloaded(self, address, size):
        return super().downloaded(address, size) + b"\0"


class GivesNoEnd(Honest):
    def downloaded(self, address, size):
        self.write(struct.pack("<BQ", ANSWER, 1 << 62))
        while True:
            self.write(b"\0" * 65536)


class SaysNothing(Enemy):
    def serve(self):
        time.sleep(1.0)


class EndsAtOnce(Enemy):
    def serve(self):
        return


class EndsInAMessage(Enemy):
    def answer(self, kind, data):
        if kind == DOWNLOAD:
            self.write(struct.pack("<BQ", ANSWER, 100) + b"half")
            raise Gone
        super().answer(kind, data)


class SaysPassed(Enemy):
    """The words of a verdict instead of answers."""

    def answer(self, kind, data):
        words = json.dumps({"nonce": NONCE, "reason": "", "text": "", "status": "solved"}).encode() + b"\n"
        self.write(words)
        self.send(ANSWER, words)


class SaysDone(Enemy):
    """Kinds of messages that only the judge sends."""

    def answer(self, kind, data):
        self.send(DONE)


class ManyFaults(Honest):
    """A list whose stated length exceeds that of the message."""

    lies = {FAULTS: (ANSWER, struct.pack("<Q", 1 << 60))}


class LongWords(Honest):
    lies = {FAULTS: (ANSWER, struct.pack("<QQ", 1, 1 << 63) + b"x")}


class ThrowsALot(Enemy):
    lies = {CALL: (FAILED, struct.pack("<BQ", 0, 1 << 40))}


class ThrowsWhatThereIsNot(Enemy):
    lies = {CALL: (FAILED, struct.pack("<BQ", 99, 0))}


class OddAddresses(Honest):
    """One address for every array."""

    def answer(self, kind, data):
        if kind == ALLOCATE:
            (size,) = struct.unpack_from("<Q", data)
            self.memory[4096] = bytearray(size)
            self.send(ANSWER, struct.pack("<Q", 4096))
        else:
            super().answer(kind, data)


class Counts(Honest):
    """Its report is `report`; the counted function is run."""

    report = b""

    def answer(self, kind, data):
        if kind == COUNT:
            self.run_counted()
            self.send(ANSWER, self.report)
        else:
            super().answer(kind, data)


class NoKernels(Counts):
    report = struct.pack("<Q", 0)


class VeryManyKernels(Counts):
    report = struct.pack("<Q", 1 << 61)


class HalfAKernel(Counts):
    report = struct.pack("<QQ", 1, 3) + b"ker"


class NeverEnds(Honest):
    """Asks for the counted function again and again, and then ends."""

    def answer(self, kind, data):
        if kind != COUNT:
            return super().answer(kind, data)
        for _ in range(3):
            self.run_counted()
        raise Gone


class CountsWithoutRunning(Honest):
    """Never calls the function, so no function computed the values."""

    lies = {COUNT: (ANSWER, NoKernels.report)}


def judged(enemy: type[Enemy], phase: str) -> tuple[int | None, list[dict]]:
    """The judge's exit code, and what it says."""

    def serve(_program, _folder, _limits, variables, _nonce, ends) -> limited_process.Outcome:
        """In place of a learner's program."""
        enemy(int(variables["GRADING_FROM_JUDGE"]), int(variables["GRADING_TO_JUDGE"])).serve()
        return limited_process.Outcome(0, None, "", "", "")

    words, limits = [JUDGE, "--phase", phase, "--seed", "77"], limited_process.Limits(seconds=60)
    with tempfile.TemporaryDirectory() as name:
        asked = two_processes.run(words, NONCE, [], "", Path(name), serve, limits, {})
    notes = [json.loads(line) for line in asked.told.verdict.splitlines() if line.strip()]
    return asked.code, [note for note in notes if "reason" in note]


class ForgersTest(unittest.TestCase):
    def test_this_file_speaks_the_judges_language(self):
        code, verdicts = judged(Honest, "answers")
        self.assertEqual((code, [verdict["reason"] for verdict in verdicts]), (0, [""]))

    def test_nobody_is_believed(self):
        enemies = [
            DoesNothing,
            GivesTheInputBack,
            GivesZeros,
            GivesTooLittle,
            GivesTooMuch,
            GivesNoEnd,
            SaysNothing,
            EndsAtOnce,
            EndsInAMessage,
            SaysPassed,
            SaysDone,
            ManyFaults,
            LongWords,
            ThrowsALot,
            ThrowsWhatThereIsNot,
            OddAddresses,
        ]
        for enemy in enemies:
            with self.subTest(enemy.__name__):
                code, verdicts = judged(enemy, "answers")
                self.assertIn(code, (1, 3))
                self.assertNotIn("", [verdict["reason"] for verdict in verdicts])

    def test_reports_that_are_none(self):
        for enemy in (NoKernels, VeryManyKernels, HalfAKernel, NeverEnds, CountsWithoutRunning):
            with self.subTest(enemy.__name__):
                code, verdicts = judged(enemy, "counts")
                self.assertIn(code, (0, 1, 3) if "cpu" in os.path.basename(JUDGE) else (1, 3))
                if code == 1:
                    self.assertNotEqual(verdicts[-1]["reason"], "")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("judge")
    options, rest = parser.parse_known_args()
    JUDGE = os.path.abspath(options.judge)
    unittest.main(argv=[sys.argv[0], *rest])
