// The file /places: for each numbered call its line, and the calls through which it was inlined, by
// LLVM's symbolizer, which is part of the compiler's package (common/lab/wasm/lines.cpp reads it).
import { runTool } from './tools.mjs';

export async function placesText(runLLVM, linked, sites) {
    const asked = sites.map((site) => `0x${site.offset.toString(16)}\n`).join('');
    const args = ['symbolizer', '--obj=it.wasm', '--inlines', '--output-style=JSON', '--functions=short'];
    const { printed, said } = await runTool(runLLVM, args, { 'it.wasm': linked }, asked);
    const answers = printed.split('\n').filter(Boolean);
    if (answers.length !== sites.length) {
        throw new Error(
            `the symbolizer has given ${answers.length} answers to ${sites.length} questions\n${said}`,
        );
    }
    return answers
        .map((answer, i) => {
            const places = JSON.parse(answer).Symbol;
            const lines = places.map((each) => `${each.Line}\t${each.FileName}\t${each.FunctionName}\n`);
            return (sites[i].isFloat ? '@f\n' : '@\n') + lines.join('');
        })
        .join('');
}
