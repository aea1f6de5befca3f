// The browser lab's state without a browser: an answer belongs to its text, work is kept, links and storage are
// read by their form, output comes in chunks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computed, effectScope, reactive, ref } from 'vue';
import { MAX_OUTPUT, speaker } from '../page_lab/speaker.mjs';
import { useAddress } from '../.vitepress/theme/lab/address.mjs';
import { useAttempt } from '../.vitepress/theme/lab/attempt.mjs';
import { useCatalogue } from '../.vitepress/theme/lab/catalogue.mjs';
import { useChanges } from '../.vitepress/theme/lab/changes.mjs';
import { Engine, Stopped } from '../.vitepress/theme/lab/engine.mjs';
import { archiveOf, filesFrom } from '../.vitepress/theme/lab/exercises.mjs';
import { textOf } from '../.vitepress/theme/lab/opened.mjs';
import { useRun } from '../.vitepress/theme/lab/run.mjs';
import { changeOf, changed, packed, unpacked } from '../.vitepress/theme/lab/saved.mjs';
import * as schema from '../.vitepress/theme/lab/schema.mjs';
import { useShownProgram } from '../.vitepress/theme/lab/shown_program.mjs';
import { Store } from '../.vitepress/theme/lab/store.mjs';
import { verdictOf } from '../.vitepress/theme/lab/verdict.mjs';
import { useWork } from '../.vitepress/theme/lab/work.mjs';

/** Like a browser's storage. */
class Memory {
    map = new Map();
    get length() {
        return this.map.size;
    }
    key = (i) => [...this.map.keys()][i];
    getItem = (key) => this.map.get(key) ?? null;
    setItem = (key, value) => this.map.set(key, String(value));
    removeItem = (key) => this.map.delete(key);
}

/** An engine whose answers say what they were made from. `gate()` is awaited before each of them. */
function fakeEngine(gate) {
    const made = async ({ text }) => {
        await gate();
        return text === 'wrong' ? { diagnostics: [], said: '' } : { program: { of: text }, diagnostics: [] };
    };
    return {
        ran: [],
        heard: (coming) => coming,
        compile: (source, step) => (step('compile'), made(source)),
        compileAttempt: (source, step) => (step('compile'), made(source)),
        async run({ program }, output) {
            this.ran.push(program.of);
            await gate();
            output(`printed by ${program.of}`);
            await gate();
            if (program.of === 'ends') throw new Error('it has ended');
            return { code: 0, of: program.of };
        },
        async judge({ program }, { output }) {
            await gate();
            output?.(`printed by ${program.of}`);
            await gate();
            return { status: program.of === 'right' ? 'solved' : 'not_solved', of: program.of, bars: [] };
        },
        stop() {},
    };
}

const AWAITS = 5;
/** All ways to change a text at some await, and perhaps change it back at a later one. */
function* changes() {
    for (let at = 0; at < AWAITS; ++at) {
        yield { [at]: 'after' };
        for (let back = at + 1; back <= AWAITS; ++back) yield { [at]: 'after', [back]: 'back' };
    }
}

/** Calls act(); at the k-th await the text becomes what `plan` says. check() after each await. */
async function withChanges(text, before, after, plan, engineOf, act, check) {
    let count = 0;
    const gate = async () => {
        await null;
        const word = plan[count++];
        if (word) text.value = word === 'back' ? before : after;
        check();
        await null;
    };
    await act(engineOf(gate));
    count = Infinity; // what arrives later is not affected
    check();
}

test('Run, Count, Faults, Play: at no await of theirs a change of the text lets another answer through', async () => {
    for (const [before, after] of [
        ['v1', 'v2'],
        ['right', 'wrong'],
        ['wrong', 'right'],
        ['ends', 'v2'],
    ]) {
        for (const mode of ['run', 'count', 'faults', 'play']) {
            for (const plan of changes()) {
                const text = ref(before);
                const job = computed(() => ({
                    text: text.value,
                    settings: { args: '' },
                    source: { name: 'x' },
                }));
                let run;
                const check = () => {
                    if (!run) return;
                    const { result, output } = run;
                    if (result.value?.of) assert.equal(result.value.of, text.value);
                    if (result.value && !result.value.of)
                        assert.ok(['wrong', 'ends'].includes(text.value), JSON.stringify(result.value));
                    if (output.value) assert.equal(output.value, `printed by ${text.value}`);
                };
                let engine;
                await withChanges(
                    text,
                    before,
                    after,
                    plan,
                    (gate) => (engine = fakeEngine(gate)),
                    async () => {
                        run = useRun({ engine, load: () => engine.heard(gateOf(check)), job });
                        const isCurrent = await run.go(mode);
                        assert.equal(run.busy.value, '');
                        if (text.value !== before) assert.equal(isCurrent, false);
                    },
                    check,
                );
                // Pressed again, it runs the text that is there now.
                engine.ran.length = 0;
                await run.go(mode);
                check();
                if (!['wrong', 'ends'].includes(text.value)) {
                    assert.equal(run.result.value.of, text.value);
                    assert.deepEqual(engine.ran, [text.value]);
                }
            }
        }
    }
});
const gateOf = async (check) => check();

