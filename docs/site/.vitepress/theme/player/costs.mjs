// What one access of a warp costs, by the lab's rules (common/lab/src/traffic.cpp).

const SECTOR = 32;
const WORD = 4;
const BANKS = 32;

/** A list as compile_trace.mjs packs it. */
export function unpacked(numbers) {
    if (Array.isArray(numbers)) return numbers;
    const [first, stride, count] = numbers.of;
    return Array.from({ length: count }, (_, i) => first + i * stride);
}

/** The sectors (numbers of 32 bytes) that addresses of `bytes` each touch. */
export function sectors(addresses, bytes) {
    const touched = new Set();
    for (const address of addresses) {
        const last = Math.floor((address + bytes - 1) / SECTOR);
        for (let sector = Math.floor(address / SECTOR); sector <= last; ++sector) touched.add(sector);
    }
    return touched;
}

/** For some lanes that are served together: the pass, from 0, of each word. */
function passes(addresses, bytes) {
    const inBank = new Map();
    const pass = new Map();
    for (const address of [...new Set(addresses)].sort((a, b) => a - b)) {
        const last = Math.floor((address + bytes - 1) / WORD);
        for (let word = Math.floor(address / WORD); word <= last; ++word) {
            if (pass.has(word)) continue;
            const bank = word % BANKS;
            pass.set(word, inBank.get(bank) ?? 0);
            inBank.set(bank, (inBank.get(bank) ?? 0) + 1);
        }
    }
    return pass;
}

function inPairs(lanes, addresses, apart) {
    const of = new Map(lanes.map((lane, i) => [lane, addresses[i]]));
    return lanes.every((lane) => !of.has(lane ^ apart) || of.get(lane) === of.get(lane ^ apart));
}

/** Wavefronts of shared memory: {actual, least, pass: word -> pass}. */
export function wavefronts(lanes, addresses, bytes, kind) {
    if (kind === 'atomic') return atomicWavefronts(addresses);
    let together = bytes <= 4 ? 32 : bytes === 8 ? 16 : 8;
    const paired = kind === 'load' && (inPairs(lanes, addresses, 1) || inPairs(lanes, addresses, 2));
    if (bytes > 4 && paired) together *= 2;
    const cost = { actual: 0, least: 0, pass: new Map() };
    for (let first = 0; first < 32; first += together) {
        const part = addresses.filter((_, i) => lanes[i] >= first && lanes[i] < first + together);
        if (part.length === 0) continue;
        const pass = passes(part, bytes);
        for (const [word, number] of pass) cost.pass.set(word, cost.actual + number);
        cost.actual += Math.max(...pass.values()) + 1;
        cost.least += 1;
    }
    return cost;
}

function atomicWavefronts(addresses) {
    const inBank = new Map();
    for (const address of addresses) {
        const bank = Math.floor(address / WORD) % BANKS;
        inBank.set(bank, (inBank.get(bank) ?? 0) + 1);
    }
    return { actual: Math.max(...inBank.values()), least: 1, pass: new Map() };
}

/** How many lanes of an atomic operation take turns on one word. */
export function turns(addresses) {
    const same = new Map();
    for (const address of addresses) same.set(address, (same.get(address) ?? 0) + 1);
    return Math.max(...same.values());
}
