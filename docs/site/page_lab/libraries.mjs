// Compiles the emulator, the lab, the harness and the judge for the browser lab, and precompiles headers,
// with the browser lab's own compiler, under Node. What has not changed is kept in build/site/page_lab.
//
// A file in a room's wasm/ takes the place of the file of the same name among its other sources.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, workerData } from 'node:worker_threads';
import { CHAPTERS, ROOT, WORK, textOf } from '../build/places.mjs';
import { filesBelow, textsBelow } from './node_files.mjs';
import { COMPILER, llvm } from './node_llvm.mjs';
import { FILLS, LIBRARY_OPTIONS, PRECOMPILE, PRECOMPILED, precompileOptions } from './options.mjs';
import { ownTemplates } from './own_templates.mjs';
import { inPool, workIn } from './pool.mjs';
import { runTool } from './tools.mjs';
import { compileObject } from './unset_variables.mjs';
import { parse } from './wasm_binary.mjs';

export const CACHE = path.join(WORK, 'page_lab');
const OBJECTS = path.join(CACHE, 'objects');
const TRANSLATED = path.join(CACHE, 'translated');

/** Precompiled headers of the libraries' sources and the graders: reading them took most of the time. */
const LIBRARY_HEADERS = `#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>
#include <fmt/format.h>
`;

/** Graders include the judge's besides; reading it took a third of their time. */
const GRADER_HEADERS = `${LIBRARY_HEADERS}#include "common/grading/lib/grading.hpp"\n`;

/** How the libraries are compiled. */
const WITH_HEADERS = [...LIBRARY_OPTIONS, '-include-pch', 'library_headers.pch'];

/** As CMake compiles them: several files at a time. */
const JOINED = 7;

/** What prepares a run or puts a report together: it runs seldom, and every page fetches it. */
const SELDOM = new RegExp(
    [
        'lab/src/(rules/|source_|finding_|explain_|json_|columns|program|trace|variables)',
        'emulator/src/(copies|device|diagnose|faults|functions|kernel_printf|settings|state|streams|symbol)',
    ].join('|'),
);
/** An option would not go with the precompiled headers. */
const small = (text) =>
    `#pragma clang attribute push(__attribute__((minsize)), apply_to = function)\n${text}#pragma clang attribute pop\n`;

/** Separate programs, or files that need an operating system. */
const LEFT_OUT = new Set([
    'count_program.cpp',
    'faults_program.cpp',
    'program_end.cpp',
    'messages.cpp',
    'program_exit.cpp', // the browser lab reads the reports itself
    'remote_machine.cpp',
    'report_message.cpp',
    'timeout.cpp',
    'tool_pipe.cpp',
]);

/** Compiled alone: explain_text has names that another file also has; the hooks run most often. */
const APART = new Set(['explain_text.cpp', 'hooks.cpp']);

export function sha(...parts) {
    const sum = createHash('sha256');
    for (const part of parts) sum.update(part).update('\0');
    return sum.digest('hex').slice(0, 32);
}

function sourcesOf(room, src = 'src') {
    const list = (folder) =>
        fs
            .readdirSync(path.join(ROOT, folder), { recursive: true })
            .filter((name) => /\.(cpp|s)$/.test(name))
            .sort();
    const own = list(`${room}/wasm`);
    const shared = list(`${room}/${src}`).filter((name) => !own.includes(name) && !LEFT_OUT.has(name));
    return [...shared.map((name) => `${room}/${src}/${name}`), ...own.map((name) => `${room}/wasm/${name}`)];
}

/** The folder that holds a library's headers, from CMake's last configuration or from the system. */
export function headersOf(library) {
    const places = ['/usr/include', '/usr/local/include'];
    const dependencies = path.join(ROOT, 'build/cpu/_deps');
    if (fs.existsSync(dependencies)) {
        for (const name of fs.readdirSync(dependencies))
            places.push(path.join(dependencies, name, 'include'));
    }
    const found = places.find((place) => fs.existsSync(path.join(place, library)));
    if (!found) throw new Error(`the headers of ${library} are not there: install lib${library}-dev`);
    return path.join(found, library);
}

