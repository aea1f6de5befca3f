// LLVM in two parts, as the page loads it, gives the same results as the whole; the second part is loaded
// when the first lacks a function.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompiler } from '../chain.mjs';
import { load } from '../node_load.mjs';
import { llvm } from '../node_llvm.mjs';

const compiled = async (name) => WebAssembly.compile(await load(name));
const whole = await createCompiler({ load });

/** The results of both for a program, and how often the second part was requested. */
async function both(text, standard) {
    let asked = 0;
    const parts = { module: await compiled('llvm.wasm'), files: (await llvm()).files };
    parts.rest = () => ++asked && compiled('llvm_rest.wasm');
    const split = await createCompiler({ load: (name) => (name === 'llvm' ? parts : load(name)) });
    const results = [];
    for (const { compile } of [whole, split]) {
        const { program, said } = await compile({ name: 'main.cu', text, standard });
        results.push({
            said,
            files: program?.files,
            code: program && Buffer.from(program.wasm).toString('hex'),
        });
    }
    assert.deepEqual(results[1], results[0]);
    return { ...results[0], asked };
}

test('a program and one that is wrong need the first part only', async () => {
    const sum = `#include <cuda_runtime.h>
#include <cstdio>
__global__ void sum(const float* in, float* out, int n) {
    __shared__ float part[64];
    part[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0.0f;
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 256);
    cudaMalloc(&out, 4);
    cudaMemset(in, 0, 256);
    sum<<<1, 64>>>(in, out, 64);
    printf("%s\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
`;
    const right = await both(sum);
    assert.ok(right.code, right.said);
    assert.equal(right.asked, 0);
    const wrong = await both(sum.replace('float* out,', 'float* result,'));
    assert.match(wrong.said, /use of undeclared identifier 'out'/);
    assert.equal(wrong.asked, 0);
});

test('a program without main() is refused', async () => {
    const { said, code } = await both('#include <cuda_runtime.h>\n__global__ void k(int* p) { *p = 1; }\n');
    assert.match(said, /no main\(\)/);
    assert.equal(code, undefined);
});

test('what no program of ours uses needs both', async () => {
    const coroutine = `#include <coroutine>
struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
Task run() { co_await std::suspend_never{}; }
int main() { run(); }
`;
    const { code, said, asked } = await both(coroutine, 'c++20');
    assert.ok(code, said);
    assert.equal(asked, 1);
});
