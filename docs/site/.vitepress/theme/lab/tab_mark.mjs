// Whether the browser ended this tab while it held the compiler. A page that is left or hidden removes its
// mark; one that dies for lack of memory does not.

const KEY = 'page-lab:holds-the-compiler';

/** {hasDied, hold(): from now on this page holds the compiler}; nothing is known if storage is forbidden. */
export function markOfTab(page = window) {
    let storage = null;
    try {
        storage = page.sessionStorage;
    } catch {
        // Nothing is known.
    }
    const get = () => {
        try {
            return storage?.getItem(KEY);
        } catch {
            return null;
        }
    };
    const set = (isThere) => {
        try {
            if (isThere) storage?.setItem(KEY, '1');
            else storage?.removeItem(KEY);
        } catch {
            // No room: nothing is known.
        }
    };
    const hasDied = get() === '1';
    let isHeld = false;
    const shown = () => set(isHeld && page.document.visibilityState !== 'hidden');
    shown();
    page.addEventListener('pagehide', () => set(false));
    page.addEventListener('pageshow', shown);
    page.document.addEventListener('visibilitychange', shown);
    return {
        hasDied,
        hold() {
            isHeld = true;
            shown();
        },
    };
}