/** Everything that a library's source may include. */
export function libraryTree() {
    const files = {};
    for (const folder of ['common/emulator', 'common/lab', 'common/harness']) {
        Object.assign(files, filesBelow(path.join(ROOT, folder), folder, isSource));
    }
    for (const folder of [...GRADING_FOLDERS, ...graderFolders()]) {
        Object.assign(files, filesBelow(path.join(ROOT, folder), folder, isSource));
    }
    Object.assign(files, filesBelow(headersOf('fmt'), 'ext/fmt'));
    Object.assign(files, filesBelow(headersOf('CLI'), 'ext/CLI'));
    if (fs.existsSync(TRANSLATED)) {
        for (const [name, text] of Object.entries(textsBelow(TRANSLATED, 'translated', isWhole)))
            files[name] = inVirtualFolders(text);
    }
    for (const { name, file, text } of PRECOMPILATIONS.filter((each) => each.name !== 'headers')) {
        if (!fs.existsSync(placeOf(name))) continue;
        files[file] = text;
        files[`${name}.pch`] = new Uint8Array(fs.readFileSync(placeOf(name)));
    }
    return files;
}

/** Not the temporary file that another process's translate.py is about to rename. */
const isWhole = (name) => !/\.\d+$/.test(name);

const GRADING_FOLDERS = ['lib', 'wasm', 'worker'].map((name) => `common/grading/${name}`);

/** The folders of graders: a grader may include files next to it. */
export const graderFolders = () =>
    ['docs/first_kernel', ...CHAPTERS.map(({ folder }) => folder)].map((folder) => `${folder}/grading`);

const isSource = (name) =>
    /\.(hpp|cuh|h|cpp|s|cu)$|\/include\/cuda\/[a-z]+$/.test(name) &&
    !/\/(tests|fault_gallery|bench|exercises)\//.test(name);

/** A translated text with the paths that the compiler's file system has. */
const inVirtualFolders = (text) =>
    text.replaceAll(`"${TRANSLATED}/`, '"/translated/').replaceAll(`"${ROOT}/`, '"/');

/** A .cu file of the repository as the emulator's translator makes it. */
export function translated(source) {
    const output = path.join(TRANSLATED, `${source}.cpp`);
    fs.mkdirSync(path.dirname(output), { recursive: true });
    execFileSync('python3', [
        path.join(ROOT, 'common/emulator/translate.py'),
        path.join(ROOT, source),
        output,
        '--source-root',
        ROOT,
        '--copies',
        TRANSLATED,
    ]);
    return inVirtualFolders(fs.readFileSync(output, 'utf8'));
}

/** [{name, library, text or source, options}] for everything that is compiled. */
function jobs() {
    const found = [];
    for (const [library, room] of [
        ['emulator', 'common/emulator'],
        ['lab', 'common/lab'],
    ]) {
        const sources = sourcesOf(room);
        const includes = [
            `-Icommon/emulator/src`,
            `-Icommon/emulator/wasm`,
            `-Icommon/lab/src`,
            `-Icommon/lab/wasm`,
        ];
        const joined = sources.filter((name) => name.endsWith('.cpp') && !APART.has(path.basename(name)));
        for (const source of sources.filter((name) => APART.has(path.basename(name)))) {
            const text = `#include "/${source}"\n`;
            found.push({
                name: `${library}_${path.basename(source, '.cpp')}`,
                library,
                file: 'apart.cpp',
                text,
                options: includes,
            });
        }
        for (const [kind, some] of [
            ['', joined.filter((name) => !SELDOM.test(name))],
            ['_seldom', joined.filter((name) => SELDOM.test(name))],
        ]) {
            for (let i = 0; i < some.length; i += JOINED) {
                const text = some
                    .slice(i, i + JOINED)
                    .map((name) => `#include "/${name}"\n`)
                    .join('');
                found.push({
                    name: `${library}${kind}_${i / JOINED}`,
                    library,
                    file: 'joined.cpp',
                    text: kind ? small(text) : text,
                    options: includes,
                });
            }
        }
        for (const source of sources.filter((name) => name.endsWith('.s'))) {
            const text = textOf(source);
            found.push({ name: path.basename(source, '.s'), library, file: 'assembly.s', text, options: [] });
        }
    }
    return [...found, FMT, ...harnessJobs(), ...gradingJobs()].map((job) => ({
        ...job,
        options: job.file.endsWith('.s') ? [] : [...WITH_HEADERS, ...job.options],
    }));
}

