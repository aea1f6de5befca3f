// A run of the reader's own, as `./tutorial explain … --play` shows it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { OUT, SITE } from '../build/places.mjs';
import { trace } from '../build/record.mjs';
import { Browser, cells, seek } from './browser.mjs';
import { PROGRAMS } from './programs.mjs';

const INDEX = path.join(OUT, 'traces/index.json');
let browser;
let kept;
before(async () => {
    browser = await Browser.start();
    kept = fs.readFileSync(INDEX);
});
after(async () => {
    await browser.stop();
    fs.writeFileSync(INDEX, kept);
    fs.rmSync(path.join(OUT, 'traces/own'), { recursive: true, force: true });
});

test('own.mjs puts a run into the player', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tutorial-own-'));
    const file = path.join(folder, 'trace.jsonl');
    const words = ['--faults', '--stage', 'sequential', '--n', '33', '--input', 'sorted'];
    fs.writeFileSync(file, await trace(path.join(PROGRAMS, 'ch02_reduce_baseline_lab'), words));
    execFileSync('node', [path.join(SITE, 'own.mjs'), file, 'mine', '--last', 'ch02_reduce_baseline']);
    fs.rmSync(folder, { recursive: true });

    const page = await browser.page('play.html?chapter=own');
    await page.locator('.stage-view h4', { hasText: 'mine' }).waitFor();
    const player = page.locator('.player');
    const max = Number(await player.getByRole('slider', { name: 'Step' }).getAttribute('max'));
    await seek(player, max);
    const sums = await cells(player, 'sums');
    const output = await cells(player, 'output');
    assert.equal(output[0], sums[0]);
    assert.match(await player.locator('.source-view').innerText(), /sequential_kernel/);
    assert.deepEqual(page.faults, []);
    await browser.close(page);
});

test('a trace without a kernel is refused in one line', () => {
    const done = spawnSync('node', [path.join(SITE, 'own.mjs'), '/nowhere', 'mine'], { encoding: 'utf8' });
    assert.equal(done.status, 1);
    assert.equal(done.stderr, 'tutorial: --play: no kernel ran, so there is nothing to show\n');
});
