// One engine for all listings of the book: it is made when the first button is pressed. Its worker runs one
// program at a time, so that a program waiting for its turn is not taken for a hung one.
import { Engine } from '../lab/engine.mjs';

let engine = null;
let opened = null;
let turn = Promise.resolve();

/** @param base the address of page_lab/ */
export function sharedEngine(base) {
    engine ??= new Engine(base);
    return {
        run(work, output) {
            const mine = turn.then(async () => {
                await open();
                return engine.run(work, output);
            });
            turn = mine.catch(() => {});
            return mine;
        },
    };
}

/** Only once; if there was no network, again at the next press. */
function open() {
    if (!opened) {
        opened = engine.open();
        opened.catch(() => (opened = null));
    }
    return opened;
}
