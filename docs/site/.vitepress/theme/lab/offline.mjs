// The service worker: keeps the compiler, and the page itself, for a visit without a network.

/**
 * @param base the address of page_lab/
 * @param scripts the workers' scripts, which may not have been requested yet
 */
export async function installServiceWorker(base, scripts) {
    if (!navigator.serviceWorker) return; // file://, some private windows: the lab runs without it
    try {
        const registration = await navigator.serviceWorker.register(
            new URL('service_worker.js', location.href),
        );
        const worker = await activated(registration);
        const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
        const ours = loaded.filter((name) => new URL(name).origin === location.origin);
        const page = location.origin + location.pathname;
        worker.postMessage({ keep: [page, ...ours, ...scripts.map((name) => base + name)] });
    } catch (error) {
        console.info(`without a network the browser lab will not be there: ${error.message}`);
    }
}

/** navigator.serviceWorker.ready would wait forever if the reader came from another page of the book. */
function activated({ active, waiting, installing }) {
    const worker = active ?? waiting ?? installing;
    if (worker.state === 'activated') return worker;
    return new Promise((done) => {
        worker.addEventListener('statechange', () => worker.state === 'activated' && done(worker));
    });
}
