// The file /symbols, by which the emulator knows a program's functions and variables
// (common/emulator/wasm/symbol_table.cpp).

/** Functions that are not in the table have no address: this plus their number serves as one. */
const WITHOUT_ADDRESS = 0x40000000;

/** @param map what the linker has printed: --print-map */
export function symbolsText(module, map, sites) {
    const slots = new Map([...module.table].map(([slot, index]) => [index, slot]));
    const address = (index) => slots.get(index) ?? WITHOUT_ADDRESS + index;
    const lines = [];
    for (const index of new Set([...sites.map((site) => site.index), ...slots.keys()])) {
        if (module.names[index]) lines.push(`F ${address(index)} 0 ${module.names[index]}`);
    }
    for (let i = 0, next; i < sites.length; i = next) {
        for (next = i + 1; sites[next]?.index === sites[i].index; ++next);
        lines.push(`S ${4 * (i + 1)} ${address(sites[i].index)} ${next - i}`);
    }
    return `${[...lines, ...variables(map)].join('\n')}\n`;
}

/** Of a map's lines "Addr Off Size Out In Symbol": D for a variable, C for a section of constants. */
function variables(map) {
    const lines = [];
    let isData = false;
    for (const line of map.split('\n')) {
        const found = line.match(/^\s*([0-9a-f]+|-)\s+([0-9a-f]+)\s+([0-9a-f]+)\s(\s*)(\S.*)$/);
        if (!found) continue;
        const [, addressText, , sizeText, indent, name] = found;
        const place = `${parseInt(addressText, 16)} ${parseInt(sizeText, 16)}`;
        if (indent === '') {
            isData = addressText !== '-';
            if (isData && name.startsWith('cuda_constant')) lines.push(`C ${place} -`);
        } else if (isData && indent.length >= 16) {
            lines.push(`D ${place} ${name.trim()}`);
        }
    }
    return lines;
}