test('settings belong to an answer as well', async () => {
    const order = ref('forward');
    const job = computed(() => ({ text: 'x', settings: { args: '', order: order.value }, source: null }));
    let go;
    const waits = new Promise((done) => (go = done));
    const engine = { run: () => waits, heard: (coming) => coming };
    const run = useRun({ engine, load: async () => {}, job });
    const ran = run.go('run');
    order.value = 'reverse';
    go({ code: 0 });
    assert.equal(await ran, false);
    assert.equal(run.result.value, null);
    assert.equal(run.isOld.value, true);
    order.value = 'forward';
    assert.equal(run.result.value.code, 0);
});

/** The lab without its page: what LabView.vue puts together. `gate()` is awaited before each answer. */
async function fakeLab(gate) {
    const entries = ['a', 'b'].map((name) => ({
        name,
        chapter: 'ch01',
        source: `${name}/main.cu`,
        folder: name,
        stages: ['one', 'two'],
        inputs: ['random'],
    }));
    const ofReady = (name) => `source of ${name}/main.cu`;
    const engine = {
        hasCompiler: true,
        heard: (coming) => coming,
        open: async () => entries,
        json: async () => [],
        async text(name) {
            await gate();
            if (name.startsWith('ready/b')) await gate(); // later requests may be answered earlier
            return `source of ${name.replace('ready/', '')}`;
        },
        compile: async ({ text }) => (await gate(), { program: { of: text }, diagnostics: [] }),
        async run({ program, ready, options }, output) {
            const of = program?.of ?? ofReady(ready);
            if (of !== shownText()) strays.push(of);
            await gate();
            output(`printed by ${of}`);
            await gate();
            return { code: 0, of, stage: options.stage, order: options.order };
        },
        stop() {}, // the answer still arrives, but late
    };
    const store = new Store(new Memory());
    const work = useWork(store, assert.fail);
    const settings = reactive({ ...schema.SETTINGS });
    const notice = ref('');
    const catalogue = useCatalogue(engine, work);
    const program = useShownProgram({ engine, catalogue, work, settings, notice });
    const run = useRun({ engine, load: async () => gate(), job: program.job });
    const strays = [];
    const shownText = () => program.text.value;
    let asked;
    const show = async (key) => {
        asked = key;
        run.stop();
        return program.choose(key);
    };
    const changes = useChanges({ program, work, show, confirm: () => true });
    const kept = { settings: {} };
    const { go } = run;
    const address = useAddress({ engine, catalogue, program, work, settings, store, kept, notice, show, go });
    await catalogue.open();
    const check = () => {
        const { item, entry, text, isOwn, isEdited } = program;
        if (item.value && !isOwn.value && !isEdited.value)
            assert.equal(text.value, ofReady(entry.value.name));
        const found = run.result.value;
        if (found?.of !== undefined)
            assert.deepEqual(
                [found.of, found.stage, found.order],
                [text.value, item.value.stage ?? '', settings.order],
            );
        if (run.output.value) assert.equal(run.output.value, `printed by ${text.value}`);
    };
    const settled = () => {
        check();
        assert.equal(program.chosen.value, asked, 'what was asked for last is shown');
        assert.deepEqual(strays, [], 'a program was run that is no longer there');
    };
    return { settings, program, run, show, changes, address, check, settled };
}

