"""Tables and single numbers of a text, from results files."""

from __future__ import annotations

import textwrap
from pathlib import Path

import chinese
import markdown_table
import results as res
from errors import DocsError
from repository import ROOT

DEFAULT_COLUMNS = "stage,time,rate,ceiling,first,library,check"


def _arguments(words: list[str]) -> dict[str, str]:
    pairs = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise DocsError(f"'{word}' is not of the form name=value")
        pairs[key] = value
    return pairs


def table(words: list[str], root: Path = ROOT) -> str:
    """Markdown for `<!-- table CHAPTER MACHINE name=value… -->`; words are those after "table".

    columns=stage,time,…  one row per stage (the default); by=n quantity=time  one column per size; by=seed, of one
    stage, one column per seed. Every other name=value selects rows. Skipped rows show the reason.
    """
    if len(words) < 2:
        raise DocsError("a table marker reads: table CHAPTER MACHINE name=value…")
    options = _arguments(words[2:])
    results = res.load(words[0], words[1], root)
    columns = options.pop("columns", DEFAULT_COLUMNS).split(",")
    by, name = options.pop("by", ""), options.pop("quantity", "time")
    if by == "n":
        return _by_size(results, name, options)
    if by == "seed":
        return _by_seed(results, name, options)
    if by:
        raise DocsError(f"by={by}: only by=n and by=seed are possible")
    shown = results.one_run(**options).rows
    head = [res.HEADINGS.get(c, c.replace("_", " ")) for c in columns]
    cells = [[_cell(results, row, c) for c in columns] for row in shown]
    return _with_caption(head, cells, f"{results.caption(shown)}.")


def _with_caption(head: list[str], rows: list[list[str]], caption: str) -> str:
    """The table, and below it the caption with what the signs in it mean, whose lines are as long as the texts'."""
    shown = markdown_table.table(head, rows, left=("stage", "check"))
    signs = []
    if "±" in shown:
        signs.append("±: how far the true median may be from the value shown.")
    if "≈" in shown:
        signs.append("≈: the two times cannot be told apart.")
    legend = "\n" + " ".join(signs) if signs else ""  # on a line of its own, because both are long
    wrapped = [textwrap.fill(line, 100, break_long_words=False) for line in f"*{caption}{legend}*".split("\n")]
    return "\n".join([shown, "", *wrapped])


# How well a time is known is shown from this fraction of it on.
KNOWN_WELL = 0.01


def _cell(results: res.Results, row: dict, column: str) -> str:
    if column == "stage":
        return f"`{row['stage']}`" if row["kind"] == "stage" else row["stage"]
    if column == "check":
        if res.skipped(row):
            return f"skipped: {res.skipped(row)}"
        return "ok" if row["check"] == "ok" else f"WRONG: {row.get('message', '')}"
    if res.skipped(row):
        return "–"
    shown = res.show(results, row, column)
    if column in ("time", "hot"):
        known = res.known_to(row, "cold" if column == "time" else "hot")
        if known is not None and known >= KNOWN_WELL:
            shown += f" ±{res.show_digits(100 * known, 1)} %"
    return shown


def _by_size(results: res.Results, name: str, filters: dict[str, str]) -> str:
    rows = results.select(**filters)
    sizes = sorted({int(r["n"]) for r in rows})
    stages = list(dict.fromkeys(r["stage"] for r in rows))
    cells = {}
    for row in rows:
        key = row["stage"], int(row["n"])
        if key in cells:
            raise DocsError(f"{results.name} has several rows of {key[0]} at n = {key[1]}: choose one input")
        cells[key] = row
    lines = []
    for stage in stages:
        shown = [_cell(results, cells[stage, n], name) if (stage, n) in cells else "–" for n in sizes]
        first = next(cells[stage, n] for n in sizes if (stage, n) in cells)
        lines.append([_cell(results, first, "stage"), *shown])
    note = res.HEADINGS.get(name, name)
    caption = f"{note[0].upper() + note[1:]} by n. {results.caption(rows)}."
    return _with_caption(["stage", *map(res.show_n, sizes)], lines, caption)


