// The browser lab in a real browser: ready-made stages, a program of the reader's own, stop, limits, links, offline.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { CHAPTERS } from '../build/places.mjs';
import { COUNTED_LINES } from '../page_lab/tests/differences.mjs';
import { tables } from '../.vitepress/theme/lab/counts.mjs';
import { Browser, seriousFaults } from './browser.mjs';
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
import { PROGRAMS, built } from './programs.mjs';

const INDEX = JSON.parse(built('page_lab/ready/index.json'));

const browser = new Browser();

const open = (words, options) => openLab(browser, words, options);

/** The rows of the table of counts, as text. */
async function rows(page) {
    return page
        .locator('.kernel-counts tbody tr')
        .evaluateAll((all) =>
            all.map((row) => [...row.children].map((cell) => cell.textContent.trim().replace(/\s+/g, ' '))),
        );
}

/** {wanted: the rows as the native lab counts them, others: lines that two compilers count differently}. */
function nativeRows(folder, words) {
    const program = path.join(PROGRAMS, `${folder}_lab`);
    const text = execFileSync(program, ['--explain', '--json', ...words], { maxBuffer: 1 << 27 });
    const number = (value) => value.toLocaleString('en');
    const place = ({ file, line }) => (file === 'main.cu' ? String(line) : `${file}:${line}`);
    const all = tables(JSON.parse(text)).flatMap(({ rows: found }) => found);
    const others = all.filter(({ source }) => source in COUNTED_LINES).map(place);
    return {
        others,
        wanted: all.map((row) => [
            place(row),
            row.what,
            number(row.requests),
            row.lanes.toFixed(1),
            number(row.took) + (row.isWaste ? ` ${row.ratio.toFixed(1)} times the minimum` : ''),
            number(row.least),
            row.unit,
        ]),
    };
}

test('every chapter that has ready-made stages: counts are those of the native lab', async () => {
    const page = await open();
    let looked = 0;
    for (const { name, chapter, stages, sizes, inputs } of INDEX) {
        const folder = CHAPTERS.find(({ id }) => id === chapter)?.folder;
        if (!folder) continue;
        const stage = stages[Math.min(1, stages.length - 1)];
        await page.getByLabel('Program', { exact: true }).first().selectOption(chapter);
        await page.getByLabel('Stage', { exact: true }).selectOption(`${name}/${stage}`);
        const n = String(sizes[1]); // the smallest is below k in chapter 6: lanes diverge there (docs/page_lab.md)
        await page.getByLabel('n', { exact: true }).selectOption(n);
        await page.getByLabel('Input', { exact: true }).selectOption(inputs[0]);
        await press(page, 'Count');
        const words = ['--stage', stage, '--n', n, '--input', inputs[0]];
        const { wanted, others } = nativeRows(folder, words);
        const same = (all) => all.filter(([line]) => !others.includes(line));
        assert.deepEqual(same(await rows(page)), same(wanted), `${chapter}, ${stage}`);
        assert.ok(same(wanted).length > 0, `${chapter}, ${stage}: nothing is compared`);
        looked += 1;
    }
    assert.ok(looked > 0, 'no chapter');
    assert.deepEqual(page.faults, []);
});

test('a ready-made stage: verdict, counts in its lines, the player on this very run', async () => {
    const page = await open('#stage=ch01/shared&n=64');
    await press(page, 'Run');
    assert.match(await verdict(page), /^It finished/);
    await press(page, 'Count');
    assert.ok((await page.locator('.cm-counts .count').count()) > 0);
    await press(page, 'Faults');
    assert.match(await page.locator('#lab-panel-faults').innerText(), /No fault found/);
    await press(page, 'Play');
    await page.locator('#lab-panel-play .stage-view').waitFor();
    const slider = page.getByRole('slider', { name: 'Step' });
    await slider.fill(await slider.getAttribute('max'));
    const data = await page
        .locator('#lab-panel-play .memory.is-global .cell')
        .evaluateAll((all) => all.map((cell) => Number(cell.dataset.value)));
    assert.equal(data.length, 64);
    assert.deepEqual(
        data,
        [...data].sort((a, b) => a - b),
        'the keys are sorted at the end',
    );
    assert.deepEqual(page.faults, []);
});

