// Listings that run in place: what they say is what the browser lab says, in Chromium and in Firefox.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { excerpts } from '../build/excerpts.mjs';
import { changeLink, listings } from '../build/listings.mjs';
import { fenced } from '../build/pages.mjs';
import { ROOT } from '../build/places.mjs';
import { pageOf, texts } from '../build/texts.mjs';
import { tables } from '../.vitepress/theme/lab/counts.mjs';
import { changed, unpacked } from '../.vitepress/theme/lab/saved.mjs';
import { workFrom } from '../.vitepress/theme/lab/schema.mjs';
import { judged } from '../.vitepress/theme/listing/prediction.mjs';
import { LISTINGS } from '../listings.mjs';
import { executeStage, loadReady } from '../page_lab/ready.mjs';
import { Browser, FIREFOX, seriousFaults } from './browser.mjs';
import { openLab, press } from './lab_page.mjs';
import { labFile } from './programs.mjs';

const ALL = texts().flatMap((text) => {
    const markdown = fs.readFileSync(path.join(ROOT, text), 'utf8');
    const lines = markdown.split('\n');
    return listings(lines, fenced(lines), excerpts(markdown, text), text).map((each) => ({ ...each, text }));
});

const browsers = {};
before(async () => {
    browsers.Chromium = await Browser.start();
    browsers.Firefox = await Browser.start(FIREFOX);
});
after(() => Promise.all(Object.values(browsers).map((browser) => browser.stop())));

/** The ready-made programs of chapters, compiled once. */
const programs = new Map();
async function programOf(chapter) {
    const made = await loadReady(chapter, { load: async (name) => labFile(name) });
    return { ...made, wasm: await WebAssembly.compile(made.wasm) };
}

/** What a stage's ready-made program says. */
async function ran({ chapter, stage, n }, options) {
    if (!programs.has(chapter)) programs.set(chapter, programOf(chapter));
    const program = await programs.get(chapter);
    const order = 'forward';
    return executeStage(program, { stage, n, input: 'random', seed: 1, order, device: 'h200', ...options });
}

test('every stage has a listing that runs, and what is named for listings exists', () => {
    assert.ok(ALL.length > 100, `${ALL.length} listings`);
    for (const [chapter, stages] of Object.entries(LISTINGS)) {
        for (const [stage, { predict }] of Object.entries(stages)) {
            const found = ALL.filter((each) => each.chapter === chapter && each.stage === stage);
            assert.ok(found.length > 0, `${chapter}: ${stage}`);
            if (predict)
                assert.deepEqual(
                    found.map(({ unit }) => unit).filter(Boolean),
                    [predict.unit],
                    `${stage}: ${predict.line}`,
                );
        }
    }
});

test('every stage of a chapter has one number to predict, and something to break', () => {
    const core = ALL.filter(({ text }) => path.basename(text) === 'README.md');
    const stages = [...new Set(core.map(({ chapter, stage }) => `${chapter} ${stage}`))];
    assert.ok(stages.length >= 40, `${stages.length} stages`);
    for (const each of stages) {
        const found = core.filter(({ chapter, stage }) => each === `${chapter} ${stage}`);
        assert.equal(found.filter(({ unit }) => unit).length, 1, `${each}: a number`);
        assert.ok(
            found.some(({ barrier, change }) => barrier > 0 || change),
            `${each}: a break`,
        );
    }
});

test('a change that is offered below a listing is a link that the browser lab takes', async () => {
    const offered = ALL.filter(({ change }) => change);
    assert.ok(offered.length > 1);
    for (const each of offered) {
        const { value, unfit } = workFrom(await unpacked(changeLink(each).replace('#work=', '')));
        assert.deepEqual(unfit, []);
        assert.equal(value.stage, `${each.chapter}/${each.stage}`);
        const original = fs.readFileSync(path.join(ROOT, path.dirname(each.text), 'main.cu'), 'utf8');
        const { line, to } = each.change;
        assert.equal(changed(original, value.change), original.replace(line, to));
    }
});

