// Fetches a page's script when the pointer or the focus reaches a link to it. VitePress would fetch the
// scripts of all visible links, which is several times the page itself.
import { pathToFile } from 'vitepress/dist/client/app/utils.js';

const fetched = new Set();

function prefetch(link) {
    if (typeof link?.href !== 'string' || link.target === '_blank') return;
    const { origin, pathname } = new URL(link.href);
    if (origin !== location.origin || !/(?:\/|\.html)$/.test(pathname)) return;
    if (pathname === location.pathname || fetched.has(pathname)) return;
    fetched.add(pathname);
    const href = pathToFile(pathname);
    if (href) document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href }));
}

export function prefetchOnHover() {
    if (navigator.connection?.saveData || !location.protocol.startsWith('http')) return;
    for (const event of ['pointerover', 'focusin']) {
        document.addEventListener(event, ({ target }) => prefetch(target.closest?.('a[href]')), {
            passive: true,
        });
    }
}