test('a fault of the gallery: its report, and a mark in its line', async () => {
    const { name } = INDEX.find((each) => /reverse_without_barrier$/.test(each.name));
    const page = await open(`#stage=${name}`);
    await press(page, 'Faults');
    const text = await page.locator('#lab-panel-faults').innerText();
    assert.match(text, /race within a block in reverse_kernel, on tile\[\d+\]/);
    assert.ok((await page.locator('.cm-lint-marker-error').count()) > 0);
    await page.locator('#lab-panel-faults').getByRole('button', { name: 'line 7' }).first().click();
    assert.equal(await page.locator('.cm-lineNumbers .cm-activeLineGutter').innerText(), '7');
});

test('its settings stand in the address, and a link restores them', async () => {
    const page = await open('#stage=ch01/global');
    await page.getByLabel('Order of the threads').selectOption('shuffle');
    await page.getByLabel('Seed').fill('7');
    await page.waitForURL(/order=shuffle.*seed=7|seed=7.*order=shuffle/);
    const address = page.url();
    const again = await open(new URL(address).hash);
    assert.equal(await again.getByLabel('Order of the threads').inputValue(), 'shuffle');
    assert.equal(await again.getByLabel('Seed').inputValue(), '7');
    assert.equal(await again.getByLabel('Stage', { exact: true }).inputValue(), 'ch01/global');
});

