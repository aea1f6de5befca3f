// Exercises in the browser lab, in a real browser: checked, marked, kept, saved and opened again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { textOf } from '../build/places.mjs';
import { Browser, seriousFaults } from './browser.mjs';
import { FIRST_RESULT_MS, openLab, press, write } from './lab_page.mjs';

const FILE = 'docs/first_kernel/exercises/ex1_map.cu';
const SOLUTION = textOf(FILE.replace('exercises', 'solutions'));

const browser = new Browser();

const open = (options) => openLab(browser, '#stage=exercise/first/ex1', options);
const check = (page, button = 'Check') => press(page, button, FIRST_RESULT_MS);
const progress = (page) => page.locator('.exercise-progress label').innerText();
const choice = (page) => page.getByLabel('Stage', { exact: true }).locator('option:checked').innerText();

test('warm-up 1: a wrong answer, hints, solved, kept, saved as an archive, opened again', async () => {
    const page = await open();
    assert.match(await progress(page), /^0 of \d+ solved/);
    const section = await page
        .getByRole('link', { name: 'The section that prepares it' })
        .getAttribute('href');
    assert.equal(section, `${browser.site.address}docs/first_kernel.html#line-by-line`);

    await write(page, SOLUTION.replace('if (i < n) ', ''));
    await check(page);
    assert.equal(await page.locator('.verdict').innerText(), 'Not solved.');
    assert.match(await page.getByLabel('What is wrong').innerText(), /^out of bounds in brighter_kernel/);
    assert.ok((await page.locator('.cm-lint-marker-error').count()) > 0, 'the line is marked');

    await page.getByRole('button', { name: 'Hint', exact: true }).click();
    assert.match(
        await page.locator('.given-hint').innerText(),
        /^Hint 1: In every block the threads are counted/,
    );

    await write(page, SOLUTION);
    await check(page);
    assert.equal(await page.locator('.verdict').innerText(), 'Solved.');
    assert.match(await page.locator('.exercise-result table').innerText(), /exactly 128/);
    assert.match(await progress(page), /^1 of \d+ solved/);
    assert.deepEqual(await seriousFaults(page), []);

    await check(page, 'Play');
    await page.locator('.exercise-result .stage-view').waitFor();
    await page.getByRole('button', { name: 'Next: The guard' }).click();
    await page.locator('.file-bar', { hasText: 'ex2_guard.cu' }).waitFor();
    assert.match(page.url(), /exercise%2Ffirst%2Fex2/);
    await page.getByLabel('Stage', { exact: true }).selectOption('exercise/first/ex1');

    await page.reload();
    await page.locator('.lab .code-editor .cm-content').waitFor();
    assert.match(await choice(page), /^✓ ex1 /);
    assert.match(await progress(page), /^1 of \d+ solved/);

    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save all files' }).click();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'exercises-'));
    const archive = path.join(folder, 'exercises.tar');
    await (await saving).saveAs(archive);
    execFileSync('tar', ['xf', archive], { cwd: folder });
    assert.equal(fs.readFileSync(path.join(folder, FILE), 'utf8'), SOLUTION);
    assert.deepEqual(page.faults, []);

    const other = await open();
    await other.getByLabel('Open files of exercises').setInputFiles(archive);
    await other.locator('.exercise-progress').getByText('Opened: first/ex1.').waitFor();
    assert.match(await other.locator('.cm-content').innerText(), /min\(from\[i\] \+ amount, 255\)/);
    assert.match(await progress(other), /^0 of \d+ solved/);
    await other.getByLabel('Open files of exercises').setInputFiles(path.join(folder, FILE));
    await other.locator('.exercise-progress').getByText('Opened: first/ex1.').waitFor();
    fs.rmSync(folder, { recursive: true });
    assert.deepEqual(other.faults, []);
});

test('./tutorial docs serve: the exercises that were begun in the repository', async () => {
    const page = await open({ serviceWorkers: 'block' });
    const button = page.getByRole('button', { name: "Open the repository's files" });
    assert.equal(await button.count(), 0, 'another server has none');
    await page.route('**/repository.json', (route) =>
        route.fulfill({ json: { exercises: { 'first/ex1': SOLUTION }, programs: {} } }),
    );
    await page.reload();
    await button.click();
    await page.locator('.exercise-progress').getByText('Opened: first/ex1.').waitFor();
    assert.match(await page.locator('.cm-content').innerText(), /min\(from\[i\] \+ amount, 255\)/);
});

test("an exercise's page leads to it in the lab", async () => {
    const page = await browser.page(`${FILE}.html`);
    await page.getByRole('link', { name: 'Solve it in the browser lab' }).click();
    await page.locator('.lab .code-editor .cm-content').waitFor();
    assert.match(await page.locator('.file-bar').innerText(), /ex1_map\.cu/);
});
