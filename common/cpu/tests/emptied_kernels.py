#!/usr/bin/env python3
"""Does every kernel matter to its tests? Each one is made to do nothing, and a test must fail.

    emptied_kernels.py [--by-file] PROGRAM FILE.cu...

PROGRAM is a test program on the CPU backend, FILE.cu is where its kernels stand. The CPU backend
empties the kernel that TUTORIAL_CPU_EMPTY names, so nothing is compiled anew. --by-file: a kernel is
tested by the doctest cases of its own file only. Exit code 1 if tests pass without a kernel, or fail
with all of them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
KERNEL = re.compile(r'\b__global__\b(?P<head>[^;{]*)\{')
BOUNDS = re.compile(r'__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)')


def kernels_of(path):
    """Names of the kernels that are defined in a file."""
    code = OPAQUE.sub(' ', pathlib.Path(path).read_text(encoding='utf-8'))
    return [re.search(r'(\w+)\s*\(', BOUNDS.sub(' ', match.group('head'))).group(1)
            for match in KERNEL.finditer(code)]


def passes(program, file, kernel):
    """Whether the tests pass with this kernel emptied (None: with all kernels as they are)."""
    environment = dict(os.environ, TUTORIAL_CPU_TIME_LIMIT='5')
    command = [program, '--abort-after=1']
    if kernel is not None:
        environment['TUTORIAL_CPU_EMPTY'] = kernel
    if file is not None:
        command.append(f'--source-file=*{pathlib.Path(file).name}*')
    try:
        return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=300).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--by-file', action='store_true')
    parser.add_argument('program')
    parser.add_argument('files', nargs='+', metavar='FILE.cu')
    arguments = parser.parse_args()
    cases = [(file if arguments.by_file else None, file, kernel)
             for file in arguments.files for kernel in kernels_of(file)]
    if not cases:
        print('no kernels were found')
        return 1
    if not passes(arguments.program, None, None):
        print(f'{arguments.program} fails with all kernels as they are')
        return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        passing = list(pool.map(lambda case: passes(arguments.program, case[0], case[2]), cases))
    survivors = [case for case, passed in zip(cases, passing) if passed]
    for _, file, kernel in survivors:
        print(f'passes without it: {kernel} of {pathlib.Path(file).name}')
    print(f'{len(cases)} kernels emptied, {len(cases) - len(survivors)} found by a test')
    return 1 if survivors else 0


if __name__ == '__main__':
    sys.exit(main())