test('the page is light, and asks for the compiler only when somebody wants it', async () => {
    const page = await browser.page('docs/gpu.html');
    const got = [];
    const sizes = [];
    page.on('response', (response) => {
        got.push(new URL(response.url()).pathname);
        sizes.push(
            response.body().then(
                (body) => zlib.gzipSync(body).length,
                () => 0,
            ),
        );
    });
    await page.goto(`${browser.site.address}page_lab/#stage=ch01/shared`);
    await page.locator('.lab .cm-content').waitFor();
    await press(page, 'Count');
    const weight = (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
    assert.ok(weight < 1310 * 1024, `${weight} bytes compressed, with a count of a ready-made stage`);
    assert.ok(!got.some((name) => /compile_worker|chain\.mjs/.test(name)), got.join('\n'));
    const chapter = await browser.page('ch01_bubble/');
    await chapter.waitForLoadState('networkidle');
    const names = await chapter.evaluate(() =>
        performance.getEntriesByType('resource').map(({ name }) => name),
    );
    assert.ok(!names.some((name) => /page_lab\/|LabView/.test(name)), names.join('\n'));
});

test('at 390 pixels: three tabs, the bar in sight, touch targets of 44 pixels, nothing too wide', async () => {
    const page = await open('#stage=ch01/shared', { width: 390, height: 844, hasTouch: true });
    const tabs = await page.getByRole('tab').allInnerTexts();
    assert.deepEqual(tabs, ['Verdict', 'Counts', 'Play']);
    await page.locator('.run-bar').getByRole('button', { name: 'Count' }).tap();
    await page.locator('.kernel-counts').first().waitFor();
    const bar = await page.locator('.run-bar').boundingBox();
    assert.ok(bar.y + bar.height <= 845 && bar.y > 700, JSON.stringify(bar));
    const small = await page.evaluate(() =>
        [...document.querySelectorAll('.lab button, .lab select, .lab summary')]
            .map((each) => [each.textContent.trim(), each.getBoundingClientRect()])
            .filter(([, { width, height }]) => width > 0 && (height < 44 || width < 44))
            .map(([text, { width, height }]) => `${text}: ${width} x ${height}`),
    );
    assert.deepEqual(small, []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
});

for (const colorScheme of ['light', 'dark']) {
    test(`no serious accessibility fault, ${colorScheme}`, async () => {
        const { name } = INDEX.find((each) => /reverse_without_barrier$/.test(each.name));
        for (const [words, button] of [
            ['#stage=ch01/shared', 'Count'],
            [`#stage=${name}`, 'Faults'],
            [`#stage=${name}`, 'Play'],
        ]) {
            const page = await open(words, { colorScheme });
            assert.deepEqual(await seriousFaults(page), [], `${words} at the start`);
            await press(page, button);
            assert.deepEqual(await seriousFaults(page), [], `${words}, ${button}`);
            await browser.close(page);
        }
    });
}

test('the keyboard alone: out of the editor by Tab, tabs by arrows, results are said', async () => {
    const page = await open('#stage=ch01/shared');
    await page.locator('.run-bar').getByRole('button', { name: 'Count' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
        /It finished/.test(document.querySelector('.lab > [role=status]').textContent),
    );
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => !document.activeElement.closest('.cm-editor')));
    await page.getByRole('tab', { name: 'Counts' }).focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Faults');
    await page.keyboard.press('End');
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Play');
});

test("one's own program: size said first, compiled, a chip makes a race of it", async () => {
    const page = await open();
    await ownProgram(page, RACE);
    assert.match(await page.locator('.compiler-note').innerText(), /needs the compiler: \d+ MB, once/);
    await press(page, 'Play', FIRST_RESULT_MS);
    await page.locator('#lab-panel-play .stage-view').waitFor();
    await press(page, 'Faults');
    assert.match(await verdict(page), /^No fault found/);
    await page.getByRole('button', { name: 'remove the barrier of line 7' }).click();
    await page.locator('.fault').first().waitFor({ timeout: FIRST_RESULT_MS });
    assert.match(
        await page.locator('#lab-panel-faults').innerText(),
        /race within a block in reverse_kernel/,
    );
    assert.deepEqual(page.faults, []);

    // Compiler messages are shown at their lines.
    await write(page, WRONG);
    await press(page, 'Count', FIRST_RESULT_MS);
    assert.match(await verdict(page), /^It does not compile: 1 error/);
    assert.match(await page.locator('.messages').innerText(), /line 8\s+error: .*oops/);
    assert.ok((await page.locator('.cm-lint-marker-error').count()) > 0);

    // Stop answers at once, and what was loaded is not loaded again.
    await write(page, ENDLESS);
    await page.locator('.run-bar').getByRole('button', { name: 'Count' }).click();
    await page.locator('.run-bar .step', { hasText: 'running' }).waitFor({ timeout: FIRST_RESULT_MS });
    const asked = [];
    page.on('request', (request) => asked.push(request.url()));
    const before = Date.now();
    await page.locator('.run-bar .stop').click();
    await page.locator('.verdict', { hasText: 'Stopped.' }).waitFor();
    assert.ok(Date.now() - before < 1000, `${Date.now() - before} ms`);
    await write(page, RACE);
    await press(page, 'Count', FIRST_RESULT_MS);
    assert.match(await verdict(page), /^It finished/);
    assert.deepEqual(
        asked.filter((address) => /\.gz|\.wasm/.test(address)),
        [],
    );

    // It is still there after a reload, and in its link.
    await page.reload();
    await page.locator('.cm-content', { hasText: 'reverse_kernel' }).waitFor();
});

test('a program without an end is ended, and what was counted by then is shown', async () => {
    const page = await open();
    // The first launch ends, the second one does not.
    const twice = RACE.replace('int* numbers) {', 'int* numbers, bool ends) {')
        .replace('tile[t] = numbers[t];', 'do tile[t] += numbers[t]; while (!ends);')
        .replace(/(reverse_kernel<<<.*)\(d_numbers\);/, '$1(d_numbers, true);\n    $1(d_numbers, false);');
    await ownProgram(page, twice);
    await press(page, 'Count', FIRST_RESULT_MS);
    assert.match(
        await verdict(page),
        /^no progress for 10 s in kernel reverse_kernel.* What was counted by then is shown\. Make n, the grid/,
    );
    await page.getByRole('tab', { name: 'Counts' }).click();
    await page.locator('.kernel-counts').first().waitFor();
    assert.doesNotMatch(await page.locator('.result-pane').textContent(), /TUTORIAL_CPU/);
});

test('a link holds a program', async () => {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await ownProgram(page, RACE);
    await page.getByRole('button', { name: 'Link', exact: true }).click();
    await page.locator('.file-bar [role=status]', { hasText: 'copied' }).waitFor();
    const address = await page.evaluate(() => navigator.clipboard.readText());
    const again = await open(new URL(address).hash);
    await again.locator('.cm-content', { hasText: 'reverse_kernel' }).waitFor();
});

test('after the first visit it works without a network', async () => {
    const page = await open('#stage=ch01/shared');
    await press(page, 'Count');
    await waitUntilKept(page, 'ch01');
    await page.context().setOffline(true);
    await page.reload();
    await page.locator('.lab .cm-content').waitFor();
    await press(page, 'Count');
    assert.ok((await rows(page)).length > 0);
});
