#!/usr/bin/env python3
"""translate.py as a program that goes on, for who has many texts to rewrite: it starts, and imports, once.

On stdin comes a request, on stdout goes its answer, and so on until stdin ends. Both are eight hexadecimal digits, the
number of bytes, and then JSON:

    {"path", "text": of the file; "output": where the result goes; "root", "copies": as translate.py's; "seconds"}
    {"code": 0, "files": {path: text}}   or   {"code": 1, "output": "what was wrong"}   or   {"code": null}: no answer

It writes no file: whoever asks does. Each text is rewritten by a process of its own, which may take so many seconds of
the processor: nothing of one text is left when the next one comes.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from typing import Any, BinaryIO

import translate
from rewriting import includes

_MEMORY = 1 << 30
# Of everything that is rewritten something: what Python prepares for it is there before the first request.
_SAMPLE = """__shared__ int of_file[2];
template <class T> __global__ void __launch_bounds__(32) kernel(T* to) {
    __shared__ T of_block[32];
    extern __shared__ int dynamic[];
    of_block[threadIdx.x] = static_cast<T>(dynamic[0]);
    __syncthreads();
    to[threadIdx.x] = of_block[31 - threadIdx.x];
}
void call(int* to) { kernel<int><<<1, 32, 128>>>(to); }
"""


class _InMemory(includes.Rewriter):
    """Reads one file's text from the request."""

    def __init__(self, request: dict[str, Any]):
        super().__init__(request["root"], request["copies"], translate.rewrite_text)
        self._path, self._text = request["path"], request["text"]

    def text_of(self, path: str) -> str:
        return self._text if path == self._path else super().text_of(path)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What the request asks for, made here and now."""
    files: dict[str, str] = {}
    includes.write = files.__setitem__  # type: ignore[assignment]
    try:
        _InMemory(request).rewrite(request["path"], request["output"])
    except SystemExit as error:  # what translate.py ends with
        return {"code": 1, "output": str(error)}
    except Exception:  # whatever it is: that one text is not rewritten
        return {"code": 1, "output": traceback.format_exc()}
    return {"code": 0, "files": files}


def receive(source: BinaryIO) -> dict[str, Any] | None:
    """The next message; None at the end."""
    head = source.read(8)
    if len(head) < 8:
        return None
    return json.loads(source.read(int(head, 16)))


def send(sink: BinaryIO, message: dict[str, Any]) -> None:
    words = json.dumps(message).encode("ascii")
    sink.write(b"%08x" % len(words) + words)
    sink.flush()


def main() -> None:
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    translate.rewrite_text(_SAMPLE)
    while True:
        request = receive(source)
        if request is None:
            return
        child = os.fork()
        if child == 0:
            seconds = int(request["seconds"]) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            send(sink, answer(request))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status != 0:  # it was ended before it could answer: an answer is written at once, or not at all
            send(sink, {"code": None})


if __name__ == "__main__":
    main()
