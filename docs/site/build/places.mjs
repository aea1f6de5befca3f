// Where things are: the repository, what is generated, public addresses.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const SITE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const ROOT = path.resolve(SITE, '../..');
export const WORK = path.join(ROOT, 'build/site');
export const PAGES = path.join(WORK, 'pages');
export const OUT = path.join(WORK, 'out');
export const TRACES = path.join(WORK, 'traces');

/** A text file of the repository. */
export const textOf = (...names) => fs.readFileSync(path.join(ROOT, ...names), 'utf8');

/** The files in a folder and in those below it. */
export function filesIn(folder) {
    const entries = fs.readdirSync(folder, { withFileTypes: true, recursive: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

/** Stands for the folder in which the site will be, until relocate.mjs makes each address relative. */
export const BASE = '/__BASE__/';

export const CHAPTERS = [
    ['ch01_bubble', 'Bubble sort'],
    ['ch02_reduce_baseline', 'Adding up'],
    ['ch03_reduce_optimized', 'A fast sum'],
    ['ch04_squaresum', 'Sum of squares'],
    ['ch05_merge_bitonic', 'Merge and bitonic sort'],
    ['ch06_topk', 'The k largest'],
].map(([folder, title], i) => ({ folder, title, id: folder.slice(0, 4), number: i + 1 }));

/** Address of the repository's pages on its host, or '' if it is not set. */
export function repositoryAddress() {
    if (process.env.TUTORIAL_REPOSITORY) return process.env.TUTORIAL_REPOSITORY.replace(/\/$/, '');
    if (process.env.GITHUB_REPOSITORY) return `https://github.com/${process.env.GITHUB_REPOSITORY}`;
    try {
        const origin = execFileSync('git', ['-C', ROOT, 'remote', 'get-url', 'origin'], {
            stdio: ['ignore', 'pipe', 'ignore'],
        });
        const found = /github\.com[:/](.+?)(?:\.git)?$/.exec(origin.toString().trim());
        return found ? `https://github.com/${found[1]}` : '';
    } catch {
        return '';
    }
}

/** Address at which the site will be published, or '' if it is not given: the sitemap needs it. */
export function siteAddress() {
    if (process.env.TUTORIAL_SITE) return process.env.TUTORIAL_SITE.replace(/\/?$/, '/');
    const [owner, name] = (process.env.GITHUB_REPOSITORY ?? '').split('/');
    return name ? `https://${owner}.github.io/${name}/` : '';
}
