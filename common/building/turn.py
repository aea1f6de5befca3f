"""Tests that take too long for every run take turns: a part of them each day."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TypeVar

_DAY = 24 * 3600
T = TypeVar("T")


def todays_part(items: Sequence[T], parts: int) -> list[T]:
    """Today's part of `items`; TUTORIAL_TURN names another one by a number, or is "all".

    The same rule as that of docs/site/page_lab/tests/turn.mjs. In `parts` turns every item comes up once.
    """
    wanted = os.environ.get("TUTORIAL_TURN") or str(int(time.time()) // _DAY)
    if wanted == "all":
        return list(items)
    return [item for number, item in enumerate(items) if number % parts == int(wanted) % parts]