test('each barrier that can be left out is missed: Faults shows it, and nothing with the barrier', async () => {
    const silent = [];
    const tried = ALL.filter(({ barrier }) => barrier > 0);
    assert.ok(tried.length > 15, `${tried.length} breaks`);
    for (const each of tried) {
        const name = `${each.chapter} ${each.stage} ${each.file}:${each.barrier}`;
        const withoutBarrier = `${path.basename(each.file)}:${each.barrier}`;
        const broken = await ran(each, { mode: 'faults', withoutBarrier });
        if (broken.faults.length === 0) silent.push(name);
        const right = await ran(each, { mode: 'faults' });
        assert.deepEqual([right.faults, right.wrong, right.code], [[], '', 0], name);
    }
    assert.deepEqual(silent, []);
});

test('each number that is to be predicted is counted', async () => {
    const predicted = ALL.filter(({ unit }) => unit);
    assert.ok(predicted.length > 60, `${predicted.length} numbers`);
    for (const each of predicted) {
        const { counts } = await ran(each, { mode: 'count' });
        const file = path.basename(each.file);
        assert.ok(tables(counts).length > 0);
        const said = judged(counts, { ...each, file, guess: '' });
        assert.match(said, /: [\d.]+ each\.$|^(?:Line \d+|In all): [\d,]+ [a-z ]+\.$/, `${each.stage}`);
    }
});

test('a prediction is compared with what was counted', () => {
    const row = { file: 'main.cu', line: 7, space: 'shared', operation: 'load', source: '' };
    const shown = { ...row, requests: 4, lanes: 128, wavefronts: 19, least_wavefronts: 4 };
    const atomic = { ...row, line: 8, operation: 'atomic', requests: 4, lanes: 128, wavefronts: 4 };
    const elsewhere = { ...row, line: 9, space: 'global', requests: 6, lanes: 6, sectors: 6 };
    const kernel = {
        kernel: 'k',
        blocks: 1,
        shapes: [{ launches: 2 }, { launches: 10 }],
        barriers: 0,
        steps: 1,
        lane_steps: 32,
        rows: [shown, atomic, elsewhere],
    };
    const said = (guess, unit = 'wavefronts', predict = 7) =>
        judged({ stages: [{ kernels: [kernel] }] }, { predict, unit, file: 'main.cu', guess });
    assert.equal(said(''), 'Line 7 takes 19 wavefronts in 4 requests: 4.75 each.');
    assert.equal(said('4,75'), 'Line 7 takes 19 wavefronts in 4 requests: 4.75 each. You said 4.75: right.');
    assert.equal(said('1'), 'Line 7 takes 19 wavefronts in 4 requests: 4.75 each. You said 1.');
    assert.equal(said('many'), said(''));
    assert.equal(said('1', 'sectors'), '');
    assert.equal(said('', 'requests'), 'Line 7: 4 requests.');
    assert.equal(said('128', 'atomic operations', 8), 'Line 8: 128 atomic operations. You said 128: right.');
    assert.equal(said('130', 'atomic operations', 8), 'Line 8: 128 atomic operations. You said 130.');
    assert.equal(said('', 'launches', 0), 'In all: 12 launches.');
    assert.equal(said('1', 'blocks', 0), 'In all: 1 block. You said 1: right.');
    assert.equal(
        said('6', 'requests to global memory', 0),
        'In all: 6 requests to global memory. You said 6: right.',
    );
    assert.equal(said('1', 'wavefronts', 10), '');
});

/** The buttons below a listing, by its stage and its position among that stage's listings. */
const barOf = (page, stage, at = 0) => page.locator(`.listing-bar[aria-label^="${stage}, lines "]`).nth(at);
const boxOf = (bar) => bar.locator('xpath=ancestor::div[contains(@class, "excerpt-source")]');
const listingOf = (bar) => boxOf(bar).locator('xpath=preceding-sibling::div[1]');
const button = (bar, name) => bar.getByRole('button', { name, exact: typeof name === 'string' });

async function done(bar) {
    await boxOf(bar).locator('.lab-panel').waitFor({ timeout: 60_000 });
    await button(bar, 'Run').and(bar.locator('[aria-disabled="false"]')).waitFor({ timeout: 60_000 });
}

