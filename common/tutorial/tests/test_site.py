"""The book's build: where its output goes, and how it ends."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from unittest import mock

from tutorial import site
from building.errors import Refused

# In place of Node.js: prints whether it writes to a terminal, then what the test wants.
NODE = """#!/bin/sh
if [ -t 0 ] || [ -t 1 ] || [ -t 2 ]; then echo on a terminal; else echo on no terminal; fi
{then}
"""
BUILD = """
import sys
from pathlib import Path
from unittest import mock
from tutorial import site
with mock.patch.object(site, "BUILD", Path(sys.argv[1])):
    site.write_pages(Path("bin"))
"""


def has_terminals() -> bool:
    """A container may have no /dev/pts."""
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:
        return False
    return True


class WritePages(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(site, "BUILD", self.folder))
        self.enterContext(mock.patch.object(site, "shown", str))
        self.log = self.folder / "site/build.log"

    def enterContext(self, cm):  # Python 3.11 has it
        value = cm.__enter__()
        self.addCleanup(cm.__exit__, None, None, None)
        return value

    def node(self, then):
        """A PATH on which `node` does this."""
        node = self.folder / "node"
        node.write_text(NODE.format(then=then))
        node.chmod(0o755)
        return f"{self.folder}:{os.environ['PATH']}"

    def test_its_last_words_are_shown_and_all_are_in_the_log(self):
        out = io.StringIO()
        with mock.patch.dict(os.environ, PATH=self.node("echo much; echo recordings; echo texts")):
            with contextlib.redirect_stdout(out):
                site.write_pages(Path("bin"))
        self.assertEqual(out.getvalue().splitlines()[1:], ["recordings", "texts"])
        self.assertEqual(self.log.read_text(), "on no terminal\nmuch\nrecordings\ntexts\n")

    def test_where_it_fails_the_log_says_why(self):
        with mock.patch.dict(os.environ, PATH=self.node("echo no such link >&2; exit 4")):
            with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(Refused) as refused:
                site.write_pages(Path("bin"))
        self.assertEqual(refused.exception.code, 4)
        self.assertIn("no such link", str(refused.exception))

    @unittest.skipUnless(has_terminals(), "the test of a terminal of 0 columns: there are no pseudo-terminals here")
    def test_on_a_terminal_of_0_columns_it_writes_to_the_log_and_sigterm_ends_it(self):
        path = self.node(f"echo $$ > {self.folder}/pid; exec sleep 60")
        reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 0, 0, 0, 0))
        environment = os.environ | {"PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)}
        words = [sys.executable, "-c", BUILD, str(self.folder)]
        with subprocess.Popen(words, stdin=writer, stdout=writer, stderr=writer, env=environment) as building:
            pid = self.folder / "pid"
            for _ in range(200):
                if pid.is_file() and pid.read_text().strip():
                    break
                time.sleep(0.05)
            building.send_signal(signal.SIGTERM)
            self.assertEqual(building.wait(timeout=20), 1)
        os.close(writer)
        self.assertEqual(self.log.read_text(), "on no terminal\n")
        self.assertLess(len(os.read(reader, 1 << 16)), 4000)
        os.close(reader)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid.read_text()), 0)


class Serve(unittest.TestCase):
    def test_exercises_that_were_begun_and_own_programs_are_served(self):
        with tempfile.TemporaryDirectory() as name, mock.patch.object(site, "ROOT", Path(name)):
            root = Path(name)
            listed, files = root / "page_lab/exercises/ch01", root / "ch01_x/exercises"
            listed.mkdir(parents=True)
            files.mkdir(parents=True)
            for number, text in enumerate(["stub", "mine"], 1):
                about = {"id": f"ch01/ex{number}", "folder": "ch01_x", "name": f"ex{number}_y", "stub": "stub"}
                (listed / f"ex{number}.json").write_text(json.dumps(about))
                (files / f"ex{number}_y.cu").write_text(text)
            (root / "saxpy.cu").write_text("int main() {}\n")
            said = io.StringIO()
            with mock.patch.object(site.http.server.ThreadingHTTPServer, "serve_forever", answer_once):
                with contextlib.redirect_stdout(said):
                    self.assertEqual(site.serve(root, "", 0), 0)
        served = {"exercises": {"ch01/ex2": "mine"}, "programs": {"saxpy.cu": "int main() {}\n"}}
        self.assertEqual(json.loads(said.getvalue().splitlines()[1]), served)

    def test_a_page_that_does_not_exist_is_the_books_own_404(self):
        with tempfile.TemporaryDirectory() as name:
            (Path(name) / "404.html").write_text("the book says: not here")
            said = []

            def ask(server):
                threading.Thread(target=server.handle_request).start()
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/no/such/page.html")
                except urllib.error.HTTPError as error:
                    said.extend([error.code, error.read().decode()])

            with mock.patch.object(site.http.server.ThreadingHTTPServer, "serve_forever", ask):
                with contextlib.redirect_stdout(io.StringIO()):
                    self.assertEqual(site.serve(Path(name), "", 0), 0)
        self.assertEqual(said, [404, "the book says: not here"])


def answer_once(server):
    """In place of serve_forever(): requests the user's files, and prints the answers."""
    threading.Thread(target=server.handle_request).start()
    with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}{site.REPOSITORY}") as answer:
        print(answer.read().decode())


if __name__ == "__main__":
    unittest.main()
