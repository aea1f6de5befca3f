"""./tutorial figures: draws the figures of the texts."""

from __future__ import annotations

from ..arguments import Parser, parse
from .docs import tool

SUMMARY = "draw the figures"


def main(words: list[str]) -> int:
    parse(Parser("figures", description=SUMMARY), words)
    return tool("figures")
