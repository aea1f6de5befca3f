// Compiles a program; local variables that have no initial value get one that the lab looks for
// (common/lab/src/rules/unset_variable.cpp): bytes of 0xfe, as g++ gives them. clang offers only -1 for
// WebAssembly. So to fill variables, clang first writes its intermediate code, in which they are marked;
// class Unset of the lab's plugin for clang (common/lab/llvm_plugin) does the same to native programs.
import { FILLS, IR_OPTIONS } from './options.mjs';
import { runTool } from './tools.mjs';

const VALUES = {
    i8: '-2',
    i16: '-258',
    i32: '-16843010',
    i64: '-72340172838076674',
    float: '0xC7DFDFDFC0000000', // as a double, which is how LLVM writes it
    double: '0xFEFEFEFEFEFEFEFE',
    ptr: 'inttoptr (i32 -16843010 to ptr)',
};

/** What runTool() returns, with the object in files[output]. `args`: the source, and the options. */
export async function compileObject(llvm, args, files, output) {
    if (!args.includes(FILLS)) return runTool(llvm, ['clang++', '-c', ...args, '-o', output], files);
    const toText = ['-S', '-emit-llvm', '-Xclang', '-disable-llvm-passes'];
    const written = await runTool(llvm, ['clang++', ...toText, ...args, '-o', 'it.ll'], files);
    if (!written.ok) return written;
    const text = filled(new TextDecoder().decode(written.files['it.ll']));
    const fromText = ['clang++', '-c', '-x', 'ir', 'it.ll', ...IR_OPTIONS, '-o', output];
    const made = await runTool(llvm, fromText, { 'it.ll': text });
    return { ...made, files: { ...written.files, ...made.files }, said: written.said + made.said };
}

function filled(text) {
    const mark = /^!(\d+) = !\{!"auto-init"\}$/m.exec(text)?.[1];
    if (mark === undefined) return text;
    return text.replace(new RegExp(`^ .*, !annotation !${mark}$`, 'gm'), (line) =>
        line
            .replace(/\bstore (volatile )?(\w+) .*?, ptr /, (all, kind = '', type) =>
                type in VALUES ? `store ${kind}${type} ${VALUES[type]}, ptr ` : all,
            )
            .replace(/(@llvm\.memset\.[^(]+\([^,]+, i8) -1,/, '$1 -2,'),
    );
}
