// Prints the time that the browser lab takes in Chromium, step by step: node tests/measure.mjs [PROGRAM.cu].
// The first visit starts with an empty cache, the second with the first one's; each compiles the program
// twice, the second time with another last line. Both wall-clock seconds and processor seconds are shown, the
// latter for all processes of the browser.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ROOT } from '../build/places.mjs';
import { serve } from './server.mjs';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const source = process.argv[2] ?? path.join(ROOT, 'docs/examples/matmul.cu');
const TICKS = 100; // per second, in /proc
const PAGE = 1 << 20;

/** Processor seconds used by the processes of this profile, and the MiB that they hold, with shared memory
 *  counted once. */
function used(profile) {
    let [seconds, bytes] = [0, 0];
    for (const id of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
            const root = parentOf(id, profile);
            if (!root) continue;
            const fields = fs
                .readFileSync(`/proc/${id}/stat`, 'utf8')
                .replace(/^.*\) /s, '')
                .split(' ');
            seconds += (Number(fields[11]) + Number(fields[12])) / TICKS;
            const pss = /^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${id}/smaps_rollup`, 'utf8'));
            if (/--type=renderer/.test(fs.readFileSync(`/proc/${id}/cmdline`, 'utf8')))
                bytes = Math.max(bytes, Number(pss[1]) * 1024);
        } catch {
            // The process has ended.
        }
    }
    return { seconds, mebibytes: Math.round(bytes / PAGE) };
}

/** Whether a process is the browser of this profile, or was started by it. */
function parentOf(id, profile) {
    for (let at = id; Number(at) > 1;) {
        if (fs.readFileSync(`/proc/${at}/cmdline`, 'utf8').includes(`--user-data-dir=${profile}`)) return at;
        at = fs
            .readFileSync(`/proc/${at}/stat`, 'utf8')
            .replace(/^.*\) /s, '')
            .split(' ')[1];
    }
    return null;
}

/** Runs in the page: calls the two workers, as the browser lab does. */
async function inPage({ text }) {
    const base = location.href.replace(/[^/]*$/, '');
    await navigator.serviceWorker.register(`${base}service_worker.js`);
    while (!navigator.serviceWorker.controller) await new Promise((done) => setTimeout(done, 20));
    const list = await (await fetch(`${base}files.json`)).json();
    const worker = (name) => new Worker(`${base}${name}`, { type: 'module' });
    const [compiler, runner] = [worker('compile_worker.mjs'), worker('run_worker.mjs')];
    let id = 0;
    const ask = (to, what, message, news = () => {}) =>
        new Promise((done, failed) => {
            const mine = ++id;
            to.addEventListener('message', ({ data }) => {
                if (data.id !== mine) return;
                if (data.kind === 'done') done(data.result);
                else if (data.kind === 'failed') failed(new Error(data.text));
                else news(data);
            });
            to.postMessage({ id: mine, what, list, isServed: true, ...message });
        });
    let loaded = 0;
    await window.lap('begin');
    await ask(compiler, 'load', {}, ({ bytes }) => (loaded += bytes ?? 0));
    const told = window.lap(`load ${(loaded / 1e6).toFixed(1)} MB`);
    for (const edit of ['first', 'edit', 'edit']) {
        let last = `${edit}:`;
        const step = async (name) => {
            const was = last;
            last = name;
            await window.lap(was);
        };
        const source = { name: 'main.cu', text: `${text}\n// ${edit} ${++id}\n`, mode: 'count' };
        const waiting = [];
        const { program, said } = await ask(compiler, 'compile', { source }, (news) =>
            waiting.push(step(news.step)),
        );
        await Promise.all([told, ...waiting]);
        if (!program) throw new Error(said);
        await window.lap(last);
        await ask(runner, 'run', { program, options: { mode: 'count', timeLimit: 10, order: 'forward' } });
        await window.lap('run');
    }
}

const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'page-lab-'));
const site = await serve();
try {
    for (const visit of ['first', 'second']) {
        console.log(`${visit} visit\n${'step'.padEnd(16)}   clock     CPU     MiB`);
        const context = await chromium.launchPersistentContext(profile, {
            executablePath,
            args: ['--no-sandbox', '--disable-dev-shm-usage'],
        });
        const page = await context.newPage();
        let [clock, cpu] = [performance.now(), used(profile).seconds];
        await page.exposeFunction('lap', (name) => {
            const { seconds, mebibytes } = used(profile);
            const now = performance.now();
            const numbers = [(now - clock) / 1000, seconds - cpu].map((each) => each.toFixed(2).padStart(8));
            console.log(`${name.padEnd(16)}${numbers.join('')}${String(mebibytes).padStart(8)}`);
            [clock, cpu] = [now, seconds];
        });
        await page.goto(`${site.address}page_lab/files.json`);
        await page.evaluate(inPage, { text: fs.readFileSync(source, 'utf8') });
        await page.waitForTimeout(3000); // the browser keeps its machine code
        await context.close();
    }
} finally {
    site.close();
    fs.rmSync(profile, { recursive: true });
}
