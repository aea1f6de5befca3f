// The parts of the browser lab that need no browser: chips, links, counts, faults, packing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { compileTrace } from '../build/compile_trace.mjs';
import { dropOthers, pack } from '../build/pack.mjs';
import { bytesOf, filesOf } from '../page_lab/files.mjs';
import { sectionOfExercise, taskInLanguages } from '../page_lab/task_chinese.mjs';
import { sectionOf, taskPictures } from '../page_lab/task_pictures.mjs';
import { chips, kernels } from '../.vitepress/theme/lab/chips.mjs';
import { groups } from '../.vitepress/theme/lab/choices.mjs';
import { beside, tables } from '../.vitepress/theme/lab/counts.mjs';
import { inLanguage, partsOf, taskLines, taskOf } from '../.vitepress/theme/lab/exercises.mjs';
import { linesOfStage } from '../.vitepress/theme/lab/stage_text.mjs';
import { ROOT, textOf } from '../build/places.mjs';
import { useResults } from '../.vitepress/theme/lab/results.mjs';
import { packed, unpacked } from '../.vitepress/theme/lab/saved.mjs';
import { faultsOf, inPage, verdictOf } from '../.vitepress/theme/lab/verdict.mjs';

const PROGRAM = `constexpr unsigned kBlockSize = 64;
constexpr int kStride = 1;

template <class T>
__global__ void first_kernel(T* out) {
    if (out) {
        __syncthreads();  // loaded
    }
}

__global__ void second_kernel() {
}
`;

test('kernels: their names and lines', () => {
    assert.deepEqual(kernels(PROGRAM), [
        { name: 'first_kernel', first: 5, last: 9 },
        { name: 'second_kernel', first: 11, last: 12 },
    ]);
});

test('a chip removes a barrier, and puts it back as it was', () => {
    const [{ kernel, chips: found }] = chips(PROGRAM);
    assert.equal(kernel, 'first_kernel');
    assert.deepEqual(
        found.map(({ label }) => label),
        ['remove the barrier of line 7'],
    );
    const without = found[0].apply(PROGRAM);
    assert.equal(without.split('\n')[6], '        // __syncthreads();  // loaded');
    const [{ chips: back }] = chips(without);
    assert.equal(back[0].label, 'put the barrier of line 7 back');
    assert.equal(back[0].apply(without), PROGRAM);
});

test('a chip removes the padding of a tile, and another puts it back', () => {
    const tile = (padding) => `__global__ void a_kernel() {
    __shared__ float tile[kTile][kTile${padding}];  // + 1: banks
    __shared__ float other[kRows][kTile + 1];
}
`;
    const [{ chips: found }] = chips(tile(' + 1'));
    assert.deepEqual(
        found.map(({ label }) => label),
        ['remove the padding of line 2'],
    );
    assert.equal(found[0].apply(tile(' + 1')), tile(''));
    assert.equal(chips(tile(''))[0].chips[0].apply(tile('')), tile(' + 1'));
});

test('chips of a stage: its kernel and the functions that it calls, no other kernel', () => {
    const text = textOf('ch01_bubble/main.cu');
    const found = chips(text, linesOfStage(text, 'shared'), 'shared').map(({ kernel }) => kernel);
    assert.deepEqual(found, ['sort_shared', 'shared_kernel']);
    assert.deepEqual(
        chips(text, linesOfStage(text, 'global'), 'global').map(({ kernel }) => kernel),
        ['global_kernel'],
    );
});

test('the task of an exercise is text, without what is for a terminal', () => {
    const text = textOf('docs/first_kernel/exercises/ex1_map.cu');
    const [task, given, required, ...more] = taskOf(text);
    assert.match(task, /^Task: Make every pixel of a picture brighter .* 255\.$/);
    assert.match(given, /^Given: n pixels, .* a few more\.$/);
    assert.equal(required, 'Required: Each thread handles one pixel.');
    assert.deepEqual(more, []);
    assert.deepEqual(taskOf('// title\n//\n// Task: one\n// two.\n//\n// more\n'), [
        'Task: one two.',
        'more',
    ]);
    assert.deepEqual(taskOf('int x;\n'), []);
    assert.deepEqual(partsOf('Given: `n`: many'), [
        { tag: 'b', text: 'Given:' },
        { tag: 'span', text: ' ' },
        { tag: 'code', text: 'n' },
        { tag: 'span', text: ': many' },
    ]);
    assert.deepEqual(partsOf('more: it'), [{ tag: 'span', text: 'more: it' }]);
    assert.deepEqual(partsOf('已知：`n`'), [
        { tag: 'b', text: '已知：' },
        { tag: 'code', text: 'n' },
    ]);
    assert.deepEqual(partsOf('Add:\n```cpp\n    a();\n    b();\n```\nand `c`.'), [
        { tag: 'span', text: 'Add:\n' },
        { tag: 'pre', text: '    a();\n    b();' },
        { tag: 'span', text: '\nand ' },
        { tag: 'code', text: 'c' },
        { tag: 'span', text: '.' },
    ]);
});

