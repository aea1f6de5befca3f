// Stages of chapters that a reader edits in the browser lab.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser } from './browser.mjs';
import { FIRST_RESULT_MS, openLab, press as pressFor, verdict } from './lab_page.mjs';

const browser = new Browser();

const open = (words) => openLab(browser, words);
const press = (page, name) => pressFor(page, name, FIRST_RESULT_MS);
const fileBar = (page, name) => page.locator('.file-bar').getByRole('button', { name, exact: true });

/** Puts a new line above the line that is shown with this text. */
async function insertAbove(page, shown, line) {
    await page.locator('.cm-line', { hasText: shown }).first().click();
    await page.keyboard.press('Home');
    await page.keyboard.insertText(`${line}\n`);
}

test('a stage: edited, counted, wrong, sent as a link, put back', async () => {
    const page = await open('#stage=ch02/neighbour&n=64');
    await fileBar(page, 'Edit this').click();
    await page.locator('.file-bar', { hasText: 'main.cu (edited)' }).waitFor();
    // The stage is shown; the rest is folded, and opens on a click.
    await page.locator('.cm-line', { hasText: 'void neighbour_kernel(' }).waitFor();
    assert.equal(await page.locator('.cm-line', { hasText: 'sequential_kernel(' }).count(), 0);
    const folded = page.locator('.code-editor .folded');
    const before = await folded.count();
    assert.match(await folded.first().innerText(), /^… \d+ lines$/);
    await folded.first().click();
    assert.equal(await folded.count(), before - 1);

    await insertAbove(page, 'partial[blockIdx.x] =', '    if (threadIdx.x == 0) sums[0] += 1.0f;');
    await press(page, 'Count');
    assert.match(await verdict(page), /^Wrong result: expected \S+, got \S+/);
    assert.ok((await page.locator('.cm-counts .count').count()) > 0, 'counts beside the lines');
    await press(page, 'Run');
    assert.match(await verdict(page), /^Wrong result: expected \S+, got \S+/);
    assert.deepEqual(page.faults, []);

    // A compiler message is shown at its line.
    await insertAbove(page, 'sums[0] += 1.0f', '    oops;');
    await press(page, 'Count');
    assert.match(await verdict(page), /^It does not compile: 1 error/);
    assert.ok((await page.locator('.cm-lint-marker-error').count()) > 0);

    // The edit is kept, and a link contains it.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await fileBar(page, 'Link').click();
    await page.locator('.file-bar [role=status]', { hasText: 'copied' }).waitFor();
    const address = await page.evaluate(() => navigator.clipboard.readText());
    await page.reload();
    await page.locator('.cm-line', { hasText: 'oops;' }).waitFor();
    const again = await open(new URL(address).hash);
    await again.locator('.cm-line', { hasText: 'oops;' }).waitFor();
    assert.equal(await again.getByLabel('Stage', { exact: true }).inputValue(), 'ch02/neighbour');

    again.on('dialog', (dialog) => dialog.accept());
    await fileBar(again, 'Original').click();
    await fileBar(again, 'Edit this').waitFor();
    await press(again, 'Count');
    assert.match(await verdict(again), /^It finished/);
});

test("./tutorial docs serve: a program in the repository's folder", async () => {
    const page = await openLab(browser, '#stage=own', { serviceWorkers: 'block' });
    const choice = page.getByLabel('Open a program of the repository');
    assert.equal(await choice.count(), 0, 'another server has none');
    const programs = { 'saxpy.cu': '// saxpy\nint main() {}\n' };
    await page.route('**/repository.json', (route) => route.fulfill({ json: { exercises: {}, programs } }));
    await page.reload();
    await choice.selectOption('saxpy.cu');
    await page.locator('.cm-line', { hasText: '// saxpy' }).waitFor();
});
