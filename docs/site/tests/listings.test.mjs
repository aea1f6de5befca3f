// Listings that run in place: what they say is what the browser lab says, in one browser a day.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOf } from '../build/texts.mjs';
import { ALL } from './all_listings.mjs';
import { Browser, TODAYS, seriousFaults } from './browser.mjs';
import { openLab, press } from './lab_page.mjs';

const browsers = Object.fromEntries(
    Object.entries({ Chromium: undefined, ...TODAYS }).map(([name, kind]) => [name, new Browser(kind)]),
);

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

for (const name of Object.keys(TODAYS)) {
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
    const plain = await browser.page('ch02_reduce_baseline/', { javaScriptEnabled: false });
    assert.equal(await plain.locator('.listing-bar').count(), 0);
    assert.ok((await plain.locator('.excerpt-source a').count()) > 0);
});