test('an exercise in Chinese: from its section, in both scripts, with a note if it is old', () => {
    const text =
        '# x\n\n## <a id="ex1_a"></a>習題 1：標題：一\n<!-- translates 0 -->\n\n檔案：x。\n\n**學到**：它。\n\n**題目**：做。\n\n**已知**：`n`。\n\n**要求**：對。\n\n<details><summary>提示 1</summary>\n\n想：\n\n```cpp\n## a\n```\n\n</details>\n\n## <a id="ex1_ab"></a>習題 2：二\n';
    assert.deepEqual(sectionOfExercise(text, 'ex1_a'), {
        title: '標題：一',
        task: ['題目：做。', '已知：`n`。', '要求：對。'],
        hints: ['想：\n\n```cpp\n## a\n```'],
    });
    assert.equal(sectionOfExercise(text, 'ex1_b'), null);
    const exercise = {
        folder: 'docs/first_kernel',
        name: 'ex1_map',
        read: '../first_kernel.md#line-by-line',
    };
    const file = 'docs/first_kernel/exercises/README.zh-Hant.md';
    const { 'zh-Hant': mine, 'zh-Hans': other } = taskInLanguages(exercise, { [file]: ['ex2_guard'] });
    assert.match(mine.task[1], /^已知：n 個像素/);
    assert.match(other.task[0], /^题目：让一张图片/);
    assert.equal(other.hints.length, 2);
    assert.deepEqual([mine.root, other.root, mine.note], ['zh-Hant/', 'zh-Hans/', '']);
    assert.equal(mine.pictures[0].name, 'docs/figures/guard.svg');
    assert.match(mine.pictures[0].words, /執行緒/);
    assert.match(taskInLanguages(exercise, { [file]: ['ex1_map'] })['zh-Hans'].note, /英文已经改过/);
    const elsewhere = {
        folder: 'ch01_bubble',
        name: 'ex7_margin',
        read: 'fastest.md#halo-neighbouring-blocks',
    };
    assert.equal(taskInLanguages(elsewhere, {})['zh-Hant'].root, ''); // what prepares it is English
    assert.deepEqual(taskInLanguages({ ...exercise, name: 'ex99_new' }, {}), {});
    const shown = inLanguage({ id: 'a/ex1', title: 'a', said: { 'zh-Hant': { title: '甲' } } }, 'zh-Hant');
    assert.equal(shown.title, '甲');
    assert.equal(inLanguage({ title: 'a', said: {} }, 'en').title, 'a');
});

