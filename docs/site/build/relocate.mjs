// Makes each address of the built site relative, so that it works from any folder of any server.
import fs from 'node:fs';
import path from 'node:path';
import { parseAst } from 'rollup/parseAst';
import MagicString from 'magic-string';
import { BASE, OUT, filesIn } from './places.mjs';

/** All nodes of a syntax tree. */
function* nodes(node) {
    if (Array.isArray(node)) for (const each of node) yield* nodes(each);
    else if (node && typeof node.type === 'string') {
        yield node;
        for (const key of Object.keys(node)) if (key !== 'type') yield* nodes(node[key]);
    }
}

/** A script learns where the site is from `window.__base`, which each page sets. */
export function relocateScript(code) {
    if (!code.includes(BASE)) return code;
    const out = new MagicString(code);
    for (const node of nodes(parseAst(code))) {
        if (node.type === 'Literal' && typeof node.value === 'string' && node.value.includes(BASE)) {
            const parts = node.value.split(BASE).map((part) => JSON.stringify(part));
            out.overwrite(node.start, node.end, `(${parts.join('+window.__base+')})`);
        } else if (node.type === 'TemplateElement' && node.value.raw.includes(BASE)) {
            out.overwrite(node.start, node.end, node.value.raw.split(BASE).join('${window.__base}'));
        }
    }
    return out.toString();
}

/** Runs in a page: the folder above `address` that contains the site, where hashmap.json is. */
const FIND_SITE = `(() => {
    for (let up = './', tries = 0; tries < 16; up = '../'.repeat(++tries)) {
        const folder = new URL(up, location.href).pathname;
        const ask = new XMLHttpRequest();
        ask.open('HEAD', folder + 'hashmap.json', false);
        try { ask.send(); } catch { continue; }
        if (ask.status === 200) return folder;
        if (folder === '/') break;
    }
    return '/';
})()`;

/**
 * A page at `depth` folders below the site's root. `anywhere`: the page shown for an address that does not
 * exist, at any depth. It looks for the site, and its addresses are relative to that.
 */
export function relocatePage(html, depth, anywhere = false) {
    const up = depth === 0 ? './' : '../'.repeat(depth);
    const script = anywhere
        ? `<script>window.__base=${FIND_SITE};document.write('<base href="'+window.__base+'">')</script>`
        : `<script>window.__base=new URL(${JSON.stringify(up)},location.href).pathname</script>`;
    const site = /window\.__VP_SITE_DATA__=JSON\.parse\((.*?)\);?<\/script>/s;
    return html
        .replace(site, (all) =>
            all.replace('</script>', ';window.__VP_SITE_DATA__.base=window.__base</script>'),
        )
        .replace('<head>', `<head>\n    ${script}`)
        .replaceAll(`"${BASE}`, `"${up}`);
}

export function relocate(folder = OUT) {
    for (const file of filesIn(folder)) {
        const name = path.relative(folder, file);
        if (!/\.(?:html|js|css)$/.test(name)) continue;
        const before = fs.readFileSync(file, 'utf8');
        const depth = name.split(path.sep).length - 1;
        let after = before;
        if (name.endsWith('.js')) after = relocateScript(before);
        if (name.endsWith('.css')) after = before.replaceAll(BASE, '../'.repeat(depth));
        if (name.endsWith('.html')) after = relocatePage(before, depth, name === '404.html');
        if (after !== before) fs.writeFileSync(file, after);
    }
}
