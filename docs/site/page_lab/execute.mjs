// Runs a program that chain.mjs has made, or that was made when the site was built (ready.mjs).
import { wasi } from './wasi.mjs';

/** The numbers of common/emulator/wasm/traps.hpp. */
const TRAP = {
    none: 0,
    left: 1,
    illegalAddress: 2,
    division: 3,
    illegalInstruction: 4,
    stack: 5,
    tooLong: 6,
};
/** As Chromium, Firefox and Safari word it. */
const TRAP_WORDS = [
    [/divide by zero|integer overflow|divide result unrepresentable|division by zero/i, TRAP.division],
    [/out.of.bounds/i, TRAP.illegalAddress],
    [/unreachable|indirect call|function signature mismatch|null function/i, TRAP.illegalInstruction],
    [/call stack|recursion/i, TRAP.stack],
];
/** The exit code of a program that must be started again: common/lab/wasm/program.cpp. */
const AGAIN = 99;
const MAX_RUNS = 4;
/** What a shell reports for a program ended by abort(). */
const ABORTED = 134;

/**
 * @param program {wasm, files, sources}
 * @param mode 'run', 'count', 'faults', 'play': faults with a trace, or 'trace': a trace alone. A program with options of its own
 *     (a chapter's, which has --explain) is given them in args and runs with mode 'run'.
 * @param order 'forward', 'reverse' or 'shuffle:SEED'
 * @param withoutBarrier FILE:LINE of a __syncthreads() that is left out
 * @param timeLimit seconds without progress after which a launch is ended
 * @param hostLimit seconds without a kernel after which the host's side is ended; 0: none
 * @param stdout, stderr take text as it arrives
 * @param looked is called a few times a second while the program runs
 * @param files further files that the program can read
 * @param collect paths of files whose text is to be returned, in `written`
 */
export async function execute(
    program,
    {
        mode = 'run',
        args = [],
        order = 'forward',
        device = '',
        withoutBarrier = '',
        timeLimit = 10,
        hostLimit = 0,
        stdout = () => {},
        stderr = () => {},
        looked = () => {},
        collect = [],
    } = {},
) {
    const module =
        program.wasm instanceof WebAssembly.Module ? program.wasm : await WebAssembly.compile(program.wasm);
    const files = { ...program.files };
    for (const [name, text] of Object.entries(program.sources ?? {})) files[`/src/${name}`] = text;
    const environment = {
        TUTORIAL_CPU_WORKERS: '1',
        TUTORIAL_CPU_STACK_KB: '32',
        TUTORIAL_CPU_TIME_LIMIT: String(timeLimit),
        TUTORIAL_CPU_ORDER: order,
        ...(device ? { TUTORIAL_CPU_DEVICE: device } : {}),
        ...(withoutBarrier ? { TUTORIAL_CPU_WITHOUT_BARRIER: withoutBarrier } : {}),
        ...(mode === 'count' ? { TUTORIAL_LAB: 'count' } : {}),
        ...(mode === 'faults' || mode === 'play' ? { TUTORIAL_LAB: 'faults' } : {}),
        ...(mode === 'play' || mode === 'trace' ? { TUTORIAL_TRACE: '/trace' } : {}),
    };
    let ended;
    for (let runs = 1; ; ++runs) {
        if (runs === MAX_RUNS) environment.TUTORIAL_LAB_LAST = '1';
        // A program that is started again has printed everything already.
        const isFirst = runs === 1;
        ended = await runOnce(module, {
            files,
            environment,
            hostLimit,
            looked,
            args: ['program', ...args],
            stdout: isFirst ? decoded(stdout) : () => {},
            stderr: isFirst ? decoded(stderr) : () => {},
        });
        if (ended.code !== AGAIN || mode !== 'count' || runs === MAX_RUNS) break;
    }
    const textOf = (path) => (path in files ? asText(files[path]) : undefined);
    const jsonOf = (path) => (path in files ? JSON.parse(textOf(path)) : undefined);
    return {
        ...ended,
        counts: jsonOf('/counts.json'),
        countsText: textOf('/counts') ?? '',
        faults: jsonOf('/faults.json'), // of a run that was searched for faults
        faultsText: textOf('/faults') ?? '',
        reports: jsonOf('/reports.json') ?? [], // of the emulator's own checks
        trace: textOf('/trace'),
        written: Object.fromEntries(collect.map((path) => [path, textOf(path)])),
    };
}