/** Things that a reader may do at any moment. */
const DEEDS = {
    'another stage': ({ show }) => show('a/two'),
    'another chapter': ({ show }) => show('b/one'),
    'a program of their own': ({ show }) => show('own/main.cu'),
    'another order': ({ settings }) => (settings.order = 'reverse'),
    'Edit this': ({ changes, program }) => program.chosen.value && changes.editThis(),
    'a letter': ({ changes, program }) => changes.edit(`${program.text.value}x`),
    Original: ({ changes, program }) => program.isEdited.value && changes.restore(),
    'a file': ({ changes }) => changes.open('of a file', 'file.cu'),
    'a link to a stage': ({ address }) => address.follow('#stage=b/two&order=shuffle'),
    'a link that counts': ({ address }) => address.follow('#stage=b/two&go=count'),
    'a link to work': async ({ address }) => address.follow(`#work=${LINK}`),
    'a link to an edit': async ({ address }) => address.follow(`#work=${EDIT}`),
};
const LINK = await packed({ text: 'of a link', stage: '', settings: {} });
const EDIT = await packed({ text: 'an edit of a link', stage: 'b/one', settings: {} });

test('whatever a reader does at whatever await of the lab, what is shown belongs to what is there', async () => {
    globalThis.location = { pathname: '', search: '', hash: '' };
    globalThis.history = { state: null, replaceState() {} };
    for (const first of ['a/one', 'b/one', 'own/main.cu']) {
        for (const edited of [false, true]) {
            for (const [name, deed] of Object.entries(DEEDS)) {
                for (let at = 0; at < 7; ++at) {
                    let count = 0;
                    let lab;
                    const deeds = [];
                    const gate = async () => {
                        await null;
                        lab?.check();
                        if (lab && count++ === at) deeds.push(deed(lab));
                        lab?.check();
                        await null;
                    };
                    const made = await fakeLab(gate);
                    const words = `${first}${edited ? ', edited' : ''}: ${name} at await ${at}`;
                    try {
                        await made.show('a/one');
                        if (edited) await made.changes.editThis();
                        lab = made;
                        const shown = made.show(first);
                        await made.run.go('count');
                        await Promise.all([shown, ...deeds]);
                        lab = null;
                        made.settled();
                        assert.equal(made.run.busy.value, '');
                        // Pressed again, it runs what is there now.
                        await made.run.go('run');
                        assert.equal(made.run.result.value.of, made.program.text.value);
                        made.check();
                    } catch (error) {
                        error.message = `${words}: ${error.message}`;
                        throw error;
                    }
                }
            }
        }
    }
});

test('Check: a right answer that became a wrong one meanwhile is never kept as solved', async () => {
    for (const [before, after] of [
        ['right', 'wrong'],
        ['right', 'other'],
        ['other', 'right'],
    ]) {
        for (const plan of changes()) {
            for (const what of ['check', 'play']) {
                const text = ref(before);
                const kept = new Map();
                const mistakes = [];
                let attempt;
                const check = () => {
                    const { verdict, made, played } = attempt ?? {};
                    for (const each of [verdict, played])
                        if (each?.value?.of) assert.equal(each.value.of, text.value);
                    if (made?.value?.program) assert.equal(made.value.program.of, text.value);
                };
                const judged = (of, { status }) => {
                    if (of !== text.value) mistakes.push(of); // what it throws would be ignored
                    kept.set(of, status);
                };
                let engine;
                const act = async () => {
                    const load = async () => {};
                    attempt = useAttempt({ engine, load, id: 'a', name: () => 'a.cu', text, judged });
                    await attempt[what]();
                };
                const engineOf = (gate) => (engine = fakeEngine(gate));
                await withChanges(text, before, after, plan, engineOf, act, check);
                assert.equal(attempt.busy.value, '');
                assert.deepEqual(mistakes, [], 'a verdict on another text');
                await attempt.check();
                check();
                if (text.value !== 'wrong') assert.equal(attempt.verdict.value.of, text.value);
                for (const [of, status] of kept) assert.equal(status === 'solved', of === 'right');
            }
        }
    }
});

test('Stop: a compilation goes on unheard, and the next one is heard', async () => {
    const engine = new Engine('http://localhost/');
    const unheard = assert.rejects(engine.heard(new Promise(() => {})), Stopped);
    engine.stop();
    await unheard;
    assert.equal(await engine.heard(Promise.resolve(7)), 7);
});

/** An engine whose workers answer a request, the first, second, … one, as answers[0], [1], … say. */
function engineOfWorkers(answers, silence = 20) {
    const ended = [];
    let started = 0;
    globalThis.Worker = class {
        constructor() {
            this.answer = answers[started++];
        }
        async postMessage({ id }) {
            for (const each of this.answer) {
                await new Promise((done) => setTimeout(done, silence / 2));
                this.onmessage({ data: { id, ...each } });
            }
        }
        terminate() {
            ended.push(this.answer);
        }
    };
    const engine = new Engine('http://localhost/', silence);
    engine.list = {};
    return { engine, ended, started: () => started };
}

