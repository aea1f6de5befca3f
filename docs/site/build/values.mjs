// What bits mean. A trace does not say whether 32 bits are a float: all values of an array together decide
// that.

const view = new DataView(new ArrayBuffer(8));
/** Fresh memory and infinities indicate neither type. */
const SENTINELS = new Set([
    'ffffffff',
    '7f800000',
    'ff800000',
    '7fffffff',
    '80000000',
    '00000000',
    '7fc00000',
]);

function float32(bits) {
    view.setUint32(0, parseInt(bits, 16));
    return view.getFloat32(0);
}

function float64(bits) {
    view.setBigUint64(0, BigInt(`0x${bits}`));
    return view.getFloat64(0);
}

/** 'float', 'int': what the values of an array look like; '' if they could be either. */
export function typeOf(values) {
    let found = '';
    for (const bits of values) {
        if (SENTINELS.has(bits) || /^(0+|f+)$/.test(bits)) continue;
        if (bits.length !== 8 && bits.length !== 16) return 'int';
        const size = Math.abs(bits.length === 8 ? float32(bits) : float64(bits));
        if (!(size > 1e-9 && size < 1e9)) return 'int';
        found = 'float';
    }
    return found;
}

/** A number, or a string for what no number holds exactly. */
export function valueOf(bits, type) {
    if (type === 'float') {
        const value = bits.length === 8 ? float32(bits) : float64(bits);
        return Number.isFinite(value) ? Number(value.toPrecision(7)) : String(value);
    }
    const whole = BigInt(`0x${bits}`);
    const value = BigInt.asIntN(bits.length * 4, whole);
    return value >= -(2n ** 53n) && value <= 2n ** 53n ? Number(value) : value.toString();
}
