// The emulator's and the lab's own tests (common/emulator/tests, common/lab/tests), compiled and run as in a
// page: each file is a program. The lab's hooks are not in use, as when a reader presses Run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ROOT, textOf } from '../../build/places.mjs';
import { link } from '../chain.mjs';
import { execute } from '../execute.mjs';
import { buildLibraries, headersOf, libraryTree, objectOf, translated } from '../libraries.mjs';
import { filesBelow, textsBelow } from '../node_files.mjs';
import { headers, load } from '../node_load.mjs';
import { llvm } from '../node_llvm.mjs';
import { LIBRARY_OPTIONS, compileOptions } from '../options.mjs';
import { NOT_COMPILED, NO_TEST_CASES, TEST_CASES } from './differences.mjs';
import { inTurn } from './turn.mjs';

const PARTS = 20;
const CONFORMANCE = 'common/emulator/tests/conformance';
const FOLDERS = [CONFORMANCE, 'common/emulator/tests/emulator_only', 'common/lab/tests'];
/** In other orders of the threads a correct kernel gives the same answers. */
const ORDERS = ['forward', 'reverse', 'shuffle:1'];

const all = FOLDERS.flatMap((folder) =>
    fs
        .readdirSync(path.join(ROOT, folder))
        .filter((name) => name.endsWith('_test.cu'))
        .map((name) => `${folder}/${name}`),
);
const chosen = inTurn(all, PARTS).filter((file) => !(path.basename(file) in NOT_COMPILED));

await buildLibraries(['emulator', 'lab']);
/** Comes first, because it also copies headers that have kernels. */
const texts = new Map(
    chosen.map((file) => [file, translated(file).replaceAll('"/common/', '"/src/common/')]),
);
const files = { ...libraryTree(), ...headers(), ...filesBelow(headersOf('doctest'), 'ext/doctest') };
/** Treated as a learner's program: the lab takes files below /src for the user's. */
const sources = {};
for (const folder of ['common/emulator/tests', 'common/lab/tests'])
    for (const [name, text] of Object.entries(textsBelow(path.join(ROOT, folder), folder)))
        files[`src/${name}`] = sources[name] = text;
// doctest takes WASI for a system without exceptions, which it used to be.
const header = new TextDecoder().decode(files['ext/doctest/doctest.h']);
files['ext/doctest/doctest.h'] = header.replace(/\|\| defined\(__wasi__\)/, '');
const tools = {
    llvm: await llvm(),
    fibers: await load('fibers'),
    libraries: { 'liblab.a': await load('liblab.a'), 'libemulator.a': await load('libemulator.a') },
};
const doctest = ['-isystem', 'ext', '-DDOCTEST_CONFIG_NO_POSIX_SIGNALS'];
const main = await compiled('main', textOf('common/tests/doctest_main.cpp'), [
    ...LIBRARY_OPTIONS,
    ...doctest,
]);

async function compiled(name, text, options, folder = 'src') {
    const job = { name: `tests/${name}`, file: `${folder}/test.cpp`, text, options };
    const { place } = await objectOf(job, files);
    return new Uint8Array(fs.readFileSync(place));
}

async function programOf(file) {
    const folder = `src/${path.posix.dirname(file)}`;
    // <...> by the test, and the emulator's own headers, as in CMake.
    const own = ['-I', folder, '-Icommon/emulator/src', '-Icommon/emulator/wasm', '-D_WASI_EMULATED_SIGNAL'];
    const options = [...compileOptions('count'), ...doctest, ...own];
    const object = await compiled(file.replace(/\.cu$/, ''), texts.get(file), options, folder);
    const { program, said } = await link(tools, { 'test.o': object, 'main.o': main });
    assert.ok(program, said);
    program.sources = sources;
    return program;
}

/** Runs test cases by their names. Returns {code, said}. `timeLimit`: a machine may be busy with other things. */
async function run(program, filter, names, { order = 'forward', timeLimit = 60 } = {}) {
    let said = '';
    const hear = (text) => (said += text);
    const escaped = names.map((name) => name.replaceAll(',', '\\,'));
    const args = ['--no-colors', ...(names.length ? [`--${filter}=${escaped.join(',')}`] : [])];
    const { code } = await execute(program, { args, order, timeLimit, stdout: hear, stderr: hear });
    return { code, said };
}

test('the tests are there', () => assert.ok(all.length > 45, `${all.length} files`));

for (const file of chosen) {
    const isHere = ([title]) => sources[file].includes(`TEST_CASE("${title}"`);
    const differing = Object.entries(TEST_CASES).filter(isHere);
    test(`${file}`, async (t) => {
        const program = await programOf(file);
        for (const order of file.startsWith(CONFORMANCE) ? ORDERS : ['forward']) {
            const titles = [...Object.keys(NO_TEST_CASES), ...differing.map(([title]) => title)];
            const { code, said } = await run(program, 'test-case-exclude', titles, { order });
            assert.equal(code, 0, `${order}: ${said}`);
            assert.match(said, /test cases: +[1-9]\d* \|/);
        }
        for (const [title, reason] of differing) {
            await t.test(`${title} (differs: ${reason})`, async () => {
                const { code, said } = await run(program, 'test-case', [title], { timeLimit: 10 });
                assert.notEqual(code, 0, `is the same now: take it off the list\n${said}`);
            });
        }
    });
}