test('Load: what stalls is loaded once more, and only once; what arrives slowly is not', async () => {
    const news = { kind: 'loaded', bytes: 5 };
    const done = { kind: 'done', result: undefined };
    try {
        const slow = engineOfWorkers([[news, news, news, news, done]]);
        const arrived = [];
        await slow.engine.load((bytes) => arrived.push(bytes));
        assert.deepEqual(arrived, [5, 10, 15, 20]);
        assert.equal(slow.started(), 1);

        const stalled = engineOfWorkers([[news], [news, done]]);
        await stalled.engine.load(() => {});
        assert.deepEqual(stalled.ended, [[news]]);

        const dead = engineOfWorkers([[news], [], [done]]);
        await assert.rejects(
            dead.engine.load(() => {}),
            /nothing more of the compiler arrived/,
        );
        assert.equal(dead.ended.length, 2);
        await dead.engine.load(() => {}); // when the reader tries again
        const refused = engineOfWorkers([[{ kind: 'failed', text: 'no network' }]]);
        await assert.rejects(
            refused.engine.load(() => {}),
            /no network/,
        );
        assert.equal(refused.started(), 1);
    } finally {
        delete globalThis.Worker;
    }
});

/** Values of all shapes, from a seed. */
function* values(seed, count) {
    const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;
    const pick = (list) => list[Math.floor(random() * list.length)];
    const names = ['text', 'settings', 'args', 'n', 'seed', 'order', 'device', 'input', 'stage', 'chosen'];
    const more = ['hints', 'isSolved', 'edits', 'change', 'first', 'last', '__proto__', 'constructor', 'of'];
    const words = [
        '',
        'x',
        'forward',
        'h200',
        'own',
        '64',
        'constructor',
        '\0',
        'ch01/shared',
        'y'.repeat(1e5),
    ];
    const plain = () => pick([null, 0, -1, 64, 1.5, 1e308, NaN, true, false, pick(words), undefined]);
    const make = (depth) => {
        const kind = random();
        if (depth === 0 || kind < 0.4) return plain();
        if (kind < 0.55) return Array.from({ length: 3 }, () => make(depth - 1));
        return Object.fromEntries(
            Array.from({ length: 5 }, () => [pick([...names, ...more]), make(depth - 1)]),
        );
    };
    for (let i = 0; i < count; ++i) yield make(3);
}

const assertSettings = (settings) => {
    const all = { ...schema.SETTINGS, ...settings };
    assert.equal(all.args.split(/\s+/).length > 0, true);
    assert.ok(Number.isInteger(all.n) && all.n > 0 && Number.isInteger(all.seed) && all.seed > 0);
    assert.ok(['forward', 'reverse', 'shuffle'].includes(all.order) && typeof all.device === 'string');
};

test('any link and any storage: what fits is taken, the rest is named, nothing throws', async () => {
    for (const value of values(52, 2000)) {
        const json = JSON.stringify(value) ?? 'undefined';
        const { value: work, unfit } = schema.workFrom(value);
        assertSettings(work.settings);
        assert.ok(work.text === undefined || typeof work.text === 'string');
        assert.equal(typeof work.stage, 'string');
        assert.equal(unfit.length > 0, schema.unfitSentence('This link', unfit) !== '');

        const storage = new Memory();
        for (const key of [
            'page-lab',
            'page-lab-exercises',
            'page-lab:choice',
            'page-lab:program:a.cu',
            'page-lab:edit:ch01',
            'page-lab:exercise:first/ex1',
        ])
            storage.setItem(key, json);
        const store = new Store(storage);
        assertSettings(store.choice().settings);
        for (const text of Object.values({ ...store.texts('programs'), ...store.texts('edits') }))
            assert.equal(typeof text, 'string');
        for (const { text, isSolved } of Object.values(store.exercises())) {
            assert.ok(text === undefined || typeof text === 'string');
            assert.ok(isSolved === undefined || typeof isSolved === 'boolean');
        }
        const link = schema.linkFrom(`#stage=${encodeURIComponent(json.slice(0, 50))}&n=${json.slice(0, 9)}`);
        assertSettings(link.settings);
    }
    for (const broken of ['{', '', 'null', '5', '[]', '"x"']) {
        const storage = new Memory();
        storage.setItem('page-lab', broken);
        storage.setItem('page-lab:choice', broken);
        assertSettings(new Store(storage).choice().settings);
    }
    assert.deepEqual(schema.workFrom({ text: 5 }).unfit, ['text']);
    assert.deepEqual(schema.settingsFrom({ args: null, n: 64 }), { value: { n: 64 }, unfit: ['args'] });
    assert.deepEqual(schema.settingsFrom({ device: 'constructor' }).unfit, ['device']);
});

