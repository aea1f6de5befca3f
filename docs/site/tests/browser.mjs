// A real browser: Debian's Chromium or Firefox, or what CHROMIUM and FIREFOX name.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { after, afterEach, before } from 'node:test';
import { chromium, firefox } from 'playwright-core';
import { inTurn } from '../page_lab/tests/turn.mjs';
import { serve } from './server.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const CHROMIUM = {
    type: chromium,
    places: [
        process.env.CHROMIUM,
        '/usr/bin/chromium',
        '/usr/bin/chromium-browser',
        '/usr/bin/google-chrome',
    ],
    options: { args: ['--no-sandbox', '--disable-dev-shm-usage'] },
    missing: 'there is no Chromium; apt-get install chromium, or set CHROMIUM',
};
/** The released Firefox, driven through WebDriver BiDi. */
export const FIREFOX = {
    type: firefox,
    places: [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
    options: { channel: 'moz-firefox' },
    missing: 'there is no Firefox; apt-get install firefox-esr, or set FIREFOX',
};

/** What Firefox reports, with no script at fault, of a file that was being unpacked when its page was left. */
const ENDED_BY_RELOAD = /^“TypeError: Error in input stream”[.]$/;

/** By name, the browser in which what is the same in both is tested today. */
export const TODAYS = Object.fromEntries(
    inTurn(
        [
            ['Chromium', CHROMIUM],
            ['Firefox', FIREFOX],
        ],
        2,
    ),
);

/** A browser for a file's tests: started before them, and stopped after them. */
export class Browser {
    #pages = new Set();

    constructor(kind = CHROMIUM) {
        before(() => this.#start(kind));
        afterEach(() => Promise.all([...this.#pages].map((page) => this.close(page))));
        after(() => this.#stop());
    }

    async #start({ type, places, options, missing }) {
        const executablePath = places.find((place) => place && fs.existsSync(place));
        if (!executablePath) throw new Error(missing);
        this.site = await serve();
        this.program = await type.launch({ executablePath, ...options });
    }

    async #stop() {
        await this.program?.close();
        this.site?.close();
    }

    /** A page of the site, which is closed after the test. */
    async page(name, options = {}) {
        const page = await this.visit(this.site.address + name, options);
        this.#pages.add(page);
        return page;
    }

    /** A page whose errors are collected: errors in the console, requests that fail or leave the host. */
    async visit(address, options = {}) {
        const home = address.startsWith(this.site.address) ? this.site.address : new URL('/', address).href;
        const { width = 1440, height = 900, ...rest } = options;
        const context = await this.program.newContext({ viewport: { width, height }, ...rest });
        const page = await context.newPage();
        page.faults = [];
        page.on('console', (message) => {
            if (['error', 'warning'].includes(message.type()))
                page.faults.push(`${message.type()}: ${message.text()}`);
        });
        page.on('pageerror', (error) => {
            if (!ENDED_BY_RELOAD.test(error.message)) page.faults.push(`error: ${error.message}`);
        });
        page.on('request', (request) => {
            const url = request.url();
            if (!url.startsWith(home) && !/^(?:data|blob|file):/.test(url)) page.faults.push(`asks ${url}`);
        });
        page.on('response', (response) => {
            if (response.status() >= 400) page.faults.push(`${response.status()} for ${response.url()}`);
        });
        await page.goto(address, { waitUntil: 'load' });
        return page;
    }

    /** For a test of many pages: closes one before the test ends. */
    async close(page) {
        this.#pages.delete(page);
        await page.context().close();
    }
}

/** Opens the player below a heading, at its first recording. */
export async function openPlayer(page, stage) {
    await page.getByRole('button', { name: `Watch ${stage} run` }).click();
    const player = page.locator('.stage-player', {
        has: page.getByRole('button', { name: 'Close the player' }),
    });
    await player.locator('.stage-view').first().waitFor();
    return player;
}

/** Moves the player to a step. */
export async function seek(player, step) {
    await player.getByRole('slider', { name: 'Step' }).fill(String(step));
    await player.locator('output', { hasText: new RegExp(`^${step} /`) }).waitFor();
}

/** The values that the cells of an array show, by its title: all of them, folded or not. */
export async function cells(view, title) {
    const array = view
        .locator('.memory', { has: view.page().locator('b', { hasText: new RegExp(`^${title}$`) }) })
        .first();
    const all = array.getByText('Show all cells');
    if ((await all.count()) > 0) await all.evaluate((button) => button.click());
    await array.locator('.folded').waitFor({ state: 'detached' });
    return array.locator('.cell').evaluateAll((all) => all.map((cell) => cell.dataset.value));
}

/** What axe-core finds: by all its rules, of every impact, with what to do and where. */
async function found(page, options) {
    await page.addScriptTag({ path: AXE });
    const { violations } = await page.evaluate(
        (words) => window.axe.run(document, { resultTypes: ['violations'], ...words }),
        options,
    );
    return violations.map(({ id, impact, nodes }) => {
        const places = nodes.slice(0, 3).map(({ html }) => html.slice(0, 160));
        return { impact, text: `${id}: ${places.join(' … ')}` };
    });
}

export async function axeFaults(page) {
    return (await found(page, {})).map(({ text }) => text);
}

/** The serious or critical violations of WCAG's rules that it finds. */
export async function seriousFaults(page) {
    const all = await found(page, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] });
    return all.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ text }) => text);
}
