// How the page and its workers talk: {id, what, …} there; {id, kind: 'done', 'failed' or news, …} back.

/** A worker's side. `handlers`: {what: async (message, tell) => result}; tell(kind, more) is news. */
export function answer(handlers) {
    self.onmessage = async ({ data: { id, what, ...message } }) => {
        const tell = (kind, more) => self.postMessage({ id, kind, ...more });
        try {
            tell('done', { result: await handlers[what](message, tell) });
        } catch (error) {
            tell('failed', { text: error.message || String(error), outOfMemory: isOutOfMemory(error) });
        }
    };
}

/** What browsers throw where memory ends: each has its own words. */
function isOutOfMemory({ message }) {
    return /out of memory|could not allocate|allocation failed|array buffer allocation/i.test(message);
}
