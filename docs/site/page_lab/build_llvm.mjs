// Splits LLVM for the page: llvm.wasm has the functions that programs like ours use, llvm_rest.wasm is loaded
// when more are needed. Kept in build/site/page_lab.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { ROOT, textOf } from '../build/places.mjs';
import { createCompiler } from './chain.mjs';
import { CACHE, sha } from './libraries.mjs';
import { load } from './node_load.mjs';
import { COMPILER, llvmFiles, llvmProgram } from './node_llvm.mjs';
import { withOneMemory } from './one_memory.mjs';
import { addSeen, noting, split, withCalled } from './split.mjs';

const CHAPTERS = ['ch01_bubble', 'ch02_reduce_baseline', 'ch03_reduce_optimized'];
const EXERCISE = { id: 'first/ex1', folder: 'docs/first_kernel', name: 'ex1_map' };
/** Functions that these call, directly or not, are included if they are not large: another program takes
 *  other branches. */
const LEVELS = 3;
const SMALL = 1000; // bytes of a function
/** Functions this small are included whether they are called or not: 2 MB of 78. */
const LEAST = 100;
/** Features of courses' programs that the examples do not use. */
const PROGRAMS = 'docs/site/page_lab/tests/programs';

/** What learners sometimes write: each gets a different message. */
const WRONG = [
    'int main() { oops; }',
    'int main() { return 0 }',
    '#include <nothing.h>',
    'int f(int x) {} int main() { int y; return f("a"); }',
    '__global__ void k(int* p) { p[threadIdx.x] = 1.5f } int main() { k<<<1, 32>>>(nullptr); }',
    'template <class T> T f(T a, T b) { return a.x; } int main() { return f(1, 2) + f(1, 2.0); }',
    'struct A { private: int x; }; int main() { const A a; a.x = 1; for (int i = 0; i < 3; ++i) { }',
    '#include <vector>\nint main() { std::vector<int> v; v.push("a"); std::strin s; std::vector<A> w; }',
    'int other(int); int main() { if (int x = 1) return other(x); }',
    '#include <cuda_runtime.h>\n__global__ void k(float* a, int n) {}\nint main() { k<<<1>>>(1, 2, 3); cudaMaloc(0); }',
    '#pragma nothing\n#define A(x) x x\nint main() { unsigned u = -1; return A(1) / 0 + u == -1; }',
];

/** Features that our examples do not use. */
const OTHER = `#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>
struct Point {
    double x, y;
};
template <class T>
__device__ T length(const Point& p) {
    return static_cast<T>(sqrt(p.x * p.x + p.y * p.y));
}
__global__ void lengths(const Point* in, double* out, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        switch (i % 4) {
            case 0: out[i] = length<double>(in[i]); break;
            case 1: out[i] = -1; break;
            case 2: out[i] = i / 3 % 7; break;
            default: out[i] = fmin(in[i].x, 1e3);
        }
        atomicAdd(&out[0], 1.0);
    }
}
int main(int argc, char** argv) {
    std::vector<Point> h(argc > 1 ? std::stoul(argv[1]) : 100);
    std::sort(h.begin(), h.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
    Point* in = nullptr;
    double* out = nullptr;
    if (cudaMalloc(&in, h.size() * sizeof(Point)) != cudaSuccess) return 1;
    cudaMalloc(&out, h.size() * sizeof(double));
    cudaMemcpy(in, h.data(), h.size() * sizeof(Point), cudaMemcpyHostToDevice);
    lengths<<<dim3(2), dim3(32)>>>(in, out, static_cast<unsigned>(h.size()));
    std::string said = cudaGetErrorString(cudaDeviceSynchronize());
    std::printf("%s %5.2f %llu\\n", said.c_str(), double(h.size()) / 3, 1ull << 40);
    cudaFree(in);
    cudaFree(out);
}
`;

/** Headers that are not precompiled, and another language standard. */
const MORE = ['regex', 'chrono', 'iomanip', 'sstream', 'queue', 'set', 'list', 'bitset', 'complex', 'array'];

const programsIn = (folder) =>
    fs
        .readdirSync(path.join(ROOT, folder))
        .filter((name) => name.endsWith('.cu'))
        .map((name) => `${folder}/${name}`);

/** Compiles and links what a reader might. */
async function useAll({ compile, compileAttempt }) {
    for (const name of [...programsIn('docs/examples'), ...programsIn(PROGRAMS)])
        for (const mode of ['count', 'faults']) await compile({ name: 'main.cu', text: textOf(name), mode });
    for (const name of programsIn('common/lab/fault_gallery'))
        await compile({ name: 'main.cu', text: textOf(name), mode: 'faults' });
    for (const text of [OTHER, OTHER.replace('double* out,', 'double* result,'), ...WRONG])
        await compile({ name: 'main.cu', text });
    const includes = MORE.map((name) => `#include <${name}>\n`).join('');
    for (const standard of ['c++17', 'c++20'])
        await compile({ name: 'main.cu', text: `${includes}int main() {}`, standard });
    for (const folder of CHAPTERS) {
        const name = `${folder}/main.cu`;
        await compile({ name, text: textOf(name), chapter: folder.slice(0, 4) });
    }
    const { id, folder, name } = EXERCISE;
    await compileAttempt({ id, name: `${name}.cu`, text: textOf(`${folder}/solutions/${name}.cu`) });
}

/** Writes llvm.wasm and llvm_rest.wasm, after everything that build_ready.mjs and build_exercises.mjs make. */
export async function buildLlvm() {
    const scripts = ['build_llvm.mjs', 'one_memory.mjs', 'options.mjs', 'split.mjs', 'wasm_binary.mjs'];
    const wanted = sha(COMPILER, ...scripts.map((name) => fs.readFileSync(new URL(name, import.meta.url))));
    const stamp = path.join(CACHE, 'llvm.stamp');
    if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === wanted) return;
    const program = withOneMemory(new Uint8Array(llvmProgram()));
    const seen = new Set();
    const llvm = {
        module: await WebAssembly.compile(noting(program)),
        files: llvmFiles(),
        ended: (exports) => addSeen(exports, seen),
    };
    // Nothing runs: the programs need no fibers.
    const others = { llvm, fibers: (binary) => binary };
    await useAll(await createCompiler({ load: (name) => others[name] ?? load(name) }));
    const { main, rest } = split(program, withCalled(program, seen, LEVELS, SMALL, LEAST));
    fs.writeFileSync(path.join(CACHE, 'llvm.wasm'), main);
    fs.writeFileSync(path.join(CACHE, 'llvm_rest.wasm'), rest);
    fs.writeFileSync(stamp, wanted);
}

if (!isMainThread && workerData?.buildLlvm) parentPort.postMessage(await buildLlvm());
if (isMainThread && process.argv[1] === fileURLToPath(import.meta.url)) await buildLlvm();
