"""Loops of device code that may wait for another thread: each round tells the emulator, whose threads take turns.

Such a loop does nothing else, and tests something that its own rounds do not change.
"""

from __future__ import annotations

import re

from rewriting.functions import flatten, functions_of
from rewriting.rules import device_bodies
from rewriting.text import OPENING, RewriteError, is_in_macro, match_forward

NOTE = "::emulator::note_wait()"
LOOP = re.compile(r"\b(while|for)\s*(\()|\bdo\s*(\{)")
NAME = re.compile(r"(?<![\w.])(?<!->)[A-Za-z_]\w*")
COUNTING = re.compile(r"(?:\+\+|--)\s*(\w+)|(\w+)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)=)")
ASSIGNMENT = re.compile(r"(?:[A-Za-z_][\w:]*(?:<[^;=]*>)?[\s&]+)*(\w+)\s*=(?!=)(.*)", re.DOTALL)
# Where a round reads: an index, what a call is given, what a pointer is.
PLACE = re.compile(r"\[|\w\s*\(|(?:^|[(!=<>&|,?:])\s*\*\s*(\w+)|(\w+)\s*->")
DECLARATION = re.compile(r"\s*(?:const\s+)?[A-Za-z_][\w:]*(?:<[^;=]*>)?[\s*&]+[A-Za-z_]\w*\s*=(?!=)")
FENCE = re.compile(r"__threadfence(?:_block|_system)?\s*\(\s*\)")


class Round:
    """What one round of a loop tests, and which names it sets."""

    def __init__(self) -> None:
        self.tests: list[str] = []
        self.leaves = False
        self.sets: list[tuple[str, str]] = []  # a name, and what it is set to
        self.counted: set[str] = set()

    def read(self, code: str) -> bool:
        """Reads statements; False if one of them does more than a loop that waits."""
        at = 0
        while at < len(code):
            if code[at] in " \t\n;":
                at += 1
                continue
            condition = re.compile(r"if\s*(?=\()").match(code, at)
            test = ""
            if condition:
                close = match_forward(code, condition.end(), at)
                test = code[condition.end() + 1 : close]
                at = close + 1 + len(code[close + 1 :]) - len(code[close + 1 :].lstrip())
            # What only some rounds do may read elsewhere: the next of those that are waited for.
            part = Round() if condition else self
            if code[at : at + 1] == "{":
                end = match_forward(code, at, at)
                is_simple = part.read(code[at + 1 : end])
            else:
                end = code.find(";", at)
                is_simple = end >= 0 and part.read_statement(code[at:end].strip())
            if not is_simple:
                return False
            if condition and part.leaves:
                self.tests.append(test)
            at = end + 1
        return True

    def read_statement(self, code: str) -> bool:
        changed = COUNTING.search(code)
        assigned = ASSIGNMENT.fullmatch(code)
        if assigned and "=" not in re.sub(r"[=!<>]=", "", assigned.group(2)) and not changed:
            self.sets.append((assigned.group(1), assigned.group(2)))
            return True
        if changed and re.fullmatch(r"[\s+\-\w]*|\w+\s*\S?\S?=(?!=).*", code, re.DOTALL):
            self.counted.add(changed.group(1) or changed.group(2))
            return True
        self.leaves = self.leaves or code in ("break", "return")
        return code in ("break", "return", "continue", "") or FENCE.fullmatch(code) is not None

    def waits(self) -> bool:
        """Whether a test depends on nothing that the rounds themselves count, and each reads the same places."""
        fresh = {name for name, value in self.sets}
        values = [value for _, value in self.sets]
        for found in [each for code in self.tests + values for each in COUNTING.finditer(code)]:
            self.counted.add(found.group(1) or found.group(2))
        own = fresh | self.counted
        self.counted |= {name for name, value in self.sets if own & set(NAME.findall(value))}
        for code in self.tests + values:
            for found in PLACE.finditer(code):
                is_open = code[found.end() - 1] in OPENING
                last = match_forward(code, found.end() - 1, found.start()) if is_open else found.end()
                if own & set(NAME.findall(code, found.start() + is_open, last)):
                    return False
        terms = [term for test in self.tests for term in re.split(r"&&|\|\|", test)]
        return any(names and not names & self.counted for names in (set(NAME.findall(term)) for term in terms))


def test_of_do(code: str, found: re.Match[str]) -> int:
    """Where the parenthesis of a do's while is; -1 if this is another loop."""
    behind = None
    if found.group(1) is None:
        behind = re.compile(r"\s*while\s*(\()").match(code, match_forward(code, found.start(3), found.start()) + 1)
    return behind.start(1) if behind else -1


def wait_at(code: str, found: re.Match[str]) -> tuple[int, str] | None:
    """Where a note belongs in a loop that may wait, and its text."""
    this = Round()
    word, opening, body = found.group(1), found.start(2), found.start(3)
    if word is None:
        opening = test_of_do(code, found)
        if opening < 0:
            return None
        inside = code[body + 1 : match_forward(code, body, body)]
        end = match_forward(code, opening, opening)
    else:
        end = match_forward(code, opening, found.start())
        first = re.compile(r"\s*").match(code, end + 1).end()  # type: ignore[union-attr]
        close = match_forward(code, first, first) if code[first] == "{" else code.find(";", first)
        inside = code[first + 1 : close] if code[first] == "{" else code[first : close + 1]
        body = first if code[first] == "{" else -1
    condition = code[opening + 1 : end]
    if word == "for":
        parts = condition.split(";")
        if len(parts) != 3:
            return None
        opening += len(parts[0]) + 1
        condition = parts[1]
        inside += f"{parts[2]};"
    if DECLARATION.match(condition):
        return None
    is_endless = condition.strip() in ("", "true", "1")
    if not is_endless:
        this.tests.append(condition)
    if not this.read(inside) or not this.waits() or (word == "for" and this.counted & set(NAME.findall(condition))):
        return None
    # In the condition where there is one: a loop without an end stays one for the compiler.
    if not is_endless:
        return opening + 1, f"{NOTE}, "
    return (body + 1, f" {NOTE};") if body >= 0 else None


def rewrite_waits(text: str) -> str:
    if not re.search(r"\b(?:while|for|do)\b", text):
        return text
    code = flatten(text)
    notes: dict[int, str] = {}
    for begin, end in device_bodies(code, functions_of(text)):
        of_do: set[int] = set()
        for found in LOOP.finditer(code, begin, end):
            try:
                of_do.add(test_of_do(code, found))
                place = None if found.start(2) in of_do - {-1} else wait_at(code, found)
            except RewriteError:
                continue  # the compiler tells what is wrong with its brackets
            if place is not None and not is_in_macro(text, place[0]):
                notes[place[0]] = place[1]
    for at in sorted(notes, reverse=True):
        text = text[:at] + notes[at] + text[at:]
    return text