test('the task is folded in the editor, if there is one', () => {
    const text = textOf('docs/first_kernel/exercises/ex1_map.cu');
    const [{ first, last }] = taskLines(text);
    const lines = text.split('\n');
    assert.equal(first, 2);
    assert.match(lines[last - 1], /^\/\//);
    assert.doesNotMatch(lines[last], /^\/\//);
    for (const without of ['', 'int x;\n', '// a title\nint x;\n', '// a\n// b\n'])
        assert.deepEqual(taskLines(without), []);
});

test('the pictures of a task: those of the section that prepares it', () => {
    const text = '## `a`\n\n![one](a.svg)\n\n### more\n![two](b.svg)\n\n## b\n![three](c.svg)\n';
    assert.match(sectionOf(text, 'a'), /one[^]*two/);
    assert.doesNotMatch(sectionOf(text, 'a'), /three/);
    assert.equal(sectionOf(text, 'nothing'), '');
    const guard = { folder: 'docs/first_kernel', read: '../first_kernel.md#line-by-line' };
    assert.deepEqual(
        taskPictures(guard).map(({ name }) => name),
        ['docs/figures/guard.svg'],
    );
    const chapter = { folder: 'ch05_merge_bitonic', read: 'README.md#bitonic_block-one-block' };
    for (const { name, words } of taskPictures(chapter)) {
        assert.ok(fs.existsSync(path.join(ROOT, name)), name);
        assert.ok(words, `${name} has no words`);
    }
});

/** The messages in C++ sources, with adjacent literals joined. */
function textsOf(folder) {
    const files = fs.readdirSync(path.join(ROOT, folder)).filter((name) => name.endsWith('.cpp'));
    return files.flatMap((name) => {
        const source = textOf(folder, name).replace(/"\s*"/g, '');
        return [...source.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)].map(([, text]) => text.replaceAll('\\n', '\n'));
    });
}

test('no advice in the page that only a terminal can follow: environment variables, options', () => {
    const texts = [
        'common/emulator/src',
        'common/lab/src',
        'common/emulator/wasm',
        'common/lab/wasm',
    ].flatMap(textsOf);
    // Sentences only: names alone are used for look-ups, and the mutation is for a test.
    const advice = texts.filter((text) => /TUTORIAL_\w+[ ,.]|=%g/.test(text) && / \w+ /.test(text));
    const shown = advice.filter((text) => !/^TUTORIAL_FAULTS: cannot|TUTORIAL_CPU_MUTATION/.test(text));
    assert.ok(shown.length >= 5, shown.join('\n'));
    for (const text of shown) assert.doesNotMatch(inPage(text), /TUTORIAL_/, text);
    assert.equal(
        inPage(
            'no progress.\nWhat they wait for never happens.\nTUTORIAL_CPU_TIME_LIMIT sets the limit; 0 is none.',
        ),
        'no progress.\nWhat they wait for never happens.\n',
    );
    const stack = "cudaDeviceSetLimit: a thread's stack has 32 KB here";
    assert.equal(inPage(`${stack}; TUTORIAL_CPU_STACK_KB sets another size.`), `${stack}.`);
    const [fault] = faultsOf({ faults: [{ text: `${stack}; TUTORIAL_CPU_STACK_KB sets another size.` }] });
    assert.equal(fault.text, `${stack}.`);
});

test('chips set block sizes and strides, where a constant has that name', () => {
    const { kernel, chips: found } = chips(PROGRAM).at(-1);
    assert.equal(kernel, '');
    assert.deepEqual(
        found.map(({ label }) => label),
        ['block size 32', '64', '128', '256', 'stride 1', '2', '8', '32'],
    );
    assert.deepEqual(
        found.filter(({ pressed }) => pressed).map(({ title }) => title),
        ['kBlockSize = 64', 'kStride = 1'],
    );
    assert.match(found[3].apply(PROGRAM), /^constexpr unsigned kBlockSize = 256;$/m);
    assert.equal(chips('constexpr int kOther = 3;').length, 0);
});

test('a link holds a program, whatever its letters, and says where it was cut off', async () => {
    const work = { text: `${PROGRAM}// Grüße, 你好\n`, settings: { n: 64 } };
    const text = await packed(work);
    assert.match(text, /^[\w-]+$/);
    assert.deepEqual(await unpacked(text), work);
    await assert.rejects(unpacked(text.slice(0, -8)), /this link is not complete/);
    await assert.rejects(unpacked('%%%'), /this link is not complete/);
});

const row = (more) => ({
    file: 'main.cu',
    line: 7,
    source: 'x',
    operation: 'load',
    space: 'shared',
    requests: 2,
    lanes: 64,
    sectors: 0,
    least_sectors: 0,
    wavefronts: 4,
    least_wavefronts: 2,
    ...more,
});
const COUNTS = {
    stages: [
        {
            stage: 's',
            check: 'ok',
            kernels: [
                {
                    kernel: 'k',
                    launches: 1,
                    blocks: 2,
                    threads: 64,
                    shapes: [{ grid: [2, 1, 1], block: [8, 2, 2], launches: 1 }],
                    barriers: 1,
                    steps: 10,
                    lane_steps: 320,
                    rows: [
                        row(),
                        row({ space: 'global', operation: 'store', sectors: 1234, least_sectors: 1234 }),
                        row({ line: 8, file: 'helper.hpp' }),
                    ],
                },
            ],
        },
    ],
};

test('counts: next to a line what it takes and the least, with waste marked', () => {
    const [{ facts, rows }] = tables(COUNTS);
    assert.deepEqual(
        tables({ kernels: COUNTS.stages[0].kernels }),
        tables(COUNTS),
        'a program without stages',
    );
    assert.equal(facts, '1 launch of 2 blocks of 32 threads; 1 barrier; 32.0 of 32 lanes work');
    assert.deepEqual(
        rows.map(({ what, took, least, isWaste }) => [what, took, least, isWaste]),
        [
            ['shared load', 4, 2, true],
            ['global store', 1234, 1234, false],
            ['shared load', 4, 2, true],
        ],
    );
    assert.deepEqual(Object.fromEntries(beside(COUNTS, 'main.cu')), {
        7: {
            text: '4/2 W  1,234/1,234 S',
            ratio: 2,
            short: '2.0x',
            title: 'shared load: 4 wavefronts, at least 2; global store: 1,234 sectors, at least 1,234',
            isWaste: true,
        },
    });
});

test('a verdict for each way in which a run can end', () => {
    const say = (result) => verdictOf(result, { order: 'reverse' }).sentence;
    assert.equal(say(null), '');
    assert.equal(say({ ended: 'Stopped.' }), 'Stopped.');
    assert.equal(
        say({ diagnostics: [{ severity: 'error' }, { severity: 'warning' }] }),
        'It does not compile: 1 error.',
    );
    assert.equal(say({ code: 1, faults: [{ text: 'a' }] }), '1 fault found, threads in reverse order.');
    assert.match(say({ code: 0, mode: 'faults', faults: [{ text: 'a', is_note: true }] }), /^No fault found/);
    const left = { stages: [{ check: 'skipped', message: 'needs 64 keys' }] };
    assert.equal(say({ code: 0, counts: left }), 'It was not run: needs 64 keys.');
    assert.equal(say({ code: 3 }), 'It ended with code 3.');
    const wrong = { stages: [{ check: 'wrong', message: 'key 3 is 4' }] };
    assert.equal(say({ code: 1, counts: wrong }), 'Wrong result: key 3 is 4.');
    assert.equal(say({ code: 0, mode: 'faults', faults: [] }), 'No fault found, threads in reverse order.');
    assert.match(say({ code: 0, ms: 12.4 }), /It finished, in 12 ms/);
});

test("a fault's place is that of its text", () => {
    const text =
        'race within a block in k, on tile[3]\n  thread 1 of block 0 writes it at main.cu:7\n  thread 2 of block 0 reads it at main.cu:8\n';
    const [fault] = faultsOf({ faults: [{ text }] });
    assert.deepEqual(
        { ...fault, text: '' },
        { title: 'race within a block in k, on tile[3]', text: '', file: 'main.cu', line: 7, isNote: false },
    );
});

test('a line that only allocated the memory is not a mistake', () => {
    const marks = (text) => {
        const result = { value: { mode: 'run', reports: [{ code: 'x', text, file: 'main.cu', line: 5 }] } };
        const { messages } = useResults({ result, file: { value: 'main.cu' }, isNarrow: { value: false } });
        return messages.value.map(({ line, severity }) => [line, severity]);
    };
    const overrun =
        'out of bounds: kernel k wrote just past the end of 40 bytes from cudaMalloc at main.cu:5';
    assert.deepEqual(marks(overrun), [[5, 'info']]);
    assert.deepEqual(marks('freed twice: cudaFree at main.cu:5'), [[5, 'error']]);
});

test('choices: stages by chapter, programs of the gallery by name', () => {
    const found = groups([
        { name: 'ch01', chapter: 'ch01', stages: ['global', 'shared'] },
        { name: 'gallery/a_race', chapter: 'gallery', stages: [] },
    ]);
    assert.deepEqual(
        found.map(({ title, items }) => [title, items.map(({ key, title: each }) => [key, each])]),
        [
            [
                'Chapter 1',
                [
                    ['ch01/global', 'global'],
                    ['ch01/shared', 'shared'],
                ],
            ],
            ['Fault gallery', [['gallery/a_race', 'a race']]],
        ],
    );
});

test('what earlier builds have packed is dropped', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'packed-'));
    for (const name of ['a.gz', 'b.gz', 'c.gz.new']) fs.writeFileSync(path.join(folder, name), name);
    dropOthers({ 'one.bin': { version: 'a' }, 'small.json': { version: 'd' } }, folder);
    assert.deepEqual(fs.readdirSync(folder), ['a.gz']);
    fs.rmSync(folder, { recursive: true });
});