/** {fmt}, compiled once: in each object that formats it would be more than half the code. It is what {fmt}'s
 *  own format.cc holds, which does not come with a system's package; its versions from 8.1 to 12 were tried. */
const FMT = {
    name: 'fmt',
    library: 'emulator',
    file: 'fmt.cpp',
    text: `#include <fmt/format-inl.h>
#include <locale>
FMT_BEGIN_NAMESPACE
namespace detail {
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template void buffer<char>::append(const char*, const char*);
// Called by <fmt/chrono.h>; by its address, because its class is in another namespace from version 12 on.
extern std::locale (locale_ref::*const locale_of)() const;
std::locale (locale_ref::*const locale_of)() const = &locale_ref::get<std::locale>;
#if FMT_VERSION < 110100
template void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
#endif
#if FMT_VERSION < 90000
template int format_float(double, int, float_specs, buffer<char>&);
template int format_float(long double, int, float_specs, buffer<char>&);
template int snprintf_float(double, int, float_specs, buffer<char>&);
template int snprintf_float(long double, int, float_specs, buffer<char>&);
#endif
}  // namespace detail
FMT_END_NAMESPACE
`,
    options: [],
};

function harnessJobs() {
    const folder = 'common/harness';
    const options = ['-Icommon/lab/src', '-I.', '-DTUTORIAL_EMULATOR', '-DTUTORIAL_RESULTS="/docs/results"'];
    const names = fs.readdirSync(path.join(ROOT, folder)).sort();
    const job = (name, text) => ({ name, library: 'harness', file: 'source.cpp', text, options });
    const include = (source) => `#include "/${source}"\n`;
    const joined = names.filter((name) => name.endsWith('.cpp')).map((name) => include(`${folder}/${name}`));
    const parts = Array.from({ length: Math.ceil(joined.length / JOINED) }, (_, i) =>
        job(`harness_${i}`, small(joined.slice(i * JOINED, (i + 1) * JOINED).join(''))),
    );
    const kernels = names.filter((name) => name.endsWith('.cu'));
    return [
        ...parts,
        ...kernels.map((name) => job(path.basename(name, '.cu'), translated(`${folder}/${name}`))),
        job('chapter_lab_cpp', include('common/lab/chapter/chapter_lab.cpp')),
        job('explain_chapter_cpp', include('common/lab/chapter/explain_chapter.cpp')),
    ];
}

/** The judge and the graders, which are compiled like the judge. */
const JUDGE_OPTIONS = ['-I.', '-DTUTORIAL_EMULATOR', '-DGRADING_HAS_LAB=1'];
export const GRADING_OPTIONS = [...LIBRARY_OPTIONS, '-include-pch', 'grader_headers.pch', ...JUDGE_OPTIONS];

function gradingJobs() {
    const text = [...sourcesOf('common/grading', 'lib'), 'common/grading/worker/host_reads.cpp']
        .map((name) => `#include "/${name}"\n`)
        .join('');
    return [{ name: 'grading', library: 'grading', file: 'joined.cpp', text, options: JUDGE_OPTIONS }];
}

const placeOf = (name) => path.join(OBJECTS, `${name}.o`);

/**
 * The object of a job {name, file, text, options}, compiled if anything that it reads has changed. `files`:
 * {path: content} of all that it may include.
 */
