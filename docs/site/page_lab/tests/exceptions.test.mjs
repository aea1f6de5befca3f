// A program that throws and catches behaves the same in a browser as when g++ has compiled it, and ends the
// same way: run, counted and searched for faults.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { ROOT } from '../../build/places.mjs';
import { createCompiler } from '../chain.mjs';
import { execute } from '../execute.mjs';
import { buildLibraries } from '../libraries.mjs';
import { load } from '../node_load.mjs';

const SOURCE = path.join(ROOT, 'docs/site/page_lab/tests/programs/exceptions.cu');
/** How it ends itself, and whether nothing then catches what it throws. */
const ENDS = { return: false, exit: false, noexcept: false, rethrow: false, int: true, uncaught: true };
const ABORTED = 134;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-lab-exceptions-'));
after(() => fs.rmSync(folder, { recursive: true }));

function compiledByGcc() {
    const program = path.join(folder, 'program');
    const options = ['-std=c++17', '-O1', '-w', '-DWITHOUT_CUDA', '-x', 'c++'];
    execFileSync('g++', [...options, SOURCE, '-o', program]);
    return program;
}

function runNative(program, end) {
    const { status, signal, stdout, stderr } = spawnSync(program, [end], { encoding: 'utf8' });
    return { code: signal === 'SIGABRT' ? ABORTED : status, stdout, stderr };
}

async function runInPage(program, mode, end) {
    const said = { stdout: '', stderr: '' };
    const { code, countsText, faultsText } = await execute(program, {
        mode,
        args: [end],
        stdout: (text) => (said.stdout += text),
        stderr: (text) => (said.stderr += text),
    });
    return { code, countsText, faultsText, ...said };
}

const native = compiledByGcc();
await buildLibraries(['emulator', 'lab']);
const compiler = await createCompiler({ load });
const text = fs.readFileSync(SOURCE, 'utf8');
const programs = {};
for (const mode of ['count', 'faults']) {
    const { program, said } = await compiler.compile({ name: path.basename(SOURCE), text, mode });
    assert.ok(program, said);
    programs[mode] = program;
}

for (const [mode, program] of [['run', programs.count], ...Object.entries(programs)]) {
    for (const [end, isUncaught] of Object.entries(ENDS)) {
        test(`exceptions: ${mode}, ${end}`, async () => {
            const wanted = runNative(native, end);
            const { code, stdout, stderr, countsText, faultsText } = await runInPage(program, mode, end);
            assert.match(
                wanted.stdout,
                /kernel before: 63 0, counted 128\n[^]*kernel after: 63 0, counted 128/,
            );
            // Without a clause that catches it, a program compiled by g++ does not even start to unwind.
            const destroyed = isUncaught ? '  ~main\n' : '';
            assert.equal(stdout, wanted.stdout + destroyed);
            const itsEnd = stderr.replace(/^(Emulator: .*)?\n/gm, '');
            assert.ok(itsEnd.startsWith(wanted.stderr), `${itsEnd}\nmust begin with\n${wanted.stderr}`);
            // CUDA's errors are findings: the exit code reports them even if the program ends normally.
            if (mode === 'count') assert.match(countsText, /lanes work/);
            if (mode === 'faults' && wanted.code === ABORTED)
                assert.match(faultsText, /found until the program was ended by abort\(\)/);
            const hasFindings = mode === 'faults' && wanted.code !== ABORTED;
            assert.equal(code, hasFindings ? 1 : wanted.code);
        });
    }
}