def _by_seed(results: res.Results, name: str, filters: dict[str, str]) -> str:
    seeds = list(dict.fromkeys(row["seed"] for row in results.rows))
    rows = results.select(**{"seed": ",".join(seeds), **filters})
    if len({row["stage"] for row in rows}) > 1:
        raise DocsError("by=seed shows one stage: stage=NAME")
    cells = {}
    for row in rows:
        key = int(row["n"]), row["seed"]
        if key in cells:
            raise DocsError(f"{results.name} has several rows at n = {key[0]} with seed {key[1]}: choose one input")
        cells[key] = row
    sizes = sorted({n for n, _ in cells})
    seeds = [seed for seed in seeds if any(key[1] == seed for key in cells)]
    lines = []
    for n in sizes:
        shown = [_cell(results, cells[n, s], name) if (n, s) in cells else "–" for s in seeds]
        lines.append([res.show_n(n), *shown])
    note = res.HEADINGS.get(name, name)
    caption = f"{note[0].upper() + note[1:]} of `{rows[0]['stage']}`. {results.caption(rows)}."
    return _with_caption(["n", *(f"seed {seed}" for seed in seeds)], lines, caption)


def value(words: list[str], root: Path = ROOT) -> str:
    """Text for `<!-- value CHAPTER MACHINE QUANTITY name=value… [/ name=value…] -->`.

    With a slash it is the ratio of two rows; after the slash comes only what differs, and quantity=NAME.
    """
    if len(words) < 3:
        raise DocsError("a value marker reads: value CHAPTER MACHINE QUANTITY name=value… [/ name=value…]")
    results = res.load(words[0], words[1], root)
    parts: list[list[str]] = [[]]
    for word in words[3:]:
        if word == "/":
            parts.append([])
        else:
            parts[-1].append(word)
    if len(parts) > 2:
        raise DocsError("a value has at most one /")
    first = _arguments(parts[0])
    per = first.pop("per", "1")
    row = _one_row(results, first)
    if len(parts) == 1:
        shown = _part(results, row, words[2], per) if per != "1" else res.show(results, row, words[2])
        if shown == "–":
            raise DocsError(f"{words[2]} was not measured for {row['stage']}")
        return shown
    if per != "1":
        raise DocsError("per= goes with a time, not with a ratio")
    second = _arguments(parts[1])
    below_name = second.pop("quantity", words[2])
    other = _one_row(results, {**first, **second})
    above, below = res.quantity(results, row, words[2]), res.quantity(results, other, below_name)
    if not above or not below:
        raise DocsError(f"{words[2]} or {below_name} was not measured for these rows")
    clocks = {"time": "cold", "hot": "hot"}
    a, b = clocks.get(words[2]), clocks.get(below_name)
    return res.show_comparable(above / below, bool(a and b) and res.may_be_equal(row, other, a or "", b or ""))


def compare(words: list[str], root: Path = ROOT, is_chinese: bool = False) -> str:
    """Text for `<!-- compare CHAPTER MACHINE time|hot name=value… / name=value… -->`: what may be said about the row
    before the slash, compared with the same row changed as after the slash. In a Chinese text the marker ends
    with names=A,B, and both are part of what it says."""
    names = words.pop().partition("names=")[2].split(",") if is_chinese and words[-1].startswith("names=") else []
    if len(words) < 3 or words.count("/") != 1 or words[2] not in ("time", "hot") or is_chinese != (len(names) == 2):
        end = " names=A,B" if is_chinese else ""
        raise DocsError(f"a compare marker reads: compare CHAPTER MACHINE time|hot name=value… / name=value…{end}")
    results = res.load(words[0], words[1], root)
    slash = words.index("/")
    first, second = _arguments(words[3:slash]), _arguments(words[slash + 1 :])
    rows = _one_row(results, first), _one_row(results, {**first, **second})
    clock = "cold" if words[2] == "time" else "hot"
    if is_chinese:
        return chinese.comparison(*res.relation(*rows, clock), *names)
    return res.comparison(*rows, clock)


def _part(results: res.Results, row: dict, name: str, per: str) -> str:
    """The `per`-th part of a time: "time per=128" is the time of one of 128 launches."""
    if name not in res.TIMES:
        raise DocsError(f"per= goes with a time, not with {name}")
    measured = res.quantity(results, row, name)
    return "–" if measured is None else res.show_seconds(measured / res.parse_size(per))


def _one_row(results: res.Results, filters: dict[str, str]) -> dict:
    rows = results.select(**filters)
    if len(rows) > 1:
        results.one_run(**filters)  # names what differs
        raise DocsError("several rows match (" + ", ".join(r["stage"] for r in rows) + "): choose a stage")
    if res.skipped(rows[0]):
        raise DocsError(f"{rows[0]['stage']} was skipped: {res.skipped(rows[0])}")
    return rows[0]
