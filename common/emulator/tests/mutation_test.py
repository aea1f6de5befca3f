#!/usr/bin/env python3
"""Does every kernel matter to its tests? Each one is made to do nothing, and a test must fail.

    mutation_test.py [--by-file] PROGRAM FILE.cu...

PROGRAM is a test program on the CPU backend; its kernels stand in FILE.cu and in what that includes
from its own folder. The CPU backend empties the kernel that TUTORIAL_CPU_MUTATION names, so nothing is
compiled anew. --by-file: a kernel is tested by the doctest cases of its own file only. Exit code 1 if
tests pass without a kernel, do not launch it, or fail with all of them.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
KERNEL = re.compile(r'\b__global__\b(?P<head>[^;{]*)\{')
BOUNDS = re.compile(r'__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)')


def without_gpu_only(text):
    """The text without what stands between #if defined(__CUDACC__) and its #else or #endif."""
    kept = []
    skipping = []  # for each open #if: whether its lines are left out
    for line in text.split('\n'):
        directive = re.match(r'\s*#\s*(if|else|elif|endif)', line)
        word = directive.group(1) if directive else ''
        if word == 'if':
            skipping.append(re.match(r'\s*#\s*if(def\s+|\s+defined\s*\(?\s*)__CUDACC__', line)
                            is not None)
        elif word in ('else', 'elif') and skipping:
            skipping[-1] = False
        elif word == 'endif' and skipping:
            skipping.pop()
        kept.append('' if any(skipping) else line)
    return '\n'.join(kept)


def kernels_of(path, seen=None):
    """Names of the kernels that a file defines, or one that it includes from its own folder."""
    path = pathlib.Path(path)
    seen = set() if seen is None else seen
    seen.add(path)
    text = without_gpu_only(path.read_text(encoding='utf-8'))
    names = []
    for name in INCLUDE.findall(text):
        included = path.parent / name
        if '..' not in name and included.exists() and included not in seen:
            names += kernels_of(included, seen)
    for match in KERNEL.finditer(OPAQUE.sub(' ', text)):
        names.append(re.search(r'(\w+)\s*\(', BOUNDS.sub(' ', match.group('head'))).group(1))
    return list(dict.fromkeys(names))


def passes(program, file, kernel):
    """Whether the tests pass with this kernel emptied (None: with all as they are), and launch it."""
    environment = dict(os.environ, TUTORIAL_CPU_TIME_LIMIT='5')
    command = [program, '--abort-after=1']
    if kernel is not None:
        environment.update(TUTORIAL_CPU_MUTATION=kernel, TUTORIAL_CPU_WORKERS='1')
    if file is not None:
        command.append(f'--source-file=*{pathlib.Path(file).name}*')
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=300)
    except subprocess.TimeoutExpired:
        return False, True
    return done.returncode == 0, b'(TUTORIAL_CPU_MUTATION)' in done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--by-file', action='store_true')
    parser.add_argument('program')
    parser.add_argument('files', nargs='+', metavar='FILE.cu')
    arguments = parser.parse_args()
    cases = [(file, kernel) for file in arguments.files for kernel in kernels_of(file)]
    if not cases:
        print('no kernels were found')
        return 1
    if not passes(arguments.program, None, None)[0]:
        print(f'{arguments.program} fails with all kernels as they are')
        return 1

    def run(case):
        return passes(arguments.program, case[0] if arguments.by_file else None, case[1])

    found = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (file, kernel), (passed, launched) in zip(cases, pool.map(run, cases)):
            if passed or not launched:
                what = 'passes without' if launched else 'no test launches'
                print(f'{what} {kernel} of {pathlib.Path(file).name}', flush=True)
            else:
                found += 1
    print(f'{len(cases)} kernels emptied, {found} found by a test')
    return 0 if found == len(cases) else 1


if __name__ == '__main__':
    sys.exit(main())
