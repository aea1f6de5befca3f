// What the compiler and the linker are told.

/** Where headers lie in the compiler's file system; every program sees these. */
export const HEADER_FOLDERS = [
    'common/emulator/wasm/include',
    'common/emulator/include',
    'common/lab/include',
];

const INCLUDES = HEADER_FOLDERS.map((folder) => `-I${folder}`);

/** Passes of -O1 that would change which accesses a program makes, or its basic blocks. The rest are what a
 *  reader of the source expects (inlining, variables in registers). The lab's plugin for native clang leaves the
 *  same passes (common/lab/llvm_plugin). */
const PASSES_LEFT_OUT = [
    'adce',
    'alignment-from-assumptions',
    'bdce',
    'called-value-propagation',
    'codegenprepare',
    'consthoist',
    'constmerge',
    'coro-annotation-elide',
    'deadargelim',
    'declare-to-assign',
    'div-rem-pairs',
    'drop-unnecessary-assumes',
    'expand-memcmp',
    'float2int',
    'globalopt',
    'indvars',
    'infer-alignment',
    'inject-tli-mappings',
    'instcombine',
    'instsimplify',
    'ipsccp',
    'lcssa',
    'libcalls-shrinkwrap',
    'licm',
    'loop-deletion',
    'loop-distribute',
    'loop-idiom',
    'loop-instsimplify',
    'loop-load-elim',
    'loop-rotate',
    'loop-simplify',
    'loop-simplifycfg',
    'loop-sink',
    'loop-unroll',
    'loop-unroll-full',
    'loop-vectorize',
    'memcpyopt',
    'mergeicmps',
    'openmp-opt',
    'partially-inline-libcalls',
    'reassociate',
    'recompute-globalsaa',
    'rel-lookup-table-converter',
    'sccp',
    'simple-loop-unswitch',
    'sroa',
    'tailcallelim',
    'vector-combine',
];

/** clang takes seconds to report each #pragma unroll that it ignores, which is all of them: -Wno-pass-failed. */
const WARNINGS = 'transform-warning';

const LLVM = [
    // WebAssembly has no return address to hand over: sites.mjs adds the hooks of entry and exit.
    '-tsan-instrument-func-entry-exit=0',
    '-tsan-instrument-read-before-write=1',
    '-tsan-distinguish-volatile=1',
    `-opt-disable=${PASSES_LEFT_OUT.join(',')},${WARNINGS}`,
    // Branches stay branches.
    '-phi-node-folding-threshold=1',
    '-two-entry-phi-node-folding-threshold=1',
    '-speculate-one-expensive-inst=0',
    '-simplifycfg-hoist-common=0',
    '-simplifycfg-sink-common=0',
    '-simplifycfg-merge-cond-stores=0',
    '-simplifycfg-hoist-cond-stores=0',
    // A call of a hook in a catch clause is not marked as one of the clause; it must stay all the same.
    '-disable-cleanups',
].flatMap((option) => ['-mllvm', option]);

/** A program of a learner or of a chapter. The driver refuses -fsanitize=thread for WebAssembly; the compiler
 *  that it calls does not. */
const WATCHED = [
    '-O1',
    '-gdwarf-4',
    '-gline-tables-only',
    '-Xclang',
    '-fsanitize=thread',
    '-fsanitize-coverage=bb,no-prune,trace-pc',
    '-fsanitize=array-bounds',
    ...LLVM,
];
const MEMORY_CALLS = ['-include', 'common/lab/include/lab/memory_calls.hpp'];

/** Looking for faults also requires that unset variables are recognised (unset_variables.mjs); the pattern adds basic
 *  blocks. */
export const FILLS = '-ftrivial-auto-var-init=pattern';
const FILLED = [FILLS, '-DLAB_FILLS_VARIABLES=1', '-fsanitize=return'];

/** WebAssembly's first form of exceptions: Node 20 does not support others
 *  (common/emulator/wasm/exceptions.cpp). */
const EXCEPTIONS = ['-fwasm-exceptions', '-mllvm', '-wasm-use-legacy-eh=true'];

/** For a program that clang has begun to compile. */
export const IR_OPTIONS = [...WATCHED, ...EXCEPTIONS];

/** mode: run, count or faults. One build serves to run and to count. */
export const compileOptions = (mode, standard = STANDARD) => [
    `-std=${standard}`,
    ...INCLUDES,
    ...WATCHED,
    ...EXCEPTIONS,
    ...MEMORY_CALLS,
    ...(mode === 'faults' ? FILLED : []),
    '-Wno-unused',
    '-Wno-pass-failed', // #pragma unroll: loops stay as they are written
];

/** Precompiled headers that most programs include: parsing them takes most of a small program's time.
 *  memory_calls.hpp differs from mode to mode, so each program includes it itself. */
export const PRECOMPILED = `#define LAB_SEES_MEMORY_CALLS 1
#undef NDEBUG
#include <cuda_runtime.h>
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
`;
const STANDARD = 'c++17';

/** For headers alone: their templates are instantiated once, not in each program: parsing takes half as long. */
export const PRECOMPILE = ['-fpch-instantiate-templates', '-Xclang', '-fno-pch-timestamp'];

export const precompileOptions = [
    `-std=${STANDARD}`,
    ...INCLUDES,
    ...WATCHED,
    ...EXCEPTIONS,
    '-Wno-unused',
    ...PRECOMPILE,
];

/** For a program of this standard, with these files as precompiled headers. */
export const usePrecompiled = (standard = STANDARD) =>
    standard === STANDARD ? ['-include-pch', 'headers.pch'] : [];

/** Additional options for a chapter's program: its sources are below src/, as translate.py has made them. */
export const chapterOptions = (folder) => ['-DTUTORIAL_EMULATOR', '-Isrc', `-Isrc/${folder}`];

/** The emulator, the lab and the harness themselves. */
export const LIBRARY_OPTIONS = [
    '-std=c++20',
    '-O2',
    ...EXCEPTIONS,
    '-Wall',
    '-Wextra',
    '-Wno-unused-private-field',
    '-D_WASI_EMULATED_SIGNAL',
    '-D_WASI_EMULATED_PROCESS_CLOCKS',
    '-D_WASI_EMULATED_GETPID',
    ...INCLUDES,
    '-isystem',
    'ext',
];

const LIB = '/usr/lib/wasm32-wasip1';
const STACK_BYTES = 262144;

/** The map is printed: written to a file of the virtual file system it takes ten times as long. */
export const linkOptions = (objects, output = 'program.wasm') => [
    '-o',
    output,
    `${LIB}/crt1-command.o`,
    ...objects,
    '--whole-archive',
    'liblab.a',
    '--no-whole-archive',
    'libemulator.a',
    `-L${LIB}`,
    '-lc++',
    '-lc++abi',
    '-lc',
    '-lwasi-emulated-signal',
    '-lwasi-emulated-process-clocks',
    '-lwasi-emulated-getpid',
    '/usr/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a',
    '-z',
    `stack-size=${STACK_BYTES}`,
    '--stack-first',
    '--export=__stack_pointer',
    '--export=page_hook',
    '--export=page_call',
    '--export=lab_func_entry',
    '--export=lab_block',
    '--export=__tsan_func_exit',
    '--no-demangle',
    '--print-map',
];
