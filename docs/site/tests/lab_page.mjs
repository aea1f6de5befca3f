// The browser lab as its tests use it: opening it, pressing its buttons, reading what it says.

export const FIRST_RESULT_MS = 240_000; // for the compiler, on a machine that is busy with other things

export async function openLab(browser, words = '', options = {}) {
    const page = await browser.page(`page_lab/${words}`, options);
    await page.locator('.lab .code-editor .cm-content').waitFor();
    return page;
}

/** Presses a button of the bar, and waits for the result. */
export async function press(page, name, timeout = 30_000) {
    await page.locator('.run-bar').getByRole('button', { name, exact: true }).click();
    await page.waitForFunction(() => document.querySelector('.run-bar .stop').disabled, null, { timeout });
}

/** The sentence that states the outcome. */
export async function verdict(page) {
    await page.getByRole('tab', { name: 'Verdict' }).click();
    return page.locator('.verdict').first().innerText();
}

/** Replaces the program in the editor. */
export async function write(page, text) {
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(text);
}

export async function ownProgram(page, text) {
    await page.getByLabel('Program', { exact: true }).first().selectOption('own');
    await write(page, text);
}

/** For a visit without a network: waits until the browser's cache has what this ready-made program needs. */
export async function waitUntilKept(page, program) {
    const keeps = (name) =>
        page.evaluate(async (each) => {
            const cache = await caches.open('page-lab');
            return Boolean(await cache.match(new URL(each, location.href), { ignoreSearch: true }));
        }, name);
    const ready = ['wasm', 'json'].map((end) => `ready/${program}.${end}.gz`);
    for (const name of ['./', 'run_worker.mjs', 'files.json', 'ready/index.json', ...ready])
        for (let i = 0; !(await keeps(name)); ++i) {
            if (i === 300) throw new Error(`${name} is not kept`);
            await page.waitForTimeout(100);
        }
    // On a busy machine others come later.
    const kept = () => page.evaluate(async () => (await (await caches.open('page-lab')).keys()).length);
    for (let before = 0, now = await kept(); now !== before; now = await kept()) {
        before = now;
        await page.waitForTimeout(1000);
    }
}

/** Without its barrier, which a button below it removes, it is a race. */
export const RACE = `#include <cuda_runtime.h>
constexpr int kBlockSize = 64;
__global__ void reverse_kernel(int* numbers) {
    __shared__ int tile[64];
    const unsigned t = threadIdx.x;
    tile[t] = numbers[t];
    __syncthreads();
    numbers[t] = tile[63 - t];
}
int main() {
    int* d_numbers = nullptr;
    cudaMalloc(&d_numbers, 64 * sizeof(int));
    cudaMemset(d_numbers, 0, 64 * sizeof(int));
    reverse_kernel<<<1, kBlockSize>>>(d_numbers);
    cudaDeviceSynchronize();
    cudaFree(d_numbers);
}
`;
export const ENDLESS = RACE.replace('tile[t] = numbers[t];', 'for (;;) tile[t] += numbers[t];');
/** It does not compile. */
export const WRONG = RACE.replace('numbers[t] = tile', 'oops = tile');
