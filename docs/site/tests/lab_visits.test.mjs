// Visits to the browser lab, in one browser a day: little memory, no storage, another visit, a phone, a long
// text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, TODAYS } from './browser.mjs';
import { openLab, ownProgram, press, verdict } from './lab_page.mjs';

const COMPILER = /compile_worker|chain\.mjs|llvm|headers\.pch/;
const note = (page) => page.locator('.compiler-note');
const file = (page, words) => page.locator('.file-bar', { hasText: words }).waitFor();

/** The parts of the compiler that the page requests from now on. */
function compilerRequests(page) {
    const asked = [];
    page.on('request', (request) => COMPILER.test(request.url()) && asked.push(request.url()));
    return asked;
}

for (const [name, kind] of Object.entries(TODAYS)) {
    const browser = new Browser(kind);

    /** The browser lab in which `script` has run before anything else. */
    async function openAfter(script, words, options) {
        const page = await browser.page('404.html', options);
        await page.context().addInitScript(script);
        page.faults.length = 0;
        await page.goto(`${browser.site.address}page_lab/${words}`);
        await page.locator('.lab .code-editor .cm-content').waitFor();
        return page;
    }

    test(`${name}: at too little memory a ready-made program is offered, and nothing is loaded unasked`, async () => {
        const little = () => Object.defineProperty(navigator, 'deviceMemory', { get: () => 1 });
        const died = () => {
            // Firefox also runs this in its first, empty page, which has no address and no storage.
            if (location.protocol.startsWith('http'))
                sessionStorage.setItem('page-lab:holds-the-compiler', '1');
        };
        for (const [script, words] of [
            [little, /may have too little memory/],
            [died, /ended this tab while the compiler was in it/],
        ]) {
            const page = await openAfter(script, '#stage=own');
            const asked = compilerRequests(page);
            assert.match(await note(page).innerText(), words);
            await press(page, 'Run');
            assert.match(await verdict(page), /more memory than this device has: choose a ready-made/);
            await page.getByRole('button', { name: 'Show a ready-made program' }).click();
            await file(page, 'Edit this');
            await press(page, 'Count');
            assert.match(await verdict(page), /^It finished/);
            assert.deepEqual(asked, []);
            // An exercise says the same, and a reader who insists gets the compiler.
            await page.getByLabel('Program', { exact: true }).first().selectOption('exercises/first');
            await file(page, 'ex1_map.cu');
            await page.getByRole('button', { name: 'Load the compiler anyway' }).click();
            await note(page)
                .locator('progress')
                .or(page.locator('.panes.has-task:only-child'))
                .first()
                .waitFor();
            assert.deepEqual(page.faults, []);
            await browser.close(page);
        }
    });

    test(`${name}: another visit loads no compiler unasked; its other part is announced`, async () => {
        const page = await openLab(browser, '#stage=own');
        assert.match(await note(page).innerText(), /needs the compiler: \d+ MB, once\..* need \d+ MB more/s);
        // As if an earlier visit had stored it.
        await page.evaluate(async () => {
            const list = await (await fetch('files.json')).json();
            const cache = await caches.open('page-lab');
            await cache.put(`llvm.wasm?v=${list['llvm.wasm'].version}`, new Response('kept'));
        });
        const asked = compilerRequests(page);
        await page.reload();
        await page.locator('.lab .code-editor .cm-content').waitFor();
        await note(page).filter({ hasText: 'already has the compiler' }).waitFor();
        assert.deepEqual(
            asked.filter((address) => !/chain\.mjs|compile_worker/.test(address)),
            [],
        );
    });

    test(`${name}: without storage, and without room in it, the lab works and says that nothing is kept`, async () => {
        const forbidden = () => {
            const no = () => {
                throw new DOMException('no', 'SecurityError');
            };
            for (const each of ['localStorage', 'sessionStorage'])
                Object.defineProperty(window, each, { get: no });
            CacheStorage.prototype.match = CacheStorage.prototype.open = async () => no();
        };
        const full = () => {
            Storage.prototype.setItem = () => {
                throw new DOMException('full', 'QuotaExceededError');
            };
        };
        for (const script of [forbidden, full]) {
            // The book's own theme complains when it cannot store things: only the lab is checked.
            const page = await openAfter(script, '#stage=ch01/shared');
            await press(page, 'Count');
            assert.match(await verdict(page), /^It finished/);
            await ownProgram(page, 'int main() {}\n');
            await page.locator('.notice', { hasText: 'This browser keeps nothing' }).waitFor();
            assert.match(await page.locator('.cm-content').innerText(), /int main/);
            await browser.close(page);
        }
    });

    test(`${name}: a task is text next to the editor, with its pictures, and folded in the file`, async () => {
        for (const width of [1440, 390]) {
            const page = await openLab(browser, '#stage=exercise/first/ex1', { width, height: 844 });
            const task = page.getByRole('region', { name: 'Task' });
            assert.match(await task.innerText(), /^Task: Make every pixel of a picture brighter/);
            const picture = task.getByRole('img');
            assert.match(await picture.getAttribute('alt'), /\w/);
            await page.waitForFunction(() => document.querySelector('.task img').naturalWidth > 0);
            assert.doesNotMatch(await page.locator('.cm-content').innerText(), /Make every pixel|--hint/);
            const [at, editor] = [await task.boundingBox(), await page.locator('.cm-editor').boundingBox()];
            if (width === 1440) assert.ok(at.x >= editor.x + editor.width, 'beside the editor');
            else assert.ok(at.y + at.height <= editor.y, 'above the editor');
            // The line that stands for folded lines is as high as the others.
            const fold = await page.locator('.cm-line', { has: page.locator('.folded') }).boundingBox();
            assert.ok(fold.height < 25, `${fold.height} pixels`);
            assert.deepEqual(page.faults, []);
            await browser.close(page);
        }
    });

    test(`${name}: at 390 pixels a count shows its line, what it takes and the least; Play its whole run`, async () => {
        const page = await openLab(browser, '#stage=ch02/neighbour&n=64', { width: 390, height: 844 });
        await press(page, 'Count');
        const table = page.locator('.kernel-counts table').first();
        await table.waitFor();
        for (const title of ['takes', 'least']) {
            const box = await table.getByRole('columnheader', { name: title, exact: true }).boundingBox();
            assert.ok(box.x >= 0 && box.x + box.width <= 390, `${title}: ${JSON.stringify(box)}`);
        }
        assert.match(await table.locator('.source').first().innerText(), /sums\[t\] = /);
        await press(page, 'Play');
        await page.locator('#lab-panel-play .time-line').waitFor();
        const [run, bar] = [page.locator('.time-line'), page.locator('.run-bar')];
        const [all, buttons] = [await run.boundingBox(), await bar.boundingBox()];
        assert.ok(all.y > 0 && all.y + all.height <= buttons.y, JSON.stringify([all, buttons]));
    });

    test(`${name}: after Count the most wasteful line is in view, wherever the editor was`, async () => {
        const page = await openLab(browser, '#stage=ch02/neighbour&n=64');
        const scroller = page.locator('.cm-scroller');
        await scroller.evaluate((element) => (element.scrollTop = 0));
        await press(page, 'Count');
        const count = page.locator('.cm-counts .count').first();
        await count.waitFor();
        const [at, editor] = [await count.boundingBox(), await scroller.boundingBox()];
        assert.ok(at.y >= editor.y && at.y + at.height <= editor.y + editor.height);
    });

    test(`${name}: ten thousand lines, tabs, quotes and all; typing in them goes on at once`, async () => {
        const page = await openLab(browser, '#stage=own');
        const kernel = (i) =>
            `__global__ void k${i}(int* x) {\n\t__syncthreads();\n    // “é”\n    x[0] = 1;\n}\n\n\n\n\n\n`;
        const text = Array.from({ length: 1000 }, (_, i) => kernel(i)).join('');
        await page.getByLabel('Open a file').setInputFiles({
            name: 'long.cu',
            mimeType: 'text/plain',
            buffer: Buffer.from(text.replaceAll('\n', '\r\n')), // as from Windows
        });
        await file(page, 'long.cu');
        await page.locator('.cm-content').click();
        await page.keyboard.press('ControlOrMeta+Home');
        const begin = Date.now();
        await page.keyboard.type('// ten letters\n');
        await page.locator('.cm-line', { hasText: '// ten letters' }).waitFor();
        assert.ok(Date.now() - begin < 20_000, `${Date.now() - begin} ms`); // it used to take seconds for each
        const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('page-lab:program:long.cu')));
        assert.equal(kept, `// ten letters\n${text}`);
        assert.equal(await page.locator('.kernel-chips [role=group]').count(), 12);
    });

    test(`${name}: a seed that is none, an n and an input that are not offered`, async () => {
        const page = await openLab(browser, '#stage=ch01/shared&n=77&input=nothing');
        assert.equal(await page.getByLabel('n', { exact: true }).inputValue(), '77');
        assert.equal(await page.getByLabel('Input', { exact: true }).inputValue(), 'random');
        const seed = page.getByLabel('Seed');
        for (const word of ['', '-3', '1.5']) {
            await seed.fill(word);
            await seed.blur();
            assert.equal(await seed.inputValue(), '1', `"${word}"`);
        }
        await press(page, 'Run');
        assert.match(await verdict(page), /^It finished/);
    });
}
