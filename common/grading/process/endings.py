"""How a program ended, as a reason code and in words for the learner."""

from __future__ import annotations

import re
import signal

from .limited_process import Limits, Outcome

_MEANINGS = {
    "SIGSEGV": "an access to memory that does not exist (a segmentation fault)",
    "SIGFPE": "an integer divided by zero",
    "SIGABRT": "it aborted (abort, assert or an exception that was not caught)",
    "SIGBUS": "an access to memory that does not exist (a bus error)",
    "SIGILL": "an instruction that does not exist: does a function end without a return?",
    "SIGKILL": "it was killed: too little memory?",
    "SIGXFSZ": "a file became too large",
}


def without_verdict(done: Outcome, at: str, limits: Limits) -> tuple[str, str]:
    """Why a program ended before the judge's verdict; `at` says how far it got."""
    where, shown = f"{at}: " if at else "", printed(done.output)
    if done.stopped == "time_limit":
        return "time_limit", f"{where}stopped after {limits.cpu_seconds or limits.seconds:g} s.{shown}"
    if done.stopped == "output_limit":
        return "no_verdict", f"{where}stopped: it printed more than {limits.flood >> 20} MiB"
    if done.stopped == "process_limit":
        return "no_verdict", f"{where}stopped: it started more than {limits.processes} processes"
    if done.stopped == "memory_limit":
        return "memory_limit", f"{where}stopped: it took more than {limits.memory >> 20} MiB of memory{shown}"
    if done.signal is not None:
        return "crash", f"{where}the program crashed: {_signal_name(done.signal)}{shown}"
    return "no_verdict", (
        f"{where}the program ended by itself, with exit code {done.code}, before the grader had checked all "
        f"results: does the code call exit()?{shown}"
    )


def behind_verdict(done: Outcome, limits: Limits) -> tuple[str, str]:
    """Why a program that was found right did not end as it should."""
    if done.stopped:
        return without_verdict(done, "everything was right, and then", limits)
    how = _signal_name(done.signal) if done.signal is not None else f"exit code {done.code}"
    return "crash", f"everything was right, and then the program crashed: {how}{printed(done.output)}"


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{name}, {_MEANINGS[name]}" if name in _MEANINGS else name


def printed(output: str, most: int = 20) -> str:
    """The end of what the program printed, for the learner to read: that of the last size alone."""
    # The grader marks where each size begins: a line that begins with a record separator.
    before, mark, last = output.rpartition("\x1e")
    at, _, rest = last.partition("\n")
    at = re.sub(r"[^\x20-\x7e]", "?", at)[:100]
    if not mark:
        at, rest = "", output
    lines = [re.sub(r"[^\x20-\x7e\t]", "?", line)[:200] for line in rest.strip().splitlines()]
    if not lines:
        return ""
    shown = lines[-most:]
    whose = f"With {at} your code printed" if at else "Your code printed"
    head = f"{whose}:" if len(lines) <= most else f"{whose}, in its last {most} lines:"
    return "\n" + head + "\n" + "\n".join(f"  {line}" for line in shown)
