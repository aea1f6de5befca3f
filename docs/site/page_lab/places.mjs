// The file /places: for each numbered call its line, and the calls through which it was inlined, by
// LLVM's symbolizer, which is part of the compiler's package (common/lab/wasm/lines.cpp reads it).
import { runTool } from './tools.mjs';

export async function placesText(llvm, linked, sites) {
    const asked = sites.map((site) => `0x${site.offset.toString(16)}\n`).join('');
    const args = ['symbolizer', '--obj=it.wasm', '--inlines', '--functions=short'];
    const { printed, said } = await runTool(llvm, args, { 'it.wasm': linked }, asked);
    // For each call, pairs of lines, FUNCTION and FILE:LINE:COLUMN, and an empty line.
    const answers = new TextDecoder().decode(printed).split('\n\n').slice(0, -1);
    if (answers.length !== sites.length) {
        throw new Error(
            `the symbolizer has given ${answers.length} answers to ${sites.length} questions\n${said}`,
        );
    }
    return answers.map((answer, i) => (sites[i].isFloat ? '@f\n' : '@\n') + placesOf(answer)).join('');
}

function placesOf(answer) {
    const lines = answer.split('\n');
    let places = '';
    for (let i = 0; i + 1 < lines.length; i += 2) {
        const [, file, line] = lines[i + 1].match(/^(.*):(\d+):\d+$/);
        places += `${line}\t${known(file)}\t${known(lines[i])}\n`;
    }
    return places;
}

const known = (word) => (word === '??' ? '' : word);
