#!/usr/bin/env python3
"""Compares the lab's counts with Nsight Compute's, kernel by kernel.

    compare.py measure --programs build/cuda/bin --output counts.csv
        on a GPU with ncu: what the hardware counted, for the patterns and for each chapter
    compare.py join --programs build/cpu/bin --ncu counts.csv --output docs/results/lab_vs_ncu.csv
        anywhere: runs the same under the lab and puts the two side by side

A kernel's launches, and the instances of a template, are added up. Each stage runs once, at the
sizes below. Columns of the result, one line for each kernel and quantity:
    program, kernel, n, quantity, lab, ncu, difference_percent, within, why
`within`: yes where they agree as closely as asked; `why` says what is known to differ.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import time

# Small enough that a profiler, which runs each launch several times, is done in seconds.
SIZES = {
    'ch02_reduce_baseline': 1 << 18,
    'ch03_reduce_optimized': 1 << 20,
    'ch04_squaresum': 1 << 18,
    'ch06_topk': 1 << 16,
    'ch05_merge_bitonic': 128,
    'ch01_bubble': 128,
}
METRICS = {
    'global_load_requests': 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum',
    'global_load_sectors': 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum',
    'global_store_requests': 'l1tex__t_requests_pipe_lsu_mem_global_op_st.sum',
    'global_store_sectors': 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum',
    'shared_load_wavefronts': 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum',
    'shared_store_wavefronts': 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum',
    'shared_load_conflicts': 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum',
    'shared_store_conflicts': 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum',
    'shared_atomic_wavefronts': 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum',
    'instructions': 'smsp__inst_executed.sum',
    'thread_instructions': 'smsp__thread_inst_executed.sum',
}
# Quantity: (dividend, divisor, percent that they may differ).
QUANTITIES = {
    'sectors/load': ('global_load_sectors', 'global_load_requests', 2.0),
    'sectors/store': ('global_store_sectors', 'global_store_requests', 2.0),
    'global load requests': ('global_load_requests', None, 2.0),
    'global store requests': ('global_store_requests', None, 2.0),
    'passes/least, shared load': ('shared_load_wavefronts', 'shared_load_least', 5.0),
    'passes/least, shared store': ('shared_store_wavefronts', 'shared_store_least', 5.0),
    'shared load wavefronts': ('shared_load_wavefronts', None, 5.0),
    'shared store wavefronts': ('shared_store_wavefronts', None, 5.0),
    'shared atomic wavefronts': ('shared_atomic_wavefronts', None, 5.0),
    'active lanes': ('thread_instructions', 'instructions', 5.0),
}


def fail(text):
    print(f'compare.py: {text}', file=sys.stderr)
    sys.exit(1)


def base_name(kernel):
    """'void (anonymous namespace)::best_kernel<(bool)1>(const float *)' -> 'best_kernel'"""
    found = re.search(r'(\w+_kernel)\b', kernel)
    return found.group(1) if found else None


def number(text):
    try:
        return float(text.replace(',', ''))
    except ValueError:
        return 0.0


def profile(command, sums, shapes):
    """Runs a program under ncu and adds what it counted to sums[kernel][metric]."""
    ncu = ['ncu', '--csv', '--page', 'raw', '--profile-from-start',
           'off' if '--once' in command else 'on', '--metrics', ','.join(METRICS.values())]
    done = subprocess.run(ncu + command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    head = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if head is None:
        fail(f'ncu said nothing of {command[0]}: {done.stdout[-400:]} {done.stderr[-400:]}')
    for row in csv.DictReader(lines[head:]):
        kernel = base_name(row.get('Kernel Name', ''))
        if kernel is None:
            continue
        mine = sums.setdefault(kernel, dict.fromkeys(METRICS, 0.0))
        for name, metric in METRICS.items():
            mine[name] += number(row.get(metric, ''))
        shapes.setdefault(kernel, set()).add(re.sub(r'\s', '', row.get('Grid Size', '')))


def measure(arguments):
    with open(arguments.output, 'w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file)
        writer.writerow(['program', 'n', 'kernel', 'grids'] + list(METRICS))
        for program, n in [('lab_patterns', 0)] + list(SIZES.items()):
            if arguments.only and program not in arguments.only:
                continue
            path = os.path.join(arguments.programs, program if n == 0 else program + '_cuda')
            if not os.path.exists(path):
                print(f'{path} is not there: left out')
                continue
            sums, shapes = {}, {}
            began = time.time()
            profile([path] if n == 0 else [path, '--once', '--n', str(n)], sums, shapes)
            for kernel, values in sums.items():
                writer.writerow([program, n, kernel, ' '.join(sorted(shapes[kernel])[:4])] +
                                [int(values[name]) for name in METRICS])
            file.flush()
            print(f'{program}: {len(sums)} kernels, {time.time() - began:.0f} s', flush=True)


def lab_kernels(programs, program, n):
    path = os.path.join(programs, program + '_lab')
    command = [path] if n == 0 else [path, '--explain', '--json', '--n', str(n)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    report = json.loads(done.stdout)
    return report if n == 0 else [k for stage in report['stages'] for k in stage['kernels']]


def lab_counts(programs, program, n):
    """The lab's counts[kernel][metric], added up like ncu's."""
    sums, shapes = {}, {}
    for kernel in lab_kernels(programs, program, n):
        name = base_name(kernel['kernel'])
        mine = sums.setdefault(name, dict.fromkeys(list(METRICS) +
                                                   ['shared_load_least', 'shared_store_least'], 0))
        shapes.setdefault(name, set()).add('({})'.format(','.join(map(str, kernel['grid']))))
        mine['instructions'] += kernel['steps']
        mine['thread_instructions'] += kernel['lane_steps']
        for row in kernel['rows']:
            what = f"{row['space']}_{row['operation']}"
            if row['operation'] == 'atomic':
                if row['space'] == 'shared':
                    mine['shared_atomic_wavefronts'] += row['wavefronts']
                continue
            if row['space'] == 'global':
                mine[what + '_requests'] += row['requests']
            else:
                mine[what + '_least'] += row['least_wavefronts']
            mine[what + ('_sectors' if row['space'] == 'global' else '_wavefronts')] += row[
                'sectors' if row['space'] == 'global' else 'wavefronts']
    return sums, shapes


def value(counts, dividend, divisor):
    if divisor is None:
        return float(counts[dividend])
    return counts[dividend] / counts[divisor] if counts[divisor] else None


def reason(quantity, same_grid):
    if not same_grid:
        return 'another grid: its size follows the number of multiprocessors'
    if quantity == 'active lanes':
        return 'a short branch becomes instructions that all lanes run; and the lab weighs source, not them'
    if 'atomic' in quantity:
        return 'the compiler adds up what lanes of a warp give to one address'
    return 'the compiler keeps some values in registers, or merges or splits accesses'


def summary_of(rows):
    """How many kernels were compared in each quantity, and how many agree."""
    lines = [f"{'':<32}  {'patterns':^16}  {'chapters':^32}", f"{'':<32}  {'kernels':>7} {'agree':>8}"
             f"  {'kernels':>7} {'agree':>8} {'another grid':>15}"]
    for quantity, (_, _, percent) in QUANTITIES.items():
        cells = []
        for is_pattern in (True, False):
            mine = [r for r in rows if r[3] == quantity and (r[0] == 'lab_patterns') == is_pattern]
            cells += [len(mine), sum(r[7] == 'yes' for r in mine),
                      sum(r[8].startswith('another grid') for r in mine)]
        lines.append(f'{quantity + f" ({percent:g} %)":<32}  {cells[0]:>7} {cells[1]:>8}  '
                     f'{cells[3]:>7} {cells[4]:>8} {cells[5]:>15}')
    return '\n'.join(line.rstrip() for line in lines) + '\n'


def join(arguments):
    measured = []
    for name in arguments.ncu:
        with open(name, newline='', encoding='utf-8') as file:
            measured += csv.DictReader(file)
    if not measured:
        fail('nothing was measured')
    rows = []
    for program in dict.fromkeys(row['program'] for row in measured):
        mine = [row for row in measured if row['program'] == program]
        n = int(mine[0]['n'])
        counts, shapes = lab_counts(arguments.programs, program, n)
        for row in mine:
            kernel = row['kernel']
            if kernel not in counts:
                continue
            theirs = {name: float(row.get(name) or 0) for name in METRICS}
            for kind in ('load', 'store'):
                # Bank conflicts are the passes beyond the least.
                theirs[f'shared_{kind}_least'] = (theirs[f'shared_{kind}_wavefronts'] -
                                                  theirs[f'shared_{kind}_conflicts'])
            grids = set(row['grids'].split())
            # Of a kernel with many shapes only the first few are noted.
            same_grid = grids == shapes[kernel] or (len(grids) == 4 and shapes[kernel] <= grids)
            for quantity, (dividend, divisor, percent) in QUANTITIES.items():
                lab = value(counts[kernel], dividend, divisor)
                ncu = value(theirs, dividend, divisor)
                if not lab and not ncu:
                    continue
                lab, ncu = lab or 0.0, ncu or 0.0
                difference = 100.0 * (lab - ncu) / ncu if ncu else 100.0
                within = abs(difference) <= percent
                rows.append([program, kernel, n, quantity, f'{lab:.6g}', f'{ncu:.6g}',
                             f'{difference:.2f}', 'yes' if within else 'no',
                             '' if within else reason(quantity, same_grid)])
    with open(arguments.output, 'w', newline='', encoding='utf-8') as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(['program', 'kernel', 'n', 'quantity', 'lab', 'ncu', 'difference_percent',
                         'within', 'why'])
        writer.writerows(rows)
    summary = os.path.splitext(arguments.output)[0] + '.txt'
    with open(summary, 'w', encoding='utf-8') as file:
        file.write(summary_of(rows))
    good = sum(row[7] == 'yes' for row in rows)
    print(f'{len(rows)} lines, {good} within: {arguments.output}')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    commands = parser.add_subparsers(dest='command', required=True)
    one = commands.add_parser('measure')
    one.add_argument('--programs', required=True, help='folder of the programs for the GPU')
    one.add_argument('--output', required=True)
    one.add_argument('--only', nargs='+', help='these programs alone, e.g. ch06_topk')
    two = commands.add_parser('join')
    two.add_argument('--programs', required=True, help='folder of the programs with the lab')
    two.add_argument('--ncu', required=True, nargs='+', help='what measure wrote')
    two.add_argument('--output', required=True)
    arguments = parser.parse_args()
    measure(arguments) if arguments.command == 'measure' else join(arguments)


if __name__ == '__main__':
    main()
