// Small programs of each kind that people write, in a terminal and as in a page: what they print, how they end,
// what is counted and what is found. A sixth of them each day.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../build/places.mjs';
import { inPage } from '../../.vitepress/theme/lab/verdict.mjs';
import { createCompiler } from '../chain.mjs';
import { execute } from '../execute.mjs';
import { buildLibraries } from '../libraries.mjs';
import { load } from '../node_load.mjs';
import { CHANGED, inTurn } from './turn.mjs';

const FOLDER = path.join(ROOT, 'docs/site/page_lab/tests/programs/kinds');
const ARGUMENTS = ['64', '--n', 'é'];
/** What a terminal says about itself, the build, and the run as a whole. */
const TERMINALS =
    /^(?:Emulator: (?:no NVIDIA GPU was found|\d+ faults? (?:was|were) found in this run)|(?:Building|Configuring) ).*\n/gm;

const WORDS = { run: ['run'], count: ['explain'], faults: ['explain', '--faults'] };

function inTerminal(file, mode) {
    const env = { ...process.env, TUTORIAL_CPU_WORKERS: '1', NO_COLOR: '1', LANG: 'C.UTF-8' };
    const command = [path.join(ROOT, 'tutorial'), ...WORDS[mode], file, '--', ...ARGUMENTS];
    const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
        env,
        encoding: 'utf8',
        input: '',
    });
    return { code: status, stdout, stderr: inPage(stderr.replace(TERMINALS, '')) };
}

async function asInPage(program, mode) {
    const said = { stdout: '', stderr: '' };
    const ended = await execute(program, {
        mode,
        args: ARGUMENTS,
        stdout: (text) => (said.stdout += text),
        stderr: (text) => (said.stderr += text),
    });
    return { ...ended, stdout: said.stdout, stderr: inPage(said.stderr.replace(TERMINALS, '')) };
}

/** The table alone; lanes and steps are basic blocks, which two compilers cut differently. */
const tableOf = (text) =>
    text
        .replace(/^[^]*?What each line of the kernels does to memory:\n/, '')
        .replace(/\n(?:What made it slow|How to read it)[^]*$/, '')
        .split('\n')
        .filter((line) => !/ of 32 lanes work; /.test(line))
        .map((line) => line.trimEnd())
        .join('\n')
        .trim();

await buildLibraries(['emulator', 'lab']);
const compiler = await createCompiler({ load });

async function compiled(name, mode) {
    const text = fs.readFileSync(path.join(FOLDER, name), 'utf8');
    const { program, said } = await compiler.compile({ name, text, mode });
    assert.ok(program, said);
    return program;
}

const all = fs.readdirSync(FOLDER);
const isChanged = (name) => CHANGED.has(path.relative(ROOT, path.join(FOLDER, name)));
for (const name of inTurn(all, 6, isChanged)) {
    test(`kinds: ${name}`, async () => {
        const file = path.join(FOLDER, name);
        const counted = await compiled(name, 'count');
        for (const mode of ['run', 'count', 'faults']) {
            const wanted = inTerminal(file, mode);
            const found = await asInPage(mode === 'faults' ? await compiled(name, 'faults') : counted, mode);
            const where = `${name}, ${mode}`;
            if (mode === 'run') assert.equal(found.stdout, wanted.stdout, where);
            else assert.ok(wanted.stdout.startsWith(found.stdout), `${where}: ${found.stdout}`);
            if (mode !== 'faults') assert.equal(found.stderr, wanted.stderr, where);
            if (mode === 'count') assert.equal(tableOf(found.countsText), tableOf(wanted.stdout), where);
            if (mode === 'faults')
                assert.equal(found.stdout + inPage(found.faultsText), inPage(wanted.stdout), where);
            const isFault = found.reports.length > 0 || found.faults?.some(({ is_note: isNote }) => !isNote);
            assert.equal(found.code === 0 && !isFault, wanted.code === 0, `${where}: ${wanted.code}`);
        }
    });
}

test('more than 512 MiB of device memory: cudaMalloc refuses it, as docs/page_lab.md says', async () => {
    const text = `#include <cuda_runtime.h>
#include <cstdio>
int main() {
    void* d_items = nullptr;
    std::printf("%s", cudaGetErrorName(cudaMalloc(&d_items, std::size_t{513} << 20)));
}
`;
    const { program } = await compiler.compile({ name: 'main.cu', text, mode: 'count' });
    const { stdout } = await asInPage(program, 'run');
    assert.equal(stdout, 'cudaErrorMemoryAllocation');
});
