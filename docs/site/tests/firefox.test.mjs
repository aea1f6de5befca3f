// The lab in Firefox: what differs between browsers is how they compile and end WebAssembly, how they keep
// files, and how workers and modules are loaded. Everything else is tested in Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../build/places.mjs';
import { Browser, FIREFOX } from './browser.mjs';
import {
    ENDLESS,
    FIRST_RESULT_MS,
    RACE,
    WRONG,
    openLab,
    ownProgram,
    press,
    verdict,
    waitUntilKept,
    write,
} from './lab_page.mjs';

const SOLUTION = textOf('docs/first_kernel/solutions/ex1_map.cu');

const browser = new Browser(FIREFOX);

test('Firefox: a program compiled, its fault, a message, Stop; an exercise checked', async () => {
    const page = await openLab(browser);
    await ownProgram(page, RACE);
    await press(page, 'Count', FIRST_RESULT_MS);
    assert.match(await verdict(page), /^It finished/);
    await press(page, 'Play', FIRST_RESULT_MS);
    await page.locator('#lab-panel-play .stage-view').waitFor();
    await press(page, 'Faults', FIRST_RESULT_MS);
    assert.match(await verdict(page), /^No fault found/);
    await page.getByRole('button', { name: 'remove the barrier of line 7' }).click();
    await page.locator('.fault').first().waitFor({ timeout: FIRST_RESULT_MS });
    assert.match(
        await page.locator('#lab-panel-faults').innerText(),
        /race within a block in reverse_kernel/,
    );
    await write(page, WRONG);
    await press(page, 'Count', FIRST_RESULT_MS);
    assert.match(await page.locator('.messages').innerText(), /line 8\s+error: .*oops/);

    await write(page, ENDLESS);
    await page.locator('.run-bar').getByRole('button', { name: 'Count' }).click();
    await page.locator('.run-bar .step', { hasText: 'running' }).waitFor({ timeout: FIRST_RESULT_MS });
    await page.locator('.run-bar .stop').click();
    await page.locator('.verdict', { hasText: 'Stopped.' }).waitFor({ timeout: 1000 });

    // A wild pointer ends the program by a trap, for which Firefox has its own message.
    await write(page, RACE.replace('numbers[t] = tile', '*(volatile int*)0xfffffff0u = tile'));
    await press(page, 'Run', FIRST_RESULT_MS);
    assert.match(
        await page.locator('#lab-panel-verdict').innerText(),
        /illegal address in kernel reverse_kernel/,
    );

    await page.getByLabel('Program', { exact: true }).first().selectOption('exercises/first');
    await page.locator('.file-bar', { hasText: 'ex1_map.cu' }).waitFor();
    await write(page, SOLUTION);
    await press(page, 'Check', FIRST_RESULT_MS);
    assert.equal(await page.locator('.verdict').innerText(), 'Solved.');
    assert.deepEqual(page.faults, []);
});

test('Firefox: a ready-made stage is run, counted and played; then without a network', async () => {
    const page = await openLab(browser, '#stage=ch01/shared&n=64');
    await press(page, 'Run');
    assert.match(await verdict(page), /^It finished/);
    await press(page, 'Count');
    const counted = await page.locator('.kernel-counts').innerText();
    assert.ok((await page.locator('.cm-counts .count').count()) > 0);
    await press(page, 'Play');
    await page.locator('#lab-panel-play .stage-view').waitFor();
    assert.deepEqual(page.faults, []);

    await waitUntilKept(page, 'ch01');
    browser.site.close(); // with WebDriver BiDi's emulation, a service worker would still have a network
    await page.reload();
    await page.locator('.lab .cm-content').waitFor();
    await press(page, 'Count');
    assert.equal(await page.locator('.kernel-counts').innerText(), counted);
});
