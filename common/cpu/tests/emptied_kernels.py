#!/usr/bin/env python3
"""Does every kernel of the suite matter? Each one is emptied in turn, and a test must fail.

    emptied_kernels.py generate SOURCE_DIR OUTPUT_DIR FILE...
        Copies the test files. Every kernel of a copy returns at once when the environment variable
        EMPTIED_KERNEL holds its name, "file:kernel". OUTPUT_DIR/kernels.txt lists the names.
    emptied_kernels.py run KERNELS_TXT PROGRAM
        Runs the tests of each kernel's file with that kernel emptied. Exit code 1 if a kernel's
        tests pass without it.
"""

import os
import pathlib
import re
import subprocess
import sys

KERNEL = re.compile(r'__global__')


def closing(text, start):
    """Offset of the bracket that closes the one at `start`."""
    pairs = {'(': ')', '{': '}'}
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == text[start]) - (text[i] == pairs[text[start]])
        if depth == 0:
            return i
    raise ValueError('a bracket is not closed')


def add_exits(text, file):
    """The text with an exit at the start of every kernel, and the kernels' names."""
    names = []
    result = ''
    done = 0
    for word in KERNEL.finditer(text):
        # The name is the last word before the parameter list, which comes before the body.
        body = text.index('{', word.start())
        head = text[word.end():body]
        if ';' in head:
            continue
        bounds = head.find('__launch_bounds__')
        start = 0
        if bounds >= 0:
            start = closing(head, head.index('(', bounds)) + 1
        name = re.search(r'(\w+)\s*\(', head[start:]).group(1)
        names.append(f'{file}:{name}')
        result += text[done:body + 1]
        result += f' if (::kernel_is_emptied("{file}:{name}")) return; '
        done = body + 1
    return result + text[done:], names


PRELUDE = """#include <cstdlib>
#include <cstring>
inline bool kernel_is_emptied(const char* name) {
    static const char* const emptied = std::getenv("EMPTIED_KERNEL");
    return emptied != nullptr && std::strcmp(emptied, name) == 0;
}
"""


def generate(source, output, files):
    output = pathlib.Path(output)
    names = []
    for file in files:
        text = (pathlib.Path(source) / file).read_text()
        text, found = add_exits(text, pathlib.Path(file).name)
        names += found
        copy = output / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = text.replace('"../', '"')
        copy.write_text(PRELUDE + f'#line 1 "{file}"\n' + text)
    (output / 'kernels.txt').write_text('\n'.join(names) + '\n')


def run(kernels, program):
    names = pathlib.Path(kernels).read_text().split()
    survivors = []
    for name in names:
        environment = dict(os.environ, EMPTIED_KERNEL=name, TUTORIAL_CPU_TIME_LIMIT='2')
        file = name.split(':')[0]
        try:
            done = subprocess.run([program, f'--source-file=*{file}*'], env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
            failed = done.returncode != 0
        except subprocess.TimeoutExpired:
            failed = True
        if not failed:
            survivors.append(name)
            print(f'passes without it: {name}')
    print(f'{len(names)} kernels emptied, {len(names) - len(survivors)} found by a test')
    return 1 if survivors or not names else 0


if __name__ == '__main__':
    if len(sys.argv) >= 5 and sys.argv[1] == 'generate':
        generate(sys.argv[2], sys.argv[3], sys.argv[4:])
    elif len(sys.argv) == 4 and sys.argv[1] == 'run':
        sys.exit(run(sys.argv[2], sys.argv[3]))
    else:
        sys.exit(__doc__)
