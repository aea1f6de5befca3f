// Grades an attempt at an exercise, as ./tutorial check does: the judge is the same C++.
import { execute } from './execute.mjs';

// Files that the program writes: common/grading/wasm/program.cpp.
const VERDICT = '/verdict.json';
const PHASE = '/phase';
/** Seconds without progress, as for check (common/grading/check/attempt.py). */
const TIME_LIMIT = 2;
/** The largest n of a run that is played, as for check --play (common/tutorial/play.py). */
const SMALL = '64';
const ABORTED = 134;

const failed = (reason, text) => ({
    status: 'not_solved',
    reason,
    code: '',
    text,
    file: '',
    line: 0,
    bars: [],
});

/**
 * @param made what compileAttempt() has returned
 * @returns {status, reason, code, text, file, line, bars} as grading::Verdict has it, and isBegun, outside
 */
export async function judge(made, { timeLimit = TIME_LIMIT, stdout, stderr } = {}) {
    if (made.refused) return failed(made.refused.reason, made.refused.text);
    if (!made.program) return failed('compile', made.said);
    const options = { mode: 'run', timeLimit, stdout, stderr, collect: [VERDICT, PHASE] };
    const { code, written } = await execute(made.program, options);
    const { isBegun, outside } = made;
    if (written[VERDICT]) return { ...JSON.parse(written[VERDICT]), isBegun, outside };
    const at = written[PHASE] ? `\nIt was at: ${written[PHASE]}` : '';
    const text = `The program ended with code ${code} before it was graded.${at}`;
    return { ...failed(code === ABORTED ? 'crash' : 'no_verdict', text), isBegun, outside };
}

/** The trace of an attempt with only a few items, for the player; empty if no kernel ran. */
export async function traceOf(program, { timeLimit = TIME_LIMIT } = {}) {
    // An exercise that asks for numbers runs its kernels only to count them.
    for (const phase of ['answers', 'counts']) {
        const { trace } = await execute(program, { mode: 'trace', args: [phase, SMALL], timeLimit });
        if (trace?.includes('"launch"')) return trace;
    }
    return '';
}
