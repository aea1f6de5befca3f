"""What an attempt's object file may not hold: a way round the grader, by names that are the grader's.

An attempt and its grader are one program. Somebody who replaced memcmp(), or called the grading
library, could give himself any verdict; here that does not compile.
"""

from __future__ import annotations

import re

# What an attempt may call that is not C++ of its own or of the standard library: CUDA, the C library
# as far as it counts and prints, and what compilers put in by themselves.
_CALLS = re.compile(
    r"^(cuda\w+|__cuda\w+|__nv\w*|"
    r"__tsan_(read|write|volatile|unaligned|func|init|vptr|atomic|memcpy|memset|memmove)\w*|__sanitizer_cov_trace_pc|"
    r"__ubsan_handle_out_of_bounds|lab_mem(cpy|move|set)|"
    r"__cxa_(allocate_exception|throw|free_exception|begin_catch|end_catch|rethrow|get_exception_ptr|atexit|"
    r"guard_acquire|guard_release|guard_abort|throw_bad_array_new_length|bad_cast|pure_virtual)|"
    r"__gxx_personality_v0|_Unwind_Resume|_GLOBAL_OFFSET_TABLE_|__dso_handle|__TMC_END__|_ITM_\w+|"
    # What compilers call for arithmetic that the processor has no instruction for.
    r"__(popcount|parity|clz|ctz|ffs|bswap|u?div|u?mod|u?divmod|mul|neg|u?cmp|ashl|ashr|lshr|fix|fixuns|float|floatun|"
    r"powi|extend|trunc)[a-z]{2,4}[23]?|"
    r"__gmon_start__|__stack_chk_fail|__assert_fail|__errno_location|"
    r"threadIdx|blockIdx|blockDim|gridDim|warpSize|std(out|err)|"
    r"f?printf|v?snprintf|sprintf|f?puts|f?putc|putchar|fflush|fwrite|__(f|v|sn|vsn|s)?printf_chk|"
    r"malloc|calloc|realloc|free|abort|s?rand|qsort|bsearch|l{0,2}abs|l{0,2}div|atoi|strto\w+|"
    r"mem(cpy|move|set|cmp|chr)|__mem(cpy|move|set)_chk|str(n?len|n?cmp|n?cpy|n?cat|r?chr|str)|"
    r"(a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p|b)?|pow|sqrt|cbrt|hypot|floor|ceil|"
    r"l?l?round|trunc|l?l?rint|nearbyint|fmod|remainder|remquo|modf|frexp|ldexp|scalbl?n|ilogb|fabs|fmin|fmax|"
    r"fdim|fma|copysign|nan|nextafter|erfc?|[lt]gamma)[fl]?)(@.*)?$"
)
_CALLED_BY_NVCC = ("exit", "atexit")
# Of the backend, what headers call for a kernel. Its settings, its reports and its observer are not among them.
_BACKEND = re.compile(r"^_ZN?K?3cpu\w*")
_SETTINGS = re.compile(r"observer|report|worker|settings|counters_of|reset|symbols|print_|set_|clear_")
# Of the standard library: files, processes and threads.
_NOT_OF_STD = re.compile(
    r"^_Z.*(basic_[io]?fstream|basic_filebuf|10filesystem|13random_device|St6thread|St4exit|St10quick_exit|St6getenv|"
    r"St6system|St9terminate|St13set_terminate|St15set_new_handler|St6signal|St5async)"
)

# Of the library, and of what it stands on. In them nothing may be defined; grading and lab may not
# even be called.
_NEVER = ("grading", "lab")
_NOT_DEFINED = (*_NEVER, "cpu", "tutorial", "std")
_VARIABLE = re.compile(r"^[A-Za-z][A-Za-z0-9]*([A-Z_][A-Za-z0-9_]*)?$")
_ENTRY = re.compile(
    r"^ *\d+: [0-9a-f]+ +\S+ (?P<type>\S+) +(?P<bind>GLOBAL|WEAK|LOCAL|UNIQUE) +\S+ +(?P<where>\S+) (?P<name>\S+)"
)


def command(program_object: str) -> list[str]:
    """Prints what complaint() reads."""
    return ["readelf", "--wide", "--symbols", "--sections", program_object]


def complaint(listing: str, looks_at_calls: bool = True, is_cuda: bool = False) -> str:
    """What is not allowed, in one line; empty: nothing is wrong.

    Names are looked at whatever their type is: a variable or a bare label stands for a function as well.
    `is_cuda`: nvcc has made the object, and puts calls of its own into it.
    """
    if re.search(r"^ *\[ *\d+\] \.preinit_array", listing, re.MULTILINE):
        return "code that runs before the grader's (.preinit_array) is not allowed here"
    for line in listing.splitlines():
        found = _ENTRY.match(line)
        if not found:
            continue
        name, is_defined = found.group("name"), found.group("where") != "UND"
        if looks_at_calls and found.group("type") != "FILE" and (not is_defined or _NOT_OF_STD.match(name)):
            words = "" if is_cuda and name in _CALLED_BY_NVCC else _not_called(name)
            if words:
                return words
        if found.group("type") == "IFUNC":
            return f"'{name}' is chosen while the program is loaded (ifunc): that is not allowed here"
        if found.group("bind") == "LOCAL":
            continue
        space = _namespace(name)
        if space in _NEVER:
            return f"the code uses the namespace '{space}', which is the grader's: that is not allowed here"
        if not is_defined or name.startswith("DW.ref."):
            continue
        if not name.startswith("_Z"):
            # The name of a variable in no namespace is not mangled, and does no harm, unless it is a library's.
            if found.group("type") == "FUNC" or _CALLS.match(name) or not _VARIABLE.match(name):
                whose = "a name of the C library's or of the compiler's"
                return f"the code defines '{name}', {whose}: that is not allowed here"
            continue
        if re.match(r"_Z(n[wa]|d[la])", name) and not name.endswith(("mPv", "PvS_")):  # placement new is a header's
            return "the code replaces operator new or delete: that is not allowed here"
        if space in _NOT_DEFINED and found.group("bind") == "GLOBAL":
            return f"the code defines something in the namespace '{space}': that is not allowed here"
    return ""


def _not_called(name: str) -> str:
    """Why this may not be called or used; empty: it may."""
    shown = name.partition("@")[0]
    if not shown.startswith("_Z"):
        if _CALLS.match(name):
            return ""
        return f"the code uses '{shown}', which exercises have no use for: that is not allowed here"
    if _BACKEND.match(shown) and _SETTINGS.search(shown):
        return "the code uses settings of the CPU backend: that is not allowed here"
    if _NOT_OF_STD.match(shown):
        return f"the code uses '{shown[:80]}', which exercises have no use for: that is not allowed here"
    return ""


def _namespace(name: str) -> str:
    """The outermost namespace of a mangled name, as far as it is one of those above."""
    found = re.match(r"_Z(?:T[VTIS]|GV)?N[KVrRO]*(St|\d+)(\w*)", name)
    if not found:
        return "std" if name.startswith("_ZSt") else ""
    length = found.group(1)
    return "std" if length == "St" else found.group(2)[: int(length)]
