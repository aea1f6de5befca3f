#!/usr/bin/env python3
"""Takes each barrier and fence of a chapter away, one at a time, and asks whether the lab finds it.

    without_barriers.py BUILD_FOLDER CHAPTER [--n N …]      e.g. build/cpu ch02_reduce_baseline

A copy of the chapter is compiled once, with every barrier behind a question; the environment says
which one is away in a run. Prints a line for each: what was found, and whether the result was still
right. A barrier whose absence no run of these sizes can show is listed in without_barriers.txt, with
the reason. Exit code: 1 where the list and what was found do not agree.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, '../../../..'))
LIST = os.path.join(HERE, 'without_barriers.txt')
SIZES = {'ch01_bubble': [1027], 'ch05_merge_bitonic': [1027, 4096]}
ORDERING = re.compile(r'^(\s*)(.*?)\b(__syncthreads|__syncwarp|__threadfence)\(\);')
FOUND = re.compile(r'^(race (?:within|between)|missing fence|uninitialised|out of bounds|'
                   r'no progress|incomplete|divergent)', re.MULTILINE)
QUESTION = '''#include <cstdlib>
inline const int barrier_away = std::getenv("BARRIER_AWAY") ? std::atoi(std::getenv("BARRIER_AWAY"))
                                                            : 0;
'''


def commands(build, chapter):
    """The build's own commands for the program with the lab: compile and link."""
    done = subprocess.run(['ninja', '-C', build, '-t', 'commands', f'{chapter}_lab'],
                          stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    compiling = [x for x in lines if f'{chapter}_lab.dir' in x and ' -c ' in x][-1]
    linking = [x for x in lines if f'-o bin/{chapter}_lab' in x][-1]
    return compiling, linking


def put_questions(folder):
    """Puts each barrier of the copy behind a question. A list: (file, line number, the line)."""
    barriers = []
    for name in sorted(os.listdir(folder)):
        if not name.endswith(('.cu', '.cuh', '.hpp')) or name in ('tests.cu', 'tried.cu',
                                                                  'library.cuh'):
            continue
        path = os.path.join(folder, name)
        with open(path, encoding='utf-8') as file:
            lines = file.read().split('\n')
        for number, line in enumerate(lines):
            found = ORDERING.match(line)
            if not found or found.group(2).startswith('//'):
                continue
            barriers.append((name, number + 1, line.strip()))
            lines[number] = (f'{found.group(1)}{found.group(2)}'
                             f'if (barrier_away != {len(barriers)}) {found.group(3)}();')
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(lines))
    return barriers


def build_copy(folder, build, chapter):
    """Rewrites, compiles and links the changed copy in `folder`; returns the program."""
    source, thing, program, question = (os.path.join(folder, x)
                                        for x in ('out.cpp', 'out.o', 'program', 'question.hpp'))
    with open(question, 'w', encoding='utf-8') as file:
        file.write(QUESTION)
    subprocess.run([sys.executable, os.path.join(ROOT, 'common/cpu/rewrite.py'),
                    os.path.join(folder, chapter, 'main.cu'), source, '--source-root', ROOT,
                    '--copies', os.path.join(folder, 'copies')], check=True)
    compiling, linking = commands(build, chapter)
    files = re.search(r' -o (\S+) -c (\S+)', compiling)
    compile_it = re.sub(r' -M[FT] \S+| -MD', '', compiling).replace(
        files.group(0), f' -include {question} -o {thing} -c {source}')
    link_it = linking.replace(files.group(1), thing).replace(f'-o bin/{chapter}_lab',
                                                             f'-o {program}')
    subprocess.run(compile_it, shell=True, cwd=build, check=True)
    subprocess.run(link_it, shell=True, cwd=build, check=True, stdout=subprocess.DEVNULL)
    return program


def run(program, away, sizes):
    """What is said at one of the sizes; the first at which anything is found."""
    for n in sizes:
        done = subprocess.run([program, '--faults', '--n', str(n)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=300,
                              env=dict(os.environ, BARRIER_AWAY=str(away),
                                       TUTORIAL_CPU_TIME_LIMIT='5'))
        found = sorted(set(FOUND.findall(done.stdout)))
        if found:
            break
    return found, 'WRONG' in done.stdout


def unseen(chapter):
    """{(file, the barrier's line): reason}, of without_barriers.txt"""
    reasons = {}
    with open(LIST, encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                name, code, reason = (part.strip() for part in line.split(' | '))
                if name.startswith(chapter + '/'):
                    reasons[(name.split('/')[1], code)] = reason
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('build')
    parser.add_argument('chapter')
    parser.add_argument('--n', type=int, nargs='+')
    arguments = parser.parse_args()
    build, chapter = os.path.realpath(arguments.build), arguments.chapter
    sizes = arguments.n or SIZES.get(chapter, [2049])
    reasons, bad, used = unseen(chapter), 0, set()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, 'common'), os.path.join(folder, 'common'))
        shutil.copytree(os.path.join(ROOT, chapter), os.path.join(folder, chapter))
        barriers = put_questions(os.path.join(folder, chapter))
        program = build_copy(folder, build, chapter)
        found, is_wrong = run(program, 0, sizes)
        if found or is_wrong:
            sys.exit(f'{chapter}: not right with all its barriers: {found}')
        for away, (name, number, line) in enumerate(barriers, 1):
            found, is_wrong = run(program, away, sizes)
            reason = reasons.get((name, line))
            used.add((name, line))
            verdict = ', '.join(found) or reason or 'NOTHING FOUND'
            if found and reason:
                verdict += '; BUT without_barriers.txt SAYS NOTHING IS: ' + reason
            bad += bool(found) == bool(reason)
            print(f"{name}:{number}: {verdict}; result {'wrong' if is_wrong else 'right'}: {line}",
                  flush=True)
        for name, line in sorted(set(reasons) - used):
            print(f'{name}: without_barriers.txt names a barrier that is not there: {line}')
            bad += 1
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
