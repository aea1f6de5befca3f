// Many pages of the book, looked at by a few tabs at a time: opening a context for each page takes longer
// than what is looked at.
import os from 'node:os';
import { after } from 'node:test';
import { serve } from './server.mjs';

/** How many tabs are used at a time. */
export const LANES = os.availableParallelism();

/** Tabs that go from page to page, each with a server of its own: what one transfers is told apart. */
export class Lanes {
    #free = [];
    #sites = [];

    constructor(browser) {
        this.browser = browser;
        after(() => this.#sites.forEach((site) => site.close()));
    }

    async #open() {
        const site = await serve();
        this.#sites.push(site);
        return { site, tab: await this.browser.visit(`${site.address}404.html`) };
    }

    /** Calls look(tab, go). go(name, {width, colorScheme}) loads a page and returns the files that came. A
     *  tab in which something was wrong is not used again. */
    async visit(look) {
        const lane = this.#free.pop() ?? (await this.#open());
        const { site, tab } = lane;
        await look(tab, async (name, view) => {
            await resize(tab, view);
            tab.faults.length = 0;
            site.sent.length = 0;
            await tab.goto(site.address + name, { waitUntil: 'load' });
            await tab.waitForFunction(() => document.querySelector('#app')?.__vue_app__);
            return site.sent;
        });
        this.#free.push(lane);
    }
}

/** Shows the page that is open in another window. What follows its width, as charts do, comes a frame later. */
export async function resize(tab, { width, colorScheme }) {
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ colorScheme });
    await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