async function ask(bar, name) {
    await button(bar, name).click();
    await done(bar);
}

/** The rows of a table of counts except those that show a source line. */
const rowsOf = (table) =>
    table
        .locator('tbody tr:not(.source)')
        .evaluateAll((all) =>
            all.map((row) => [...row.children].map((cell) => cell.textContent.trim().replace(/\s+/g, ' '))),
        );

for (const name of ['Chromium', 'Firefox']) {
    const visit = (page, options) => browsers[name].page(page, options);
    const close = (page) => browsers[name].close(page);

    test(`${name}: Count below a listing says what the browser lab says of the stage`, async () => {
        const firsts = name === 'Chromium' ? ALL : ALL.filter(({ chapter }) => chapter === 'ch02');
        const tried = firsts.filter(
            (each, i) => each.n <= 4096 && firsts.findIndex(({ chapter }) => chapter === each.chapter) === i,
        );
        assert.ok(tried.length > 0);
        for (const each of tried) {
            const page = await visit(pageOf(each.text).replace(/(index)?\.md$/, ''));
            const bar = barOf(page, each.stage);
            await ask(bar, 'Count');
            const answer = boxOf(bar);
            const all = answer.locator('details .kernel-counts, .lab-panel > .kernel-counts').last();
            const listed = await rowsOf(
                (await answer.locator('details .kernel-counts').count()) ? answer.locator('details') : all,
            );
            assert.deepEqual(page.faults, []);
            await close(page);
            const lab = await openLab(browsers[name], `#stage=${each.chapter}/${each.stage}&n=${each.n}`);
            await press(lab, 'Count');
            const wanted = await rowsOf(lab.locator('#lab-panel-counts'));
            assert.ok(wanted.length > 0);
            // The table below the listing names the unit in its second column as well, as on a phone.
            const plain = (rows) =>
                rows.map(([line, what, ...rest]) => [
                    line,
                    what.replace(/ (?:sectors|wavefronts|requests)$/, ''),
                    ...rest,
                ]);
            assert.deepEqual(plain(listed), plain(wanted), `${each.chapter}: ${each.stage}`);
            await close(lab);
        }
    });

    test(`${name}: a right stage has no fault; without its barrier it is a race`, async () => {
        const page = await visit('ch02_reduce_baseline/');
        const bar = barOf(page, 'sequential');
        await ask(bar, 'Faults');
        const box = boxOf(bar);
        assert.match(await box.locator('.verdict').first().innerText(), /^No fault found/);
        await ask(bar, /^Without the barrier/);
        assert.match(await box.locator('.verdict').first().innerText(), /^\d+ faults? found/);
        assert.match(
            await box.locator('.fault').first().innerText(),
            /race within a block in sequential_kernel/,
        );
        assert.match(await box.locator('.hint').innerText(), /^Wrong result: expected /);
        assert.equal(await listingOf(bar).locator('.line.is-left-out').count(), 1);
        await ask(bar, 'Run');
        assert.match(await box.locator('.verdict').first().innerText(), /^It finished/);
        assert.match(await box.locator('pre').innerText(), /sequential/);
        assert.equal(await listingOf(bar).locator('.line.is-left-out').count(), 0);
        assert.deepEqual(page.faults, []);
        await close(page);
    });

    test(`${name}: two listings, asked one right after the other, each show their own answer`, async () => {
        const page = await visit('ch02_reduce_baseline/');
        const [one, two, three] = ['atomic', 'neighbour', 'compact'].map((stage) => barOf(page, stage));
        await button(one, 'Count').click();
        await button(two, 'Faults').click();
        await button(three, 'Count').click();
        await Promise.all([one, two, three].map(done));
        assert.match(await boxOf(one).locator('.kernel-counts h3').first().innerText(), /^atomic_kernel/);
        assert.match(await boxOf(two).locator('.verdict').innerText(), /^No fault found/);
        assert.match(await boxOf(three).locator('.kernel-counts h3').first().innerText(), /^compact_kernel/);
        assert.deepEqual(page.faults, []);
        await close(page);
    });
}

