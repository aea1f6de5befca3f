// A reader's work in the browser lab, in one browser a day: an answer belongs to its text, failure is red, work
// is not lost, no link breaks the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOf } from '../build/places.mjs';
import { archiveOf } from '../.vitepress/theme/lab/exercises.mjs';
import { packed } from '../.vitepress/theme/lab/saved.mjs';
import { Browser, TODAYS } from './browser.mjs';
import { FIRST_RESULT_MS, RACE, openLab, ownProgram, press, verdict, write } from './lab_page.mjs';

const SOLUTION = textOf('docs/first_kernel/solutions/ex1_map.cu');
const MISTAKES = ['host_array', 'no_guard', 'nobody_asked'];
const says = (word) => `#include <cstdio>\nint main() { puts("${word}"); }\n`;
const busyWith = (page, step) =>
    page.locator('.run-bar .step', { hasText: step }).waitFor({ timeout: FIRST_RESULT_MS });
const idle = (page) =>
    page.waitForFunction(() => document.querySelector('.run-bar .stop').disabled, null, {
        timeout: FIRST_RESULT_MS,
    });
const button = (page, name) => page.locator('.run-bar').getByRole('button', { name, exact: true });
const output = (page) => page.getByLabel('Output of the program');

for (const [name, kind] of Object.entries(TODAYS)) {
    const browser = new Browser(kind);
    const open = (words, options) => openLab(browser, words, options);

    test(`${name}: an answer to another text is not shown, and Run runs what is there`, async () => {
        const page = await open('#stage=own');
        await ownProgram(page, says('v1'));
        await button(page, 'Run').click();
        await busyWith(page, /loading the compiler|translating|compiling/);
        await write(page, says('v2'));
        await idle(page);
        assert.equal(await output(page).count(), 0);
        assert.match(await page.locator('#lab-panel-verdict .hint').innerText(), /have changed since/);
        await press(page, 'Run', FIRST_RESULT_MS);
        assert.equal(await output(page).innerText(), 'v2\n');

        // Output is shown before the end, which never comes.
        await write(page, says('begun').replace('; }', '; for (volatile int i = 0;; ++i) {} }'));
        await button(page, 'Run').click();
        await output(page).filter({ hasText: 'begun' }).waitFor({ timeout: FIRST_RESULT_MS });
        await page.locator('.run-bar .stop').click();
        assert.equal(await verdict(page), 'Stopped.');
        assert.equal(await output(page).innerText(), 'begun\n');

        // 100,000 lines do not freeze the page.
        await write(page, says('a line').replace('puts', 'for (int i = 0; i < 200000; ++i) puts'));
        await press(page, 'Run', FIRST_RESULT_MS);
        assert.match(await verdict(page), /^It finished/);
        assert.match(await output(page).textContent(), /cut here: the program has printed more than 1 MB/);

        // Run also finds a null pointer, and its line is marked.
        await write(page, RACE.replace('(d_numbers);', '(nullptr);').replace('<<<1', '<<<1 '));
        await press(page, 'Run', FIRST_RESULT_MS);
        assert.match(await verdict(page), /^illegal address 0x0 in kernel reverse_kernel.*a null pointer/);
        await page.locator('.cm-lint-marker-error').first().waitFor();

        // A right answer that becomes a wrong one during Check is not solved. The compiler is there already.
        await page.getByLabel('Program', { exact: true }).first().selectOption('exercises/first');
        await page.locator('.file-bar', { hasText: 'ex1_map.cu' }).waitFor();
        await write(page, SOLUTION);
        await button(page, 'Check').click();
        await busyWith(page, /loading|translating|compiling|linking|running/);
        await write(page, SOLUTION.replace('if (i < n) ', ''));
        await idle(page);
        assert.equal(await page.locator('.verdict').count(), 0);
        await page.reload();
        await page.locator('.lab .code-editor .cm-content').waitFor();
        assert.match(await page.locator('.exercise-progress label').innerText(), /^0 of/);
        await press(page, 'Check', FIRST_RESULT_MS);
        assert.equal(await page.locator('.verdict').innerText(), 'Not solved.');
        assert.deepEqual(page.faults, []);
    });

    test(`${name}: the mistakes of the first kernel are red under Run and Count, their line is marked`, async () => {
        const page = await open('#stage=first/main');
        await press(page, 'Run');
        assert.equal(await page.locator('.verdict.is-bad').count(), 0);
        for (const mistake of MISTAKES) {
            await page.getByLabel('Stage', { exact: true }).selectOption(`first/${mistake}`);
            for (const mode of ['Run', 'Count']) {
                await press(page, mode);
                assert.match(await verdict(page), /\. Press Faults to see more\.$/, `${mistake}, ${mode}`);
                assert.equal(await page.locator('.verdict.is-bad').count(), 1);
                assert.ok((await page.locator('.cm-lint-marker').count()) > 0, `${mistake}: no mark`);
            }
        }
        // A failed launch leaves nothing to play and nothing to count.
        await page.getByLabel('Stage', { exact: true }).selectOption('first/nobody_asked');
        await press(page, 'Play');
        assert.match(await page.locator('#lab-panel-play').innerText(), /^Nothing was accessed/);
        await page.getByLabel('Stage', { exact: true }).selectOption('first/main');
        await press(page, 'Count');
        const facts = await page.locator('.kernel-counts p').first().innerText();
        assert.match(facts, /^1 launch of 4 blocks of 256 threads; /);
        assert.deepEqual(page.faults, []);
    });

    test(`${name}: a link keeps one's own program, and a broken one breaks nothing`, async () => {
        const page = await open('#stage=own');
        await ownProgram(page, says('mine'));
        const link = async (work) => `#work=${await packed(work)}`;
        const go = async (hash) => {
            await page.evaluate((words) => (location.hash = words), hash);
            await page.locator('.lab .code-editor .cm-content').waitFor();
        };
        await go(await link({ text: says('theirs'), stage: '', settings: { order: 'reverse' } }));
        await page.locator('.cm-line', { hasText: 'theirs' }).waitFor();
        const files = page.getByLabel('Stage', { exact: true });
        assert.deepEqual(await files.locator('option').allInnerTexts(), ['main.cu', 'from a link.cu']);
        await files.selectOption('own/main.cu');
        await page.locator('.cm-line', { hasText: 'mine' }).waitFor();
        const whole = await link({ text: says('theirs') });
        for (const [hash, words] of [
            [await link({ text: 5 }), /contains no program/],
            [await link({ text: 'x', settings: { args: null } }), /holds something invalid.*: args/],
            [await link([]), /contains no program/],
            [whole.slice(0, -20), /not complete/],
            ['#work=%%%', /not complete/],
            ['#stage=nothing', /There is no nothing here/],
            ['#n=-3&device=toaster', /holds something invalid.*: n, device/],
        ]) {
            await go(hash);
            await page.locator('.notice', { hasText: words }).waitFor();
            await page.reload();
            await page.locator('.lab .code-editor .cm-content').waitFor();
        }
        for (const value of ['{"text":5}', '{', 'null', '{"settings":{"args":null},"chosen":7}']) {
            await page.evaluate((text) => {
                for (const key of ['page-lab', 'page-lab:choice', 'page-lab:program:main.cu'])
                    localStorage.setItem(key, text);
            }, value);
            await page.evaluate(() => history.replaceState(history.state, '', location.pathname));
            await page.reload();
            await page.locator('.lab .code-editor .cm-content').waitFor();
        }
        // Firefox's own messages: one about the truncated link, and one about the tab's icon, whose loading
        // was ended by a reload.
        const own = /ended without reaching the stream end|icon[.]svg’[.] A ServiceWorker intercepted/;
        const others = page.faults.filter((each) => !own.test(each));
        assert.deepEqual(others, []);
    });

    test(`${name}: two tabs do not overwrite each other's exercises; a cut archive is refused`, async () => {
        const page = await open('#stage=exercise/first/ex1');
        const other = await page.context().newPage();
        await other.goto(page.url().replace('ex1', 'ex2'));
        await other.locator('.file-bar', { hasText: 'ex2_guard.cu' }).waitFor();
        const type = async (at, text) => {
            await at.bringToFront();
            await at.locator('.cm-line').last().click();
            await at.keyboard.press('ControlOrMeta+End');
            await at.keyboard.insertText(text);
        };
        await type(page, '// one');
        await type(other, '// two');
        await other.getByLabel('Stage', { exact: true }).selectOption('exercise/first/ex1');
        await other.locator('.cm-line', { hasText: '// one' }).waitFor();
        await page.reload();
        await page.locator('.cm-line', { hasText: '// one' }).waitFor();
        await page.getByLabel('Stage', { exact: true }).selectOption('exercise/first/ex2');
        await page.locator('.cm-line', { hasText: '// two' }).waitFor();

        const exercise = { id: 'first/ex1', folder: 'docs/first_kernel', name: 'ex1_map' };
        const archive = archiveOf([exercise], { 'first/ex1': { text: SOLUTION } });
        const buffer = Buffer.from(await archive.slice(0, archive.size - 2000).arrayBuffer());
        const file = { name: 'exercises.tar', mimeType: 'application/x-tar', buffer };
        await page.getByLabel('Open files of exercises').setInputFiles(file);
        await page.getByText('exercises.tar is incomplete: nothing in it was opened.').waitFor();
        assert.deepEqual(page.faults, []);
    });
}