test('a link that was cut anywhere is refused in words', async () => {
    const text = await packed({ text: 'int main() {}\n', stage: '', settings: {} });
    for (let length = 0; length < text.length - 1; ++length)
        await assert.rejects(unpacked(text.slice(0, length)), /this link is not complete/);
});

test('an edited chapter is a short link: its difference, and only to the same original', async () => {
    const noise = Array.from({ length: 15_000 }, (_, i) => (i * 7919) % 997).join(' ');
    const edited = noise.replace(' 3 ', ' 3333 ');
    const change = changeOf(noise, edited);
    assert.equal(changed(noise, change), edited);
    const short = await packed({ change, stage: 'ch01/shared' });
    assert.ok(short.length < 300, `${short.length} letters`);
    assert.deepEqual(schema.workFrom(await unpacked(short)).value.change, change);
    assert.throws(() => changed(`${noise} `, change), /another version of this chapter/);
    for (const [a, b] of [
        ['', ''],
        ['', 'x'],
        ['x', ''],
        ['aa', 'aaa'],
        ['aba', 'abba'],
        ['x', 'y'],
    ])
        assert.equal(changed(a, changeOf(a, b)), b);
});

test('work is never replaced: programs by name, an edit kept next to another, old storage taken over', () => {
    const storage = new Memory();
    storage.setItem('page-lab', JSON.stringify({ text: 'mine', edits: { ch01: 'my edit' }, chosen: 'own' }));
    storage.setItem('page-lab-exercises', JSON.stringify({ 'first/ex1': { text: 'a', isSolved: true } }));
    const store = new Store(storage);
    assert.equal(storage.getItem('page-lab'), null);
    assert.deepEqual(store.exercises(), { 'first/ex1': { text: 'a', isSolved: true } });
    const lost = [];
    const work = useWork(store, (sentence) => lost.push(sentence));
    assert.equal(work.programs.value['main.cu'], 'mine');
    assert.equal(work.add('from a link.cu', 'theirs'), 'from a link.cu');
    assert.equal(work.add('from a link.cu', 'other'), 'from a link 2.cu');
    assert.equal(work.add('x.cu', 'theirs'), 'from a link.cu', 'it is there already');
    assert.equal(work.programs.value['main.cu'], 'mine');
    work.addEdit('ch01', 'their edit');
    assert.deepEqual([work.edits.value.ch01, work.earlier.value.ch01], ['their edit', 'my edit']);
    work.swapEdit('ch01');
    assert.deepEqual([work.edits.value.ch01, work.earlier.value.ch01], ['my edit', 'their edit']);
    const again = new Store(storage);
    assert.deepEqual(Object.keys(again.texts('programs')), ['from a link 2.cu', 'from a link.cu', 'main.cu']);
    assert.equal(again.texts('edits').ch01, 'my edit');
    assert.deepEqual(lost, []);
    storage.setItem = () => {
        throw new Error('full');
    };
    work.keep('programs', 'main.cu', 'more');
    assert.match(lost[0], /This browser keeps nothing/);
});

test('two tabs: each exercise has its key, and what one keeps the other shows', () => {
    const storage = new Memory();
    const tabs = [new EventTarget(), new EventTarget()];
    const open = (i) => {
        const work = useWork(new Store(storage), assert.fail);
        effectScope().run(() => work.listen(() => {}, tabs[i]));
        return work;
    };
    const [a, b] = [open(0), open(1)];
    const tell = (to, key) => {
        const event = new Event('storage');
        to.dispatchEvent(Object.assign(event, { key, newValue: storage.getItem(key) }));
    };
    a.keepExercise('first/ex1', { text: 'one', isSolved: true });
    tell(tabs[1], 'page-lab:exercise:first/ex1');
    b.keepExercise('first/ex2', { text: 'two' });
    tell(tabs[0], 'page-lab:exercise:first/ex2');
    const expected = { 'first/ex1': { text: 'one', isSolved: true }, 'first/ex2': { text: 'two' } };
    for (const found of [a.exercises.value, b.exercises.value, new Store(storage).exercises()])
        assert.deepEqual(found, expected);
    a.keep('programs', 'main.cu', 'int main() {}');
    tell(tabs[1], 'page-lab:program:main.cu');
    assert.equal(b.programs.value['main.cu'], 'int main() {}');
});

