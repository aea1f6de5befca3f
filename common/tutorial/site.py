"""The book: builds the site with docs/site, and serves it to a browser on this machine."""

from __future__ import annotations

import errno
import functools
import http.server
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from building import backend, packages
from building.build import Build
from building.errors import MISSING, USAGE, Refused
from building.progress import run_logged
from building.repository import BUILD, ROOT, shown

from . import programs, targets

SITE = ROOT / "docs" / "site"
OUT = BUILD / "site" / "out"
MIN_NODE = 18
# Kernels of the gallery that the book plays next to correct ones: docs/site/recordings.mjs lists them.
GALLERY = "gallery_"
FIRST = "first_faults"  # the first kernel, which the book plays
REPOSITORY = "/page_lab/repository.json"


def build() -> Path:
    """Builds the lab's programs, whose traces the site shows, and then the site. Returns its folder."""
    prepare_node()
    lab = Build(backend.choose("cpu"), out=sys.stdout).prepare("site")
    if not lab.has_lab():
        raise Refused(MISSING, f"the book records what kernels do, which needs {packages.needs_of_lab()}")
    goals = [chapter.goal("lab") for chapter in targets.chapters()]
    lab.make([*goals, FIRST, *(GALLERY + name for name in gallery())])
    write_pages(lab.folder / "bin")
    return OUT


def write_pages(bin_folder: Path) -> None:
    """Records what the lab's programs do, and makes the pages.

    All output goes to a log: VitePress shows a spinner on a terminal, and never ends on one of 0 columns.
    """
    log = BUILD / "site" / "build.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    print(f"Writing the book, which takes several minutes the first time (log: {shown(log)}) …")
    code = programs.run("node", str(SITE / "build.mjs"), "--programs", str(bin_folder), log=log)
    lines = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    if code.signal:
        raise Refused(code, f"the book was not built: {signal.Signals(code.signal).name} ended it")
    if code:
        raise Refused(code, "\n".join(["the book was not built; the last lines of its log:", *lines[-12:]]))
    print(*lines[-2:], sep="\n")


def gallery() -> list[str]:
    """The programs of the fault gallery that the site plays."""
    words = subprocess.run(
        ["node", str(SITE / "recordings.mjs"), "--gallery"], capture_output=True, text=True, check=True
    )
    return words.stdout.split()


def prepare_node() -> None:
    """Node.js, and the packages of docs/site/package-lock.json."""
    packages.install_missing("cpu", "site", sys.stdout)
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout.strip()
    if not version.startswith("v") or int(version[1:].partition(".")[0]) < MIN_NODE:
        raise Refused(MISSING, f"the book needs Node.js {MIN_NODE} or newer; this is {version or 'none'}")
    lock, installed = SITE / "package-lock.json", SITE / "node_modules" / ".package-lock.json"
    if installed.is_file() and installed.stat().st_mtime >= lock.stat().st_mtime:
        return
    log = BUILD / "site" / "npm.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    if run_logged(["npm", "ci", "--no-audit", "--no-fund"], log, "Installing npm packages", folder=SITE):
        shutil.rmtree(SITE / "node_modules", ignore_errors=True)
        raise Refused(MISSING, f"npm could not install the packages of docs/site; its output is in {shown(log)}")
    installed.touch()


def begun_exercises(folder: Path) -> dict[str, str]:
    """The texts of those exercises in the repository that differ from what was handed out, by id."""
    begun = {}
    for entry in sorted((folder / "page_lab" / "exercises").glob("*/*.json")):
        exercise = json.loads(entry.read_text(encoding="utf-8"))
        file = ROOT / exercise["folder"] / "exercises" / f"{exercise['name']}.cu"
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else exercise["stub"]
        if text != exercise["stub"]:
            begun[exercise["id"]] = text
    return begun


def own_programs() -> dict[str, str]:
    """The texts of the programs that a user has put into the repository's folder, by name."""
    return {file.name: file.read_text(encoding="utf-8", errors="replace") for file in sorted(ROOT.glob("*.cu"))}


class _Handler(http.server.SimpleHTTPRequestHandler):
    directory: str  # that the base class serves

    def do_GET(self) -> None:  # pylint: disable=invalid-name
        """Serves files, and the user's own exercises and programs, for which the browser lab asks. Other servers have a
        file in their place."""
        if self.path != REPOSITORY:
            super().do_GET()
            return
        found = {"exercises": begun_exercises(Path(self.directory)), "programs": own_programs()}
        body = json.dumps(found).encode()
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """For a page that does not exist: the book's own page that says so."""
        page = Path(self.directory) / "404.html"
        if code != http.HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # pylint: disable=redefined-builtin
        """Prints nothing for each request."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def serve(folder: Path, page: str, port: int | None) -> int:
    """Serves until Ctrl-C. Only this machine can reach it."""
    handler = functools.partial(_Handler, directory=str(folder))
    for number in [port] if port is not None else range(8000, 8100):
        try:
            server = http.server.ThreadingHTTPServer(("127.0.0.1", number), handler)
            break
        except OverflowError:
            raise Refused(USAGE, f"--port {number}: it must be from 0 to 65535") from None
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
    else:
        raise Refused(MISSING, f"port {port or '8000 to 8099'} is in use; choose another one: --port N")
    with server:
        print(f"http://127.0.0.1:{server.server_port}/{page} (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0
