"""Tables of what the lab counted, from docs/results/cpu/chNN_explain.json.

That file holds the output of `./tutorial explain chNN --json`.
"""

from __future__ import annotations

import json
from pathlib import Path

import markdown_table
import results as res
from errors import DocsError
from repository import ROOT, chapter

SCHEMA = "tutorial-explain-1"
HEADINGS = {
    "stage": "stage",
    "loads": "sectors per load",
    "least_loads": "at least",
    "stores": "sectors per store",
    "least_stores": "at least",
    "moved": "bytes moved / needed",
    "wavefronts": "wavefronts per request",
    "least_wavefronts": "at least",
    "lanes": "active lanes",
    "longest": "steps of the longest thread",
    "launches": "launches",
    "blocks": "blocks",
    "barriers": "barriers",
}
DEFAULT_COLUMNS = "stage,loads,least_loads,moved,wavefronts,lanes"


def load(name: str, root: Path = ROOT) -> dict:
    """What the lab counted in the chapter `name` (ch04 or ch04_squaresum)."""
    path = root / "docs" / "results" / "cpu" / f"{chapter(name, root).name.split('_')[0]}_explain.json"
    shown = path.relative_to(root).as_posix()
    if not path.exists():
        raise DocsError(f"{shown} does not exist: ./tutorial explain {name} --json prints it")
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise DocsError(f"{shown}: {error}") from None
    if report.get("schema") != SCHEMA:
        raise DocsError(f"{shown} does not have the schema {SCHEMA}")
    return report


def table(words: list[str], root: Path = ROOT) -> str:
    """Markdown for `<!-- counts CHAPTER [columns=stage,loads,…] [stage=…] -->`: one row per stage."""
    if not words:
        raise DocsError("a counts marker reads: counts CHAPTER [columns=…] [stage=…]")
    options = {"columns": DEFAULT_COLUMNS}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals or key not in ("columns", "stage"):
            raise DocsError(f"'{word}' is not columns=… or stage=…")
        options[key] = value
    report = load(words[0], root)
    columns = options["columns"].split(",")
    for column in columns:
        if column not in HEADINGS:
            raise DocsError(f"{column} is not one of the columns {', '.join(HEADINGS)}")
    stages = report["stages"]
    if "stage" in options:
        wanted = options["stage"].split(",")
        missing = set(wanted) - {s["stage"] for s in stages}
        if missing:
            raise DocsError(f"the lab counted no stage {', '.join(sorted(missing))}")
        stages = [s for s in stages if s["stage"] in wanted]
    if not stages:
        raise DocsError(f"the lab counted no stage of {words[0]}")
    rows = [[_cell(stage, c) for c in columns] for stage in stages]
    if all(cell == "–" for row in rows for cell, column in zip(row, columns) if column != "stage"):
        raise DocsError(f"no number in the table: {words[0]} has none of {', '.join(columns)} for these stages")
    shown = markdown_table.table([HEADINGS[c] for c in columns], rows, left=("stage",))
    parts = [f"n = {res.show_n(report['n'])}", f"{report['input']} input"]
    if report.get("options"):
        parts.append(report["options"])
    return f"{shown}\n\n*Counted on the emulator, {', '.join(parts)}.*"


def value(words: list[str], root: Path = ROOT) -> str:
    """Text for `<!-- count CHAPTER COLUMN stage=NAME [per=block | per=launch] -->`: one number."""
    options = dict(word.partition("=")[::2] for word in words[2:])
    if len(words) < 3 or "stage" not in options or set(options) - {"stage", "per"}:
        raise DocsError("a count marker reads: count CHAPTER COLUMN stage=NAME [per=block | per=launch]")
    if words[1] not in HEADINGS or words[1] == "stage":
        raise DocsError(f"{words[1]} is not one of the columns {', '.join(c for c in HEADINGS if c != 'stage')}")
    stage = next((s for s in load(words[0], root)["stages"] if s["stage"] == options["stage"]), None)
    if stage is None:
        raise DocsError(f"the lab counted no stage {options['stage']}")
    shown = _cell(stage, words[1])
    if shown == "–":
        raise DocsError(f"{words[1]} was not counted for {stage['stage']}")
    if "per" in options:
        units = {"block": "blocks", "launch": "launches"}
        if options["per"] not in units:
            raise DocsError(f"per={options['per']}: only per=block and per=launch are possible")
        total = sum(kernel[units[options["per"]]] for kernel in stage["kernels"])
        shown = f"{float(shown.replace(',', '')) / total:g}"
    return shown


def _cell(stage: dict, column: str) -> str:
    if column == "stage":
        return f"`{stage['stage']}`"
    if stage["check"] != "ok":
        return "–"
    rows = [row for kernel in stage["kernels"] for row in kernel["rows"]]
    value = None
    if column in ("loads", "stores", "least_loads", "least_stores"):
        operation = "load" if column.endswith("loads") else "store"
        chosen = [r for r in rows if r["space"] == "global" and r["operation"] == operation]
        value = _ratio(chosen, "least_sectors" if column.startswith("least") else "sectors", "requests")
    elif column in ("wavefronts", "least_wavefronts"):
        value = _ratio([r for r in rows if r["space"] == "shared"], column, "requests")
    elif column == "moved" and stage["bytes_needed"]:
        value = 32 * sum(r["sectors"] for r in rows if r["space"] == "global") / stage["bytes_needed"]
    elif column == "lanes":
        value = _ratio(stage["kernels"], "lane_steps", "steps")
    elif column in ("launches", "blocks"):
        return f"{sum(k[column] for k in stage['kernels']):,}"
    elif column == "barriers":
        return f"{sum(k['barriers'] + k['grid_barriers'] for k in stage['kernels']):,}"
    elif column == "longest" and stage["kernels"]:
        return f"{max(k['longest_thread'] for k in stage['kernels']):,}"
    return "–" if value is None else f"{value:,.2f}" if value < 99.995 else f"{value:,.0f}"


def _ratio(rows: list[dict], above: str, below: str) -> float | None:
    total = sum(row[below] for row in rows)
    return sum(row[above] for row in rows) / total if total else None
