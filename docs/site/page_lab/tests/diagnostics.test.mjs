// What the browser lab shows of the messages of translate.py and of the compiler.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnosticsOf } from '../diagnostics.mjs';

test('a refusal by translate.py has a line and no column', () => {
    assert.deepEqual(diagnosticsOf('/src/main.cu:5: error: kernel k calls f\n'), [
        { file: 'main.cu', line: 5, column: 0, severity: 'error', text: 'kernel k calls f' },
    ]);
});

test('what the compiler says of a rewritten line is what is meant, and said once', () => {
    const said = `/src/main.cu:2:91: warning: variable length arrays in C++ are a Clang extension
/src/main.cu:1:31: note: declared here
/src/main.cu:2:87: error: variably modified type 'int[(n)]' cannot be used as a template argument
/src/main.cu:2:124: error: variably modified type 'int[(n)]' cannot be used as a template argument
/src/main.cu:5:5: error: no matching function for call to object of type 'TypedLaunch<(lambda at /src/main.cu:5:76), float *, int>'
/src/main.cu:6:9: fatal error: 'helper.h' file not found
`;
    assert.deepEqual(
        diagnosticsOf(said).map(({ line, column, severity, text }) => [
            line,
            column,
            severity,
            text.slice(0, 30),
        ]),
        [
            [1, 31, 'note', 'declared here'],
            [2, 0, 'error', 'the size of a __shared__ array'],
            [5, 0, 'error', 'the arguments of this launch d'],
            [6, 9, 'error', "'helper.h' file not found"],
        ],
    );
});

test('cudaMalloc without an & is told what is missing', () => {
    const said = (call, pointer) => `/src/main.cu:4:1: error: no matching function for call to '${call}'
    4 | ${call}(${pointer}, 400);
      | ^~~~~~~~~~
/common/emulator/include/emulator/memory_api.hpp:47:13: note: candidate template ignored: could not match 'T *' against 'int'
`;
    const text = (call, pointer) => diagnosticsOf(said(call, pointer))[0].text;
    assert.equal(text('cudaMalloc', 'd'), 'cudaMalloc takes the address of the pointer: &d');
    assert.equal(
        text('cudaMallocManaged', 'a.b'),
        'cudaMallocManaged takes the address of the pointer: &a.b',
    );
    assert.equal(text('cudaMalloc', '&p'), "no matching function for call to 'cudaMalloc'");
    assert.equal(text('cudaFree', 'd'), "no matching function for call to 'cudaFree'");
});
