// binaryen's asyncify over a linked program: what lies on a fiber's stack can be left and gone on with
// (common/emulator/wasm/fcontext.cpp).

/** Their indirect calls may lead to a barrier: the call of the kernel. */
const WAITS = ['_ZN8emulator6Worker11run_threadsEv'];

/** Never left: main()'s side, and the lab, whose hooks end a fiber at most. */
const NEVER_LEFT = [
    '_ZN8emulator6Worker3runERNS_5BlockE',
    '__tsan_*',
    '__sanitizer_*',
    '__ubsan_*',
    'lab_*',
    '_ZN3lab*',
    '_ZNK3lab*',
];

/** Those patterns that some name fits: binaryen warns of others, as of a program without a kernel. */
function fitting(patterns, names) {
    const fits = (pattern, name) =>
        pattern.endsWith('*') ? name?.startsWith(pattern.slice(0, -1)) : name === pattern;
    return patterns.filter((pattern) => names.some((name) => fits(pattern, name))).join(',');
}

/**
 * @param names of all functions
 * @param indirect names of the learner's functions with indirect calls
 */
export function makeFibers(binaryen, binary, names, indirect) {
    binaryen.setPassArgument('asyncify-imports', 'page.nothing');
    binaryen.setPassArgument('asyncify-ignore-indirect', '1');
    binaryen.setPassArgument('asyncify-addlist', fitting([...WAITS, ...indirect], names));
    binaryen.setPassArgument('asyncify-removelist', fitting(NEVER_LEFT, names));
    binaryen.setDebugInfo(false);
    binaryen.setOptimizeLevel(1);
    binaryen.setShrinkLevel(0);
    const module = binaryen.readBinary(binary);
    // Not all: encodings of later ones are refused by Node 20.
    const { Features } = binaryen;
    module.setFeatures(
        Features.BulkMemory |
            Features.BulkMemoryOpt |
            Features.SignExt |
            Features.NontrappingFPToInt |
            Features.MutableGlobals |
            Features.Multivalue |
            Features.ReferenceTypes |
            Features.ExceptionHandling |
            Features.CallIndirectOverlong,
    );
    module.runPasses(['asyncify']);
    const made = module.emitBinary();
    module.dispose();
    return made;
}