export async function objectOf(job, files) {
    const place = placeOf(job.name);
    const stampOf = (read) =>
        sha(
            COMPILER,
            job.text,
            ...job.options,
            ...(job.options.includes(FILLS) ? [FILLING] : []),
            ...read.flatMap((name) => [name, files[name] ?? '']),
        );
    if (fs.existsSync(place) && fs.existsSync(`${place}.read`)) {
        const [stamp, ...read] = fs.readFileSync(`${place}.read`, 'utf8').split('\n');
        if (stamp === stampOf(read)) return { place, isNew: false };
    }
    const args = [job.file, ...job.options, '-MD', '-MF', 'it.d'];
    const made = await compileObject(await llvm(), args, { ...files, [job.file]: job.text }, 'it.o');
    if (!made.ok) throw new Error(`${job.name} does not compile for the page:\n${made.said}`);
    if (/warning:/.test(made.said)) console.error(`${job.name}:\n${made.said}`);
    const read = readOf(made.files['it.d']).filter((name) => name in files);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, made.files['it.o']);
    fs.writeFileSync(`${place}.read`, [stampOf(read), ...read].join('\n'));
    return { place, isNew: true };
}

function readOf(dependencies) {
    const words = new TextDecoder()
        .decode(dependencies)
        .replaceAll('\\\n', ' ')
        .replace(/^[^:]*:/, '')
        .split(/\s+/);
    return [
        ...new Set(words.filter(Boolean).map((name) => path.posix.normalize(name.replace(/^\.?\//, '')))),
    ].sort();
}

const FILLING = fs.readFileSync(new URL('unset_variables.mjs', import.meta.url), 'utf8');

/** Goes into CACHE, from which another test may be reading. */
function writeIfNew(name, bytes) {
    const place = path.join(CACHE, name);
    if (!fs.existsSync(place) || Buffer.compare(fs.readFileSync(place), bytes) !== 0)
        fs.writeFileSync(place, bytes);
}

/** Makes libNAME.a of these in CACHE. Returns how many objects were compiled. */
export async function buildLibraries(libraries = ['emulator', 'lab', 'harness', 'grading']) {
    fs.mkdirSync(OBJECTS, { recursive: true });
    const compiled = (list) => inPool(new URL(import.meta.url), { compileLibraries: true }, list);
    await compiled(PRECOMPILATIONS);
    writeIfNew('headers.pch', fs.readFileSync(placeOf('headers')));
    const all = jobs().filter(({ library }) => libraries.includes(library));
    const made = await compiled(all);
    for (const library of libraries) {
        const objects = all
            .filter((job) => job.library === library && job.name !== 'chapter_lab_cpp')
            .map((job) => job.name);
        const bytes = objects.map((name) => new Uint8Array(fs.readFileSync(placeOf(name))));
        const wanted = new Set(bytes.flatMap((object) => parse(object).imports.map(({ name }) => name)));
        // No hook calls the harness, and it instantiates templates for chapters.
        const named = (object) => (library === 'harness' ? object : ownTemplates(object, wanted));
        const files = Object.fromEntries(objects.map((name, i) => [`${name}.o`, named(bytes[i])]));
        const archive = await runTool(await llvm(), ['ar', 'rcs', 'it.a', ...Object.keys(files)], files);
        if (!archive.ok) throw new Error(archive.said);
        writeIfNew(`lib${library}.a`, archive.files['it.a']);
    }
    return made.filter(({ isNew }) => isNew).length;
}

/** Headers for the libraries, for the graders, and for the page's programs. */
const PRECOMPILATIONS = [
    {
        name: 'library_headers',
        file: 'library_headers.hpp',
        text: LIBRARY_HEADERS,
        options: [...LIBRARY_OPTIONS, ...PRECOMPILE],
    },
    {
        name: 'grader_headers',
        file: 'grader_headers.hpp',
        text: GRADER_HEADERS,
        options: [...LIBRARY_OPTIONS, ...JUDGE_OPTIONS, ...PRECOMPILE],
    },
    { name: 'headers', file: 'headers.hpp', text: PRECOMPILED, options: precompileOptions },
];

if (!isMainThread && workerData?.compileLibraries) {
    const files = libraryTree();
    workIn((job) => objectOf(job, files));
}

if (isMainThread && process.argv[1] === fileURLToPath(import.meta.url)) {
    const named = process.argv.slice(2);
    console.log(`${await buildLibraries(named.length ? named : undefined)} objects compiled`);
}
