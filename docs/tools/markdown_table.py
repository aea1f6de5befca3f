"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Container, Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Container[str] | None = None) -> str:
    """A table with these cells. With `left`, only the columns with these heads are aligned to the left."""
    marks = ["---" if left is None or name in left else "---:" for name in head]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, marks, *rows))