test('files come packed, are counted, and are what they were', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'page-lab-'));
    const large = Buffer.from('kernel '.repeat(10_000));
    fs.writeFileSync(path.join(folder, 'large.bin'), large);
    fs.mkdirSync(path.join(folder, 'ready'));
    fs.writeFileSync(path.join(folder, 'ready/small.json'), '{"a": 1}');
    const list = await pack(folder);
    assert.equal(list['large.bin'].bytes, large.length);
    assert.equal(list['ready/small.json'].packed, 0);
    assert.deepEqual(zlib.gunzipSync(fs.readFileSync(path.join(folder, 'large.bin.gz'))), large);
    assert.ok(!fs.existsSync(path.join(folder, 'large.bin')), 'it lies there once');
    await assert.rejects(pack(folder), /of an earlier build/);
    const twice = fs.mkdtempSync(path.join(os.tmpdir(), 'page-lab-'));
    fs.writeFileSync(path.join(twice, 'packed.bin'), Buffer.concat([Buffer.from([0x1f, 0x8b]), large]));
    await assert.rejects(pack(twice), /would be unpacked twice/);

    // A server may send a packed file as it is, say that it is packed, or pack it once more.
    const asked = [];
    for (const does of ['nothing', 'names it', 'packs it']) {
        const server = http.createServer((request, answer) => {
            asked.push(request.url);
            const name = request.url.replace(/\?.*/, '');
            const encoded = does !== 'nothing' && name.endsWith('.gz');
            const content = fs.readFileSync(path.join(folder, name));
            answer.writeHead(200, encoded ? { 'content-encoding': 'gzip' } : {});
            answer.end(encoded && does === 'packs it' ? zlib.gzipSync(content) : content);
        });
        await new Promise((done) => server.listen(0, '127.0.0.1', done));
        let came = 0;
        const files = filesOf(`http://127.0.0.1:${server.address().port}/`, list, (bytes) => (came += bytes));
        assert.deepEqual(Buffer.from(await files.load('large.bin')), large);
        if (does === 'nothing')
            assert.equal(
                came,
                bytesOf(list, (name) => !name.startsWith('ready/')),
            );
        assert.equal(Buffer.from(await files.load('ready/small.json')).toString(), '{"a": 1}');
        server.close();
    }
    assert.equal(asked[0], `/large.bin.gz?v=${list['large.bin'].version}`);
    for (const each of [folder, twice]) fs.rmSync(each, { recursive: true });
});

test('a recording says whether it is the first part of its run only', () => {
    const launch = { kind: 'launch', kernel: 'it_kernel', grid: [1, 1, 1], block: [1, 1, 1] };
    const load = (step) => ({
        step,
        kind: 'load',
        block: 0,
        thread: 0,
        interval: 0,
        file: 'main.cu',
        line: 1,
        space: 'global',
        array: 'a',
        index: 0,
        bytes: 4,
        bits: '00000001',
    });
    const recorded = (count, ...last) => {
        const lines = [
            { schema: 'tutorial-trace-2' },
            launch,
            ...Array.from({ length: count }, (_, i) => load(i)),
        ];
        return compileTrace(
            [...lines, ...last].map((line) => JSON.stringify(line)).join('\n'),
            () => undefined,
        );
    };
    const told = ({ steps, isCut }) => [steps.length, isCut ?? false];
    assert.deepEqual(told(recorded(3)), [3, false]);
    assert.deepEqual(told(recorded(3, { kind: 'cut' })), [3, true]);
    assert.deepEqual(told(recorded(20_000)), [20_000, false]);
    assert.deepEqual(told(recorded(20_001)), [20_000, true]);
    assert.deepEqual(told(recorded(20_000, launch, load(20_000))), [20_000, true]);
});