test('nothing is loaded before a press, then one worker and one program, and no compiler', async () => {
    const browser = browsers.Chromium;
    browser.site.sent.length = 0;
    const page = await browser.page('ch02_reduce_baseline/');
    await barOf(page, 'compact').waitFor();
    await page.waitForLoadState('networkidle');
    const names = () => browser.site.sent.map(({ name }) => name);
    assert.deepEqual(
        names().filter((name) => /^page_lab|Listing(?:Answer)/.test(name)),
        [],
    );
    await ask(barOf(page, 'compact'), 'Count');
    await ask(barOf(page, 'sequential'), 'Faults');
    for (const name of ['page_lab/run_worker.mjs', 'page_lab/ready/ch02.wasm.gz', 'page_lab/files.json'])
        assert.equal(names().filter((each) => each === name).length, 1, name);
    const others = /llvm|pyodide|python|headers|binaryen|compile_worker|chain|ready\/ch0[^2]/;
    assert.deepEqual(
        names().filter((name) => name.startsWith('page_lab/') && others.test(name)),
        [],
    );
    await browser.close(page);
});

test('counts stand at the height of their lines; a prediction is answered by the keyboard', async () => {
    const browser = browsers.Chromium;
    for (const width of [1440, 390]) {
        const page = await browser.page('ch02_reduce_baseline/', { width });
        const bar = barOf(page, 'compact');
        await bar.getByRole('textbox').fill('1');
        await page.keyboard.press('Enter');
        await done(bar);
        assert.match(await boxOf(bar).locator('.prediction').innerText(), /: 4\.75 each\. You said 1\.$/);
        const { first } = ALL.find(({ stage, chapter }) => chapter === 'ch02' && stage === 'compact');
        const marks = await listingOf(bar)
            .locator('.listing-counts span')
            .evaluateAll((all) =>
                all.map((each) => [Number(each.dataset.line), each.getBoundingClientRect().y]),
            );
        const lines = await listingOf(bar)
            .locator('.line')
            .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().y));
        assert.ok(marks.length > 0);
        for (const [line, y] of marks)
            assert.ok(Math.abs(y - lines[line - first]) < 5, `line ${line}: ${y}, ${lines[line - first]}`);
        assert.ok((await listingOf(bar).locator('.listing-counts .is-waste').count()) > 0, 'waste is marked');
        await browser.close(page);
    }
});

test('with answers open: axe, both themes, no page wider than a telephone, fingers', async () => {
    const browser = browsers.Chromium;
    for (const colorScheme of ['light', 'dark']) {
        const page = await browser.page('ch02_reduce_baseline/', { width: 390, colorScheme });
        await ask(barOf(page, 'compact'), 'Count');
        await ask(barOf(page, 'sequential'), /^Without the barrier/);
        await ask(barOf(page, 'neighbour'), 'Run');
        assert.deepEqual(await seriousFaults(page), [], colorScheme);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
        for (const { height } of await page
            .locator('.listing-bar button')
            .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON())))
            assert.ok(height >= 44, `${height} px`);
        await browser.close(page);
    }
});

test('what cannot be loaded is said in words, and works when it can; without scripts there are no buttons', async () => {
    const browser = browsers.Chromium;
    const page = await browser.page('ch02_reduce_baseline/');
    const bar = barOf(page, 'compact');
    await bar.waitFor();
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    await button(bar, 'Count').click();
    assert.match(await boxOf(bar).getByRole('alert').innerText(), /no network/);
    await page.context().setOffline(false);
    await page.route('**/page_lab/**', (route) => route.abort());
    await ask(bar, 'Count');
    assert.match(await boxOf(bar).locator('.verdict').innerText(), /no network/);
    await page.unroute('**/page_lab/**');
    await ask(bar, 'Count');
    assert.ok((await boxOf(bar).locator('.kernel-counts').count()) > 0);
    await browser.close(page);
    const plain = await browser.page('ch02_reduce_baseline/', { javaScriptEnabled: false });
    assert.equal(await plain.locator('.listing-bar').count(), 0);
    assert.ok((await plain.locator('.excerpt-source a').count()) > 0);
    await browser.close(plain);
});
