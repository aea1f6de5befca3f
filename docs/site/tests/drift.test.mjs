// Nothing has drifted: links lead somewhere, recordings match the current kernels, costs are the lab's.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { compileTrace } from '../build/compile_trace.mjs';
import { excerpts } from '../build/excerpts.mjs';
import { CHAPTERS, OUT, filesIn, textOf } from '../build/places.mjs';
import { recordedAgain } from '../build/record.mjs';
import { texts } from '../build/texts.mjs';
import { Labels } from '../.vitepress/theme/player/labels.mjs';
import { Playback } from '../.vitepress/theme/player/playback.mjs';
import { APPROXIMATE, inputsOf } from '../recordings.mjs';
import { PROGRAMS, published } from './programs.mjs';

test('every link of every page leads to a page, a heading or a line', () => {
    const pages = filesIn(OUT).filter((file) => file.endsWith('.html'));
    const text = new Map(pages.map((file) => [file, fs.readFileSync(file, 'utf8')]));
    const ids = new Map(
        pages.map((file) => [
            file,
            new Set([...text.get(file).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)),
        ]),
    );
    let looked = 0;
    for (const [page, html] of text) {
        if (page.endsWith('404.html')) continue;
        for (const [, raw] of html.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
            const link = raw.replaceAll('&amp;', '&');
            if (/^(?:[a-z]+:|\/\/)/.test(link)) continue;
            const [name, anchor] = link.replace(/\?[^#]*/, '').split('#');
            let file = name ? path.resolve(path.dirname(page), decodeURIComponent(name)) : page;
            if (fs.existsSync(file) && fs.statSync(file).isDirectory()) file = path.join(file, 'index.html');
            const where = `${path.relative(OUT, page)}: ${link}`;
            assert.ok(fs.existsSync(file), where);
            const isState = anchor?.includes('='); // of the browser lab: what it is to show
            if (anchor && !isState && ids.has(file))
                assert.ok(ids.get(file).has(decodeURIComponent(anchor)), where);
            looked += 1;
        }
    }
    assert.ok(looked > 1000, `${looked} links`);
});

test('excerpts stand verbatim where their links lead', () => {
    let found = 0;
    for (const text of texts()) {
        for (const { file, first, last } of excerpts(textOf(text), text)) {
            assert.ok(first >= 1 && last >= first, `${text}: ${file}`);
            found += 1;
        }
    }
    assert.ok(found > 40, `${found} excerpts`);
});

test('recordings are what a fresh run does', async () => {
    let looked = 0;
    for (const { fresh, kept, name } of await recordedAgain(PROGRAMS, 12)) {
        assert.ok(fresh === kept, `${name} is out of date: ./tutorial docs build`);
        looked += 1;
    }
    assert.equal(looked, 12);
});

/** Requests, lanes, sectors and wavefronts by line, operation and space. */
function played(recording) {
    const sums = {};
    const add = (name, value) => (sums[name] = (sums[name] ?? 0) + value);
    const playback = new Playback(recording);
    for (let at = 0; at < playback.length; ++at) {
        const { kind, line, groups } = playback.detail(at);
        for (const group of groups) {
            if (!group.array) continue;
            const name = `${recording.lines[line].join(':')} ${kind} ${group.array.space}`;
            add(`${name} requests`, 1);
            add(`${name} lanes`, group.lanes.length);
            if (group.sectors) add(`${name} sectors`, group.sectors.size);
            else if (kind !== 'atomic') add(`${name} wavefronts`, group.wavefronts);
        }
    }
    return sums;
}

function counted(stage) {
    const sums = {};
    const add = (name, value) => (sums[name] = (sums[name] ?? 0) + value);
    for (const { rows } of stage.kernels) {
        for (const row of rows) {
            if (row.space === 'constant') continue;
            const name = `${row.file}:${row.line} ${row.operation} ${row.space}`;
            add(`${name} requests`, row.requests);
            add(`${name} lanes`, row.lanes);
            if (row.space === 'global') add(`${name} sectors`, row.sectors);
            else if (row.operation !== 'atomic') add(`${name} wavefronts`, row.wavefronts);
        }
    }
    return sums;
}

for (const { folder, id } of CHAPTERS) {
    test(`${id}: the player's requests, sectors and passes are the lab's`, () => {
        const [input] = inputsOf(id, '');
        const words = ['--explain', '--json', ...input.words];
        const text = execFileSync(path.join(PROGRAMS, `${folder}_lab`), words, { maxBuffer: 1 << 27 });
        let looked = 0;
        for (const stage of JSON.parse(text).stages) {
            if (!stage.kernels || APPROXIMATE[id]?.includes(stage.stage)) continue;
            const recording = published(`${id}/${stage.stage}/${input.name}`);
            assert.deepEqual(played(recording), counted(stage), stage.stage);
            looked += 1;
        }
        assert.ok(looked >= 2, `${looked} stages`);
    });
}

test('keys are shown by their ranks, which a sort leaves in order', () => {
    let looked = 0;
    for (const chapter of ['ch01', 'ch05']) {
        const folder = path.join(OUT, 'traces', chapter);
        for (const stage of fs.readdirSync(folder)) {
            const recording = published(`${chapter}/${stage}/random-64`);
            const labels = new Labels(recording);
            const playback = new Playback(recording);
            playback.seek(playback.length);
            const sorted = recording.arrays.map((array, i) =>
                array.space === 'global'
                    ? playback.values[i].map((value) => labels.text(value)).join(' ')
                    : '',
            );
            const ranks = Array.from({ length: 64 }, (_, i) => i).join(' ');
            assert.ok(sorted.includes(ranks), `${chapter}/${stage}: ${sorted.join('\n')}`);
            looked += 1;
        }
    }
    assert.ok(looked > 12, `${looked} stages`);
});

test('a trace of another form is refused', () => {
    assert.throws(
        () => compileTrace('{"schema": "tutorial-trace-1"}\n', () => undefined),
        /no trace, or an old one/,
    );
});
