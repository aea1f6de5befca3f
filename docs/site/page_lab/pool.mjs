// Node only: works in several threads, because a compiler blocks its own.
import os from 'node:os';
import { Worker, parentPort } from 'node:worker_threads';

/** Each holds a compiler, of several hundred megabytes. */
const MAX_WORKERS = 4;

/** The workers' result for each job, in order. `script`: where workIn() is called. */
export async function inPool(script, workerData, jobs) {
    const results = new Array(jobs.length);
    const errors = [];
    let next = 0;
    const work = () =>
        new Promise((resolve, reject) => {
            const worker = new Worker(script, { workerData });
            let mine;
            worker.on('error', reject);
            worker.on('message', ({ result, error }) => {
                if (error) errors.push(error);
                if (mine !== undefined) results[mine] = result;
                mine = next++;
                if (mine < jobs.length) worker.postMessage(jobs[mine]);
                else worker.terminate().then(resolve);
            });
        });
    const count = Math.min(MAX_WORKERS, os.availableParallelism?.() ?? os.cpus().length, jobs.length);
    await Promise.all(Array.from({ length: count }, work));
    if (errors.length) throw new Error(errors.join('\n'));
    return results;
}

/** A worker's side: `make(job)` for each job. */
export function workIn(make) {
    parentPort.on('message', async (job) => {
        try {
            parentPort.postMessage({ result: await make(job) });
        } catch (error) {
            parentPort.postMessage({ error: error.message });
        }
    });
    parentPort.postMessage({});
}