const asText = (content) => (typeof content === 'string' ? content : new TextDecoder().decode(content));

/** Characters may be cut between two writes of a program: each stream has a decoder of its own. */
function decoded(stream) {
    const decoder = new TextDecoder();
    return (bytes) => stream(decoder.decode(bytes, { stream: true }));
}

async function runOnce(module, { files, environment, hostLimit, looked, args, stdout, stderr }) {
    let exports;
    // What the program itself is about to end by: {trap} its kernel, {code} all of it. It traps after
    // the call that says so: a JavaScript exception would run its destructors.
    let wanted = null;
    let hostSince = performance.now();
    const page = {
        look(inKernel) {
            looked();
            const now = performance.now();
            if (inKernel) hostSince = now;
            return Number(hostLimit > 0 && now - hostSince > 1000 * hostLimit);
        },
        guarded() {
            try {
                exports.emulator_run_fibers();
                return TRAP.none;
            } catch (error) {
                if (error instanceof WebAssembly.Exception) exports.emulator_uncaught();
                if (wanted?.code !== undefined) throw error;
                const trap = wanted?.trap ?? trapOf(error);
                wanted = null;
                if (trap === undefined) throw error;
                return trap;
            } finally {
                if (exports.asyncify_get_state() > 0) exports.asyncify_stop_unwind();
                hostSince = performance.now();
            }
        },
        leave(trap) {
            wanted = { trap };
        },
    };
    const imports = {
        page,
        wasi_snapshot_preview1: wasi({
            memory: () => exports.memory,
            files,
            args,
            environment,
            stdout,
            stderr,
            exit: (code) => (wanted = { code }),
        }),
    };
    ({ exports } = await WebAssembly.instantiate(module, imports));
    const begin = performance.now();
    let code = 0;
    let why = ''; // a trap has ended it, in words
    const depth = Error.stackTraceLimit;
    Error.stackTraceLimit = 0; // a kernel ends by a trap: its stack trace costs most of that
    try {
        try {
            exports._start();
            imports.wasi_snapshot_preview1.proc_exit(0); // a main() that returns 0 does not call it
        } catch (error) {
            if (error instanceof WebAssembly.Exception) exports.emulator_uncaught();
            throw error;
        }
    } catch (error) {
        code = wanted?.code ?? ABORTED;
        if (wanted?.code === undefined) {
            const trap = wanted?.trap ?? trapOf(error);
            why = hostError(trap, error, hostLimit);
            stderr(new TextEncoder().encode(`${why}\n`));
            code = lastWords(exports, trap, () => wanted?.code) ?? code;
        }
    } finally {
        Error.stackTraceLimit = depth;
    }
    try {
        exports.lab_reports?.();
    } catch {
        // A kernel's stores have destroyed what it would report; `why` is still right.
        why ||=
            'The kernel stored to addresses that are not its own, and destroyed what it would have reported.';
        code ||= ABORTED;
    }
    return { code, why, ms: performance.now() - begin, bytes: exports.memory.buffer.byteLength };
}

/** Writes what the lab had found when a trap ended the program; returns a code if this ends the program
 *  itself. */
function lastWords(exports, trap, codeOf) {
    try {
        exports.lab_ended?.(trap ?? TRAP.illegalInstruction);
    } catch {
        return codeOf();
    }
}

const trapOf = (error) => TRAP_WORDS.find(([words]) => words.test(error.message))?.[1];

/** What ended the host's side of a program, in words. */
function hostError(known, error, hostLimit) {
    if (known === TRAP.tooLong)
        return `The program was stopped: the host has run for ${hostLimit} s without a kernel. Give it less to do.`;
    if (known === TRAP.division) return 'The program was ended by an integer division by zero on the host.';
    if (known === TRAP.illegalAddress)
        return 'The program was ended by an access of the host to an invalid address.';
    if (known === TRAP.stack) return 'The program was ended by a stack overflow of the host.';
    if (known === TRAP.illegalInstruction)
        return 'The program was ended by abort(): a failed assert(), an exception that was not caught, or the like.';
    return `The program was ended by: ${error.message}`;
}
