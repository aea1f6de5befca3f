"""What the notebooks of this folder call: the tutorial's commands, and their results as pictures and tables.

Every function works from the root of the repository, with a GPU or without. It needs IPython, which a notebook has;
matplotlib only for beside().
"""

from __future__ import annotations

import csv
import html
import json
import shlex
import subprocess
import sys
from pathlib import Path

from IPython.core.magic import register_cell_magic
from IPython.display import HTML, SVG, display

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "notebooks"  # results of this reader's runs, and answers that a cell has replaced
RECORDED = ROOT / "docs" / "results"

sys.path.insert(0, str(ROOT / "common"))

from grading.files import blank as exercise_blank  # noqa: E402


def tutorial(line: str, allowed: tuple[int, ...] = (0,)) -> None:
    """Runs `./tutorial LINE` and shows what it prints, as it comes. RuntimeError for an exit code not allowed."""
    _exit_code(line, allowed)


def _exit_code(line: str, allowed: tuple[int, ...]) -> int:
    words = [str(ROOT / "tutorial"), *shlex.split(line)]
    with subprocess.Popen(
        words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None
        for text in running.stdout:
            print(text, end="", flush=True)
    if running.returncode not in allowed:
        raise RuntimeError(f"./tutorial {line}: exit code {running.returncode}")
    return running.returncode


def check(exercise: str) -> bool:
    """Grades the exercise, such as "ch01/ex1"; whether it is solved."""
    return _exit_code(f"check {shlex.quote(exercise)}", (0, 1)) == 0


def figure(path: str) -> None:
    """Shows a drawing of the repository, such as "ch01_bubble/figures/halo.svg"."""
    display(SVG(filename=str(ROOT / path)))


# ---- Results ---------------------------------------------------------------------------------


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(line: str) -> list[dict[str, str]]:
    """Runs `./tutorial run LINE`, and returns its rows: the columns that docs/results/README.md describes."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / "run.csv"
    path.unlink(missing_ok=True)
    tutorial(f"run {line} --csv {shlex.quote(str(path))}")
    return [row for row in _rows(path) if row["check"]]


def recorded(mine: dict[str, str]) -> dict[str, str] | None:
    """The row of the last GPU by name for the same stage and options, at the closest n; None if there is none."""
    files = sorted(RECORDED.glob(f"*/{mine['chapter'].split('_')[0]}.csv"))
    on_gpu = [path for path in files if path.parent.name != "cpu"]
    same = [
        row
        for row in (_rows(on_gpu[-1]) if on_gpu else [])
        if row["cold_us"] and all(row[name] == mine[name] for name in ("stage", "input", "options"))
    ]
    if not same:
        return None
    return min(same, key=lambda row: abs(float(row["n"]) - float(mine["n"])))


def beside(rows: list[dict[str, str]]) -> None:
    """Draws the rows of run(): times if there was a GPU, else bytes moved; next to them recorded times."""
    import matplotlib.pyplot as plt

    on_gpu = rows[0]["backend"] == "gpu"
    shown = [row for row in rows if row["kind"] == "stage" and (row["cold_us"] if on_gpu else row["sectors"])]
    names = [row["stage"] for row in shown]
    there = [recorded(row) for row in shown]  # None if nothing was recorded
    size, device = next(((row["n"], row["device"]) for row in there if row), ("?", "no GPU"))
    figure_, (left, right) = plt.subplots(1, 2, figsize=(11, 0.4 * len(names) + 1.5), sharey=True)
    if on_gpu:
        left.barh(names, [float(row["cold_us"]) for row in shown], color="tab:blue")
        left.set_title(f"{shown[0]['device']}, n = {shown[0]['n']}: microseconds")
    else:
        left.barh(names, [32 * float(row["sectors"]) for row in shown], color="tab:green")
        left.set_title(f"emulator, n = {shown[0]['n']}: bytes that move in global memory")
    right.barh(names, [float(row["cold_us"]) if row else 0.0 for row in there], color="tab:orange")
    right.set_title(f"{device}, recorded, n = {size}: microseconds")
    left.set_xscale("log")
    right.set_xscale("log")
    left.invert_yaxis()  # the first stage on top; the two share this axis
    figure_.tight_layout()
    plt.show()


# ---- Line by line ----------------------------------------------------------------------------


def _ratio(count: int, least: int, requests: int) -> str:
    if not requests or not count:
        return "<td></td>"
    colour = " style='background:#fdd'" if count > least else ""
    return f"<td{colour}>{count / requests:.2f} (least {least / requests:.2f})</td>"


def explain(line: str) -> None:
    """Runs `./tutorial explain LINE` and shows each source line as a row; red: more than those bytes would need."""
    words = [str(ROOT / "tutorial"), "explain", *shlex.split(line), "--json"]
    done = subprocess.run(words, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"./tutorial explain {line}: {done.stderr.strip()[-2000:]}")
    head = "line", "source", "", "requests", "lanes", "sectors per request", "wavefronts per request"
    out = []
    for stage in json.loads(done.stdout)["stages"]:
        for kernel in stage["kernels"]:
            out.append(f"<h4>{html.escape(stage['stage'])}: <code>{html.escape(kernel['kernel'])}</code></h4>")
            out.append("<table><tr>" + "".join(f"<th>{word}</th>" for word in head) + "</tr>")
            for row in kernel["rows"]:
                requests = row["requests"]
                out.append(
                    f"<tr><td>{row['line']}</td>"
                    f"<td style='text-align:left'><code>{html.escape(row['source'])}</code></td>"
                    f"<td>{html.escape(row['space'])} {html.escape(row['operation'])}</td><td>{requests:,}</td>"
                    f"<td>{row['lanes'] / requests if requests else 0:.1f}</td>"
                    + _ratio(row["sectors"], row["least_sectors"], requests)
                    + _ratio(row["wavefronts"], row["least_wavefronts"], requests)
                    + "</tr>"
                )
            out.append("</table>")
    display(HTML("\n".join(out)))


# ---- Exercises -------------------------------------------------------------------------------


def _exercise_file(name: str) -> Path:
    chapter, exercise = name.split("/")
    folder = ROOT / "docs" / "first_kernel" if chapter == "first" else next(ROOT.glob(f"{chapter}_*"), ROOT / chapter)
    found = sorted((folder / "exercises").glob(f"{exercise}_*.cu"))
    if len(found) != 1:
        raise ValueError(f"there is no exercise '{name}'; ./tutorial check lists them")
    return found[0]


@register_cell_magic
def blank(line: str, cell: str) -> None:
    """%%blank ch01/ex1: the cell becomes what stands in the blank of that exercise's file; then check("ch01/ex1")."""
    path = _exercise_file(line.strip())
    before = path.read_text(encoding="utf-8")
    parts = exercise_blank.cut(before, path.name)
    after = "\n".join([*parts.before, *cell.rstrip("\n").split("\n"), *parts.after]) + "\n"
    if after == before:
        print(f"{path.relative_to(ROOT)} has this already")
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / path.name).write_text(before, encoding="utf-8")
    path.write_text(after, encoding="utf-8")
    print(f"written to {path.relative_to(ROOT)}; as it was before: {(KEPT / path.name).relative_to(ROOT)}")
