// A run of the reader's own, as `./tutorial explain … --play` shows it. It changes the built site while
// it runs, so docs/site/test runs it alone.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { OUT, ROOT, SITE } from '../build/places.mjs';
import { trace } from '../build/record.mjs';
import { Browser, cells, seek } from './browser.mjs';
import { PROGRAMS } from './programs.mjs';

const INDEX = path.join(OUT, 'traces/index.json');
const browser = new Browser();
after(() => {
    const { own, ...others } = JSON.parse(fs.readFileSync(INDEX, 'utf8'));
    if (own) fs.writeFileSync(INDEX, JSON.stringify(others));
    fs.rmSync(path.join(OUT, 'traces/own'), { recursive: true, force: true });
});

/** `./tutorial … --play`: {address, stop}, once it serves. */
async function play(...words) {
    const running = spawn('./tutorial', [...words, '--play', '--port', '0'], { cwd: ROOT });
    let said = '';
    const address = await new Promise((done, failed) => {
        const hear = (text) => {
            said += text;
            const found = /(http:\/\/127\.0\.0\.1:\d+\/\S+)/.exec(said);
            if (found) done(found[1]);
        };
        running.stdout.on('data', hear);
        running.stderr.on('data', hear);
        running.on('exit', (code) => failed(new Error(`${words.join(' ')}: exit code ${code}\n${said}`)));
    });
    return {
        address,
        stop: () => {
            running.removeAllListeners('exit');
            const ended = new Promise((done) => running.on('exit', done));
            running.kill('SIGINT');
            return ended;
        },
    };
}

/** What the page for a run of your own shows at the end of the run. */
async function shown(address, name) {
    const page = await browser.visit(address);
    await page.locator('.stage-name', { hasText: name }).waitFor();
    const player = page.locator('.player');
    await seek(player, Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max')));
    const output = await cells(player, 'output');
    const source = await player.locator('.source-view').innerText();
    assert.deepEqual(page.faults, []);
    await browser.close(page);
    return { output, source };
}

test('./tutorial explain --play serves the stage that was asked for', async () => {
    const { address, stop } = await play(
        'explain',
        'ch03',
        '--stage',
        'shuffle',
        '--n',
        '33',
        '--input',
        'equal',
    );
    try {
        const { output, source } = await shown(address, 'shuffle');
        assert.match(source, /__shfl_down_sync/);
        assert.ok(output.length === 1 && Number(output[0]) !== 0, String(output));
    } finally {
        assert.equal(await stop(), 0);
    }
});

test('./tutorial check --play serves an attempt at an exercise', async () => {
    // There is nothing to show for an exercise that was not begun.
    const file = path.join(ROOT, 'ch03_reduce_optimized/exercises/ex2_sectors.cu');
    const before = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, before.replace('sectors.items_2 = 0;', 'sectors.items_2 = 8;'));
    let serving;
    try {
        serving = await play('check', 'ch03/ex2');
    } finally {
        fs.writeFileSync(file, before);
    }
    try {
        const { source } = await shown(serving.address, 'ch03_ex2');
        assert.match(source, /__global__ void (?:sum|shifted)_kernel/);
    } finally {
        assert.equal(await serving.stop(), 0);
    }
});

test('own.mjs puts a run into the player', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tutorial-own-'));
    const file = path.join(folder, 'trace.jsonl');
    const words = ['--faults', '--stage', 'sequential', '--n', '33', '--input', 'sorted'];
    fs.writeFileSync(file, await trace(path.join(PROGRAMS, 'ch02_reduce_baseline_lab'), words));
    execFileSync('node', [path.join(SITE, 'own.mjs'), file, 'mine', '--last', 'ch02_reduce_baseline']);
    fs.rmSync(folder, { recursive: true });

    const page = await browser.page('play.html?chapter=own');
    await page.locator('.stage-name', { hasText: 'mine' }).waitFor();
    const player = page.locator('.player');
    const max = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    await seek(player, max);
    const sums = await cells(player, 'sums');
    const output = await cells(player, 'output');
    assert.equal(output[0], sums[0]);
    assert.match(await player.locator('.source-view').innerText(), /sequential_kernel/);
    assert.deepEqual(page.faults, []);
});

test('a trace without a kernel is refused in one line', () => {
    const done = spawnSync('node', [path.join(SITE, 'own.mjs'), '/nowhere', 'mine'], { encoding: 'utf8' });
    assert.equal(done.status, 1);
    assert.equal(done.stderr, 'tutorial: --play: no kernel ran, so there is nothing to show\n');
});
