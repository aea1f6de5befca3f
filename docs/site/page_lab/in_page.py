"""What the browser lab calls in Python: translate.py on texts instead of files (translator.mjs).

build_python.mjs imports it, once, when the site is built.
"""

import contextlib
import io
import json
import os
import shutil

import translate

SOURCES, OUTPUT = "/src", "/out.cpp"


def translate_json(name: str, files: str, copies: str) -> str:
    """{"text", "copies", "said"} as JSON; with no text if it was refused. `files`: {path: text} as JSON for the file
    `name` and for those that it may include; `copies`: the folder below the sources for those that were changed.
    """
    shutil.rmtree(SOURCES, ignore_errors=True)
    for file, text in json.loads(files).items():
        os.makedirs(os.path.dirname(f"{SOURCES}/{file}"), exist_ok=True)
        with open(f"{SOURCES}/{file}", "w", encoding="utf-8") as out:
            out.write(text)
    said = io.StringIO()
    folder = f"{SOURCES}/{copies}"
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            translate.main([f"{SOURCES}/{name}", OUTPUT, "--source-root", SOURCES, "--copies", folder])
    except SystemExit as end:
        if end.code:
            return json.dumps({"said": said.getvalue() + ("" if isinstance(end.code, int) else str(end.code))})
    changed = {}
    for place, _, names in os.walk(folder):
        for file in names:
            with open(f"{place}/{file}", encoding="utf-8") as copy:
                changed[os.path.relpath(f"{place}/{file}", SOURCES)] = copy.read()
    with open(OUTPUT, encoding="utf-8") as out:
        return json.dumps({"text": out.read(), "copies": changed, "said": ""})