test('an archive that was cut or changed anywhere is refused as a whole', async () => {
    const index = ['ex1', 'ex2'].map((name) => ({ id: `first/${name}`, folder: 'docs/first_kernel', name }));
    const work = Object.fromEntries(
        index.map(({ id }) => [id, { text: `// Check: ./tutorial check ${id}\nint x;\n`.repeat(9) }]),
    );
    const bytes = new Uint8Array(await archiveOf(index, work).arrayBuffer());
    const open = (content) => filesFrom([new File([content], 'exercises.tar')], index);
    assert.deepEqual(await open(bytes), Object.fromEntries(index.map(({ id }) => [id, work[id].text])));
    for (let length = 512; length < bytes.length - 1024; length += 61)
        await assert.rejects(
            open(bytes.slice(0, length)),
            /is incomplete: nothing in it was opened/,
            `${length}`,
        );
    for (const at of [0, 100, 124, 130, 148]) {
        const other = bytes.slice();
        other[at] ^= 3;
        await assert.rejects(open(other), /is incomplete/, `byte ${at}`);
    }
    const swapped = { 'first/ex1': work['first/ex2'] };
    await assert.rejects(open(await archiveOf(index, swapped).arrayBuffer()), /is the file of first\/ex2/);
    for (const [content, words] of [
        [new Uint8Array([0xff, 0xfe, 1]), /is not a text/],
        [new Uint8Array(2 << 20).fill(65), /larger than 1 MB/],
        [new Uint8Array([65, 0, 65]), /is not a text/],
        [new Uint8Array([32, 10]), /is empty/],
    ])
        assert.throws(() => textOf('x.cu', content), words);
});

test('output: at once, then in chunks; nothing is lost before an endless loop, and it is cut after 1 MB', () => {
    let clock = 0;
    const told = [];
    const { write, flush } = speaker(
        (part) => told.push(part),
        () => clock,
    );
    write('before the loop\n');
    write('still before\n');
    assert.equal(told.join(''), 'before the loop\nstill before\n');
    const line = 'a line of output\n';
    for (let i = 0; i < 20_000; ++i) write(line);
    clock += 60;
    write('x\n');
    assert.ok(told.length < 150, `${told.length} messages`);
    flush();
    assert.equal(told.join('').length, 'before the loop\nstill before\nx\n'.length + 20_000 * line.length);
    for (let i = 0; i < 100_000; ++i) write(line);
    flush();
    const all = told.join('');
    assert.ok(all.length < MAX_OUTPUT + 100, `${all.length}`);
    assert.match(all, /cut here: the program has printed more than 1 MB\]\n$/);
});

test('red is what the emulator has found, whatever the exit code; green is what was checked', () => {
    const say = (result) => verdictOf({ code: 0, ms: 1, ...result }, { order: 'forward' });
    const reports = [{ code: 'out_of_bounds', text: 'out of bounds in k.\nMore.', file: 'main.cu', line: 3 }];
    for (const mode of ['run', 'count'])
        assert.deepEqual(say({ mode, reports }), {
            sentence: 'out of bounds in k. Press Faults to see more.',
            kind: 'bad',
        });
    assert.deepEqual(say({ mode: 'run', reports: [] }).kind, '');
    assert.deepEqual(say({ mode: 'count', counts: { stages: [{ check: 'ok' }] } }).kind, 'good');
    const slow = [{ code: 'no_progress', text: 'no progress for 10 s in kernel k.\nTUTORIAL_CPU…' }];
    const kernel = { kernel: 'k', blocks: 1, shapes: [], barriers: 0, lane_steps: 0, steps: 0, rows: [] };
    assert.match(
        say({ mode: 'count', counts: { kernels: [kernel] }, reports: slow }).sentence,
        /^no progress for 10 s .* What was counted by then is shown\. Make n, the grid or the loop smaller\./,
    );
    assert.doesNotMatch(say({ mode: 'count', counts: { kernels: [] }, reports: slow }).sentence, /counted/);
    assert.equal(
        say({ code: 134, why: 'The program was ended by x.' }).sentence,
        'The program was ended by x.',
    );
});
