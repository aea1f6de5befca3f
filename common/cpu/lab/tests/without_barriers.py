#!/usr/bin/env python3
"""Takes each barrier and fence of a chapter away, one at a time, and asks whether the lab finds it.

    without_barriers.py BUILD_FOLDER CHAPTER [--n N]      e.g. build/cpu ch02_reduce_baseline

Prints a line for each: what was found, and whether the result was still right. It compiles the
chapter once for each barrier, so it is no part of the test suite. A fence behind an atomic
operation that only reads may stay unfound: the lab asks for the one before the operation that writes.
Exit code: how many barriers were taken away unnoticed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), '../../../..'))
ORDERING = re.compile(r'^(\s*)(__syncthreads|__syncwarp|__threadfence)\(\);')
FOUND = re.compile(r'^(race (?:within|between)|uninitialised|out of bounds|no progress|incomplete|'
                   r'divergent)', re.MULTILINE)


def commands(build, chapter):
    """The build's own commands for the program with the lab: compile and link."""
    done = subprocess.run(['ninja', '-C', build, '-t', 'commands', f'{chapter}_lab'],
                          stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    compiling = [x for x in lines if f'{chapter}_lab.dir' in x and ' -c ' in x][-1]
    linking = [x for x in lines if f'-o bin/{chapter}_lab' in x][-1]
    return compiling, linking


def try_without(folder, build, chapter, n, compiling, linking):
    """Rewrites, compiles, links and runs the changed copy in `folder`; returns its output."""
    source, thing, program = (os.path.join(folder, x) for x in ('out.cpp', 'out.o', 'program'))
    subprocess.run([sys.executable, os.path.join(ROOT, 'common/cpu/rewrite.py'),
                    os.path.join(folder, 'chapter', 'main.cu'), source, '--source-root', ROOT,
                    '--copies', os.path.join(folder, 'copies')], check=True)
    files = re.search(r' -o (\S+) -c (\S+)', compiling)
    compile_it = re.sub(r' -M[FT] \S+| -MD', '', compiling).replace(
        files.group(0), f' -o {thing} -c {source}')
    link_it = linking.replace(files.group(1), thing).replace(f'-o bin/{chapter}_lab',
                                                             f'-o {program}')
    subprocess.run(compile_it, shell=True, cwd=build, check=True)
    subprocess.run(link_it, shell=True, cwd=build, check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([program, '--faults', '--n', str(n)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, timeout=300)
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('build')
    parser.add_argument('chapter')
    parser.add_argument('--n', type=int, default=2049)
    arguments = parser.parse_args()
    build, chapter = os.path.realpath(arguments.build), arguments.chapter
    compiling, linking = commands(build, chapter)
    home = os.path.join(ROOT, chapter)
    names = [x for x in sorted(os.listdir(home))
             if x.endswith(('.cu', '.cuh', '.hpp')) and x not in ('tests.cu', 'tried.cu')]
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, 'common'), os.path.join(folder, 'common'))
        for name in names:
            with open(os.path.join(home, name), encoding='utf-8') as file:
                lines = file.read().split('\n')
            for number, line in enumerate(lines):
                if not ORDERING.match(line):
                    continue
                copy = os.path.join(folder, 'chapter')
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(home, copy)
                changed = lines[:number] + [ORDERING.sub(r'\1;', line)] + lines[number + 1:]
                with open(os.path.join(copy, name), 'w', encoding='utf-8') as file:
                    file.write('\n'.join(changed))
                output = try_without(folder, build, chapter, arguments.n, compiling, linking)
                found = sorted(set(FOUND.findall(output)))
                unnoticed += not found
                print(f"{name}:{number + 1}: {', '.join(found) or 'NOTHING FOUND'}; result "
                      f"{'wrong' if 'WRONG' in output else 'right'}: {line.strip()}", flush=True)
    return unnoticed


if __name__ == '__main__':
    sys.exit(main())
