"""What the tools write into a Chinese text: heads of tables, captions, comparisons.

Names of stages, inputs and options stay as the programs print them.
"""

from __future__ import annotations

import re

from errors import DocsError

HEADS = {
    "stage": "階段",
    "time": "時間",
    "time with copies": "含複製的時間",
    "rate": "速率",
    "of ceiling": "占上限",
    "x first": "對第一階段的倍數",
    "x library": "對函式庫的倍數",
    "check": "檢查",
    "sectors per load": "每次載入的 sector 數",
    "sectors per store": "每次寫入的 sector 數",
    "at least": "至少",
    "bytes moved / needed": "搬動／必要的位元組",
    "wavefronts per request": "每個請求的 wavefront 數",
    "active lanes": "作用中的 lane",
    "launches": "啟動次數",
    "blocks": "區塊數",
    "barriers": "屏障次數",
    "exercise": "習題",
    "kind": "類型",
    "level": "難度",
    "what you learn to do": "學到什麼",
}
CELLS = {
    "fill in the blank": "填空",
    "find the bug": "找錯",
    "predict a number": "預測數字",
    "make it faster": "加快",
    "easy": "易",
    "medium": "中",
    "hard": "難",
}
_CAPTION = (
    (r"\*Time by n\. ", "*各 n 的時間。"),
    (r"\*Counted on the emulator, ", "*在模擬器上計數，"),
    (r"(\w+) input", r"輸入 \1"),
    (r"±: how far the true median may be from the value shown\.", "±：真正的中位數與所示數值至多差多少。"),
    (r"≈: the two times cannot be told apart\.", "≈：兩個時間分不出先後。"),
)


def table(markdown: str) -> str:
    """A table made by the tools, with its head and caption in Chinese. Raises DocsError for an untranslated head."""
    lines = markdown.split("\n")
    if not lines[0].startswith("| "):
        return markdown
    rows = [line for line in lines[1:] if line.startswith("|")]
    out = [_row(lines[0], _head)] + [_row(line, lambda cell: CELLS.get(cell, cell)) for line in rows]
    caption = " ".join(lines[1 + len(rows) :]).strip()
    for pattern, words in _CAPTION:
        caption = re.sub(pattern, words, caption)
    return "\n".join(out + (["", caption] if caption else []))


def _row(line: str, change) -> str:
    return "| " + " | ".join(change(cell.strip()) for cell in line.strip().strip("|").split("|")) + " |"


def _head(cell: str) -> str:
    if re.fullmatch(r"[\d,^]*", cell):
        return cell
    if cell not in HEADS:
        raise DocsError(f"docs/tools/chinese.py has no word for the head '{cell}'")
    return HEADS[cell]


def comparison(relation: str, amount: str, mine: str, other: str) -> str:
    """How `mine` compares with `other`; in Chinese the number comes last. `relation` and `amount` are those of
    results.relation()."""
    sentences = {
        "equal": f"{mine} 與 {other} 差不多快",
        "faster by": f"{mine} 比 {other} 快 {amount}",
        "times as fast": f"{mine} 的速度是 {other} 的 {amount} 倍",
        "slower by": f"{mine} 比 {other} 慢 {amount}",
        "times as long": f"{mine} 的時間是 {other} 的 {amount} 倍",
    }
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", sentences[relation])  # no blank between the two
