"""Names that the emulator does not have: compile errors that say what is missing.

The part of cuBLAS that computes nothing is in include/cublas_v2.h.
"""

import re

from rewriting.ptx import error_pragma
from rewriting.text import blank, is_in_macro

# What the header defines, and names that programs use for their own checks, such as cublasCheck.
OTHERS = r"(?:Create|Destroy|SetMathMode|SetStream)\b|Check|Assert|Error|Call|Safe"
# Of the driver API: what include/cuda.h has.
DRIVER = "Init|DriverGetVersion|DeviceGet(?:Count|Name|Attribute)?|DeviceTotalMem|GetError(?:Name|String)"
GRAPHS = "Create|Destroy|Instantiate|Launch|ExecDestroy"
MISSING = [
    ("cuBLAS", re.compile(rf"(?<![\w:.])(?:::\s*)?(cublas(?!(?:Lt)?(?:{OTHERS}))[A-Z][a-z]\w*)(?=\s*\()")),
    (
        "the texture unit",
        re.compile(
            r"(?<![\w:.])(cuda(?:Texture|Surface)Object_t|(?:texture|surface)(?=\s*<)|cudaArray_t|cudaMallocArray"
            r"|cudaChannelFormatDesc|cudaMemcpy(?:2D)?(?:To|From)Array\w*)"
        ),
    ),
    (
        "this part of the driver API",
        re.compile(
            r"(?<![\w:.])(CU(?:module|function|context|mem[A-Z]\w+)\b"
            rf"|cu(?!(?:{DRIVER})\b|{OTHERS})(?:Ctx|Module|Mem|Launch|Stream|Event|Func|Link|Device|Array|Tex|Surf"
            r"|Graph|Pointer|Library|Kernel|Profiler|Occupancy|Param)[A-Z]\w*(?=\s*\())"
        ),
    ),
    (
        "this part of CUDA graphs",
        re.compile(
            rf"(?<![\w:.])(cudaGraph(?!(?:Exec_t|Node_t|{GRAPHS})\b|{OTHERS})[A-Z]\w*|cudaMemsetParams"
            r"|cuda(?:Kernel|MemAlloc|Host)NodeParams|cudaDevice(?:Get|Set)?GraphMem\w+)\b"
        ),
    ),
    (
        "a three-dimensional array for textures, or a copy between devices",
        re.compile(r"(?<![\w:.])(cudaMemcpy3D(?:Peer|Batch|With)\w*|cudaMalloc3DArray)\b"),
    ),
    ("nvcc's own atomic operation (use cuda::atomic_ref)", re.compile(r"(?<![\w:.])(__nv_atomic_[a-z_]+)(?=\s*\()")),
    (
        "this generator (of cuRAND's there are XORWOW and Philox4_32_10)",
        re.compile(r"(?<![\w:.])(curand(?:State(?:Scrambled)?(?:Sobol|MRG|Mtgp)|DirectionVectors)\w*)\b"),
    ),
    ("memory of another process", re.compile(r"(?<![\w:.])(cudaIpc[A-Z]\w*)\b")),
    (
        "an attribute of a stream, such as a hint for the L2 cache,",
        re.compile(r"(?<![\w:.])(cuda(?:AccessPolicyWindow|StreamAttr[A-Z]\w*|Stream(?:Get|Set|Copy)Attributes?))\b"),
    ),
    ("memory of another API", re.compile(r"(?<![\w:.])(cuda(?:External(?:Memory|Semaphore)|Graphics)\w+)\b")),
    ("a pool of device memory", re.compile(r"(?<![\w:.])(cudaMemPool(?:_t|Props))\b")),
]
# Functions that devices of compute capability 7.0 and above do not have.
REMOVED = re.compile(r"(?<![\w:.])(?<!->)(__(?:shfl(?:_up|_down|_xor)?|any|all|ballot))(?=\s*\()")


def name_removed(text: str) -> str:
    if not REMOVED.search(text):
        return text
    code = blank(text)
    for found in reversed(list(REMOVED.finditer(code))):
        name = found.group(1)
        # Not reported in a program that defines the name itself, or a macro of that name, for newer devices.
        is_defined = re.search(rf"\w[\s*&]+{name}\s*\([^;{{}}()]*\)\s*\{{|\bdefine\s+{name}\b", code)
        if is_defined or is_in_macro(text, found.start()):
            continue
        message = error_pragma(
            f"{name} was removed: it has been deprecated since CUDA 9, and devices from compute capability 7.0 on "
            f"lack it. Use {name}_sync, whose first argument is the mask of the lanes that take part, "
            "such as 0xffffffff"
        )
        text = f"{text[: found.start()]}{message} {text[found.start() :]}"
    return text


def rewrite_calls(text: str) -> str:
    """The text with an error before each name that is missing, and before each removed function."""
    text = name_removed(text)
    for thing, names in MISSING:
        if not names.search(text):
            continue
        # Every occurrence, because the preprocessor may leave out the first.
        for found in reversed(list(names.finditer(blank(text)))):
            before = text[: found.start()].rstrip()
            is_declared_here = re.search(r"\b(?:typedef|struct|class|enum|using|define)\b[^;{}\n]*$", before)
            if is_declared_here or is_in_macro(text, found.start()):
                continue
            message = error_pragma(f"{found.group(1)}: {thing} is not on the emulator")
            text = f"{text[: found.start()]}{message} {text[found.start() :]}"
    return text
