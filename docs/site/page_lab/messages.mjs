// How the page and its workers talk: {id, what, …} there; {id, kind: 'done', 'failed' or news, …} back.

export class OutOfMemory extends Error {}

/** A worker as others see it, started on the first request. */
export class Colleague {
    constructor(address) {
        this.address = address;
        this.waiting = new Map();
        this.next = 0;
    }

    start() {
        this.worker = new Worker(this.address, { type: 'module' });
        this.worker.onmessage = ({ data: { id, kind, ...message } }) => {
            const asked = this.waiting.get(id);
            if (!asked) return; // it was stopped
            if (kind === 'done' || kind === 'failed') this.waiting.delete(id);
            if (kind === 'done') asked.done(message.result);
            else if (kind === 'failed')
                asked.failed(new (message.outOfMemory ? OutOfMemory : Error)(message.text));
            else asked.news(kind, message);
        };
        this.worker.onerror = (event) => {
            event.preventDefault();
            this.end(new Error(event.message || 'a part of the browser lab could not be loaded'));
        };
    }

    ask(what, message, news = () => {}) {
        if (!this.worker) this.start();
        const id = ++this.next;
        return new Promise((done, failed) => {
            this.waiting.set(id, { done, failed, news });
            this.worker.postMessage({ id, what, ...message });
        });
    }

    /** Pending requests get the error; later messages of the worker are ignored. */
    leave(error) {
        for (const { failed } of this.waiting.values()) failed(error);
        this.waiting.clear();
    }

    end(error) {
        this.worker?.terminate();
        this.worker = null;
        this.leave(error);
    }
}

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

/** What browsers throw when memory runs out: each has its own message. */
function isOutOfMemory({ message }) {
    return /out of memory|could not allocate|allocation failed|array buffer allocation/i.test(message);
}
