#!/usr/bin/env python3
"""expect.py PROGRAM EXPECTED [--write]: runs a program of the gallery and compares what it prints."""

import difflib
import subprocess
import sys


def main():
    program, expected = sys.argv[1:3]
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, timeout=60)
    if '--write' in sys.argv:
        with open(expected, 'w', encoding='utf-8') as file:
            file.write(done.stdout)
        return 0
    with open(expected, encoding='utf-8') as file:
        wanted = file.read()
    right_code = 0 if wanted.endswith('No fault found.\n') else 1
    if done.stdout != wanted:
        sys.stdout.writelines(difflib.unified_diff(
            wanted.splitlines(True), done.stdout.splitlines(True), 'expected', 'printed'))
    if done.returncode != right_code:
        print(f'exit code {done.returncode}, expected {right_code}')
    return int(done.stdout != wanted or done.returncode != right_code)


if __name__ == '__main__':
    sys.exit(main())
