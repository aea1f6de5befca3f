"""What an attempt's object file may not contain: ways around the grader that use its names.

An attempt and its grader are one program. Code that replaced memcmp(), or called the grading library, could
forge any verdict; here it does not compile.
"""

from __future__ import annotations

import re

# All except functions that share memory with the host, and those that report memory sizes or limits, which a kernel may
# have changed.
_CUDAS = r"cuda(?!Host|MallocHost|MallocManaged|MemGetInfo|Device[GS]etLimit|PointerGet|StreamQuery|EventQuery)\w+"
# What an attempt may call besides its own C++ and the standard library: CUDA, the C library's functions that compute
# and print, and what compilers insert by themselves.
_CALLS = re.compile(
    rf"^({_CUDAS}|__cuda\w+|__nv\w*|"
    r"__tsan_(read|write|volatile|unaligned|func|init|vptr|atomic|memcpy|memset|memmove)\w*|__sanitizer_cov_trace_pc|"
    r"__sanitizer_annotate_contiguous_container|"  # of std::vector
    r"__ubsan_handle_(out_of_bounds|divrem_overflow)|lab_(mem(cpy|move|set)|[cm]alloc|realloc|free)|"
    r"__cxa_(allocate_exception|throw|free_exception|begin_catch|end_catch|rethrow|get_exception_ptr|atexit|"
    r"guard_acquire|guard_release|guard_abort|throw_bad_array_new_length|bad_cast|pure_virtual)|"
    r"__gxx_personality_v0|_Unwind_Resume|_GLOBAL_OFFSET_TABLE_|__dso_handle|__TMC_END__|_ITM_\w+|"
    # What compilers call for arithmetic that the processor has no instruction for.
    r"__(popcount|parity|clz|ctz|ffs|bswap|u?div|u?mod|u?divmod|mul|neg|u?cmp|ashl|ashr|lshr|fix|fixuns|float|floatun|"
    r"powi|extend|trunc)[a-z]{2,4}[23]?|"
    r"__gmon_start__|__stack_chk_fail|__assert_fail|"
    r"threadIdx|blockIdx|blockDim|gridDim|warpSize|"
    # Functions that print, or allocate host memory. No other C library function that follows a pointer, which the lab
    # would not see; and nothing that takes a FILE, which could lead to any of the program's pipes.
    r"printf|puts|putchar|fflush|__printf_chk|"
    r"malloc|calloc|realloc|free|abort|l{0,2}abs|l{0,2}div|"
    r"mem(cpy|move|set)|__mem(cpy|move|set)_chk|"
    r"(a?(sin|cos|tan)h?|atan2|exp(2|10|m1)?|log(2|10|1p|b)?|pow|sqrt|cbrt|hypot|floor|ceil|"
    r"l?l?round|trunc|l?l?rint|nearbyint|fmod|remainder|ldexp|scalbl?n|ilogb|fabs|fmin|fmax|"
    r"fdim|fma|copysign|nextafter|erfc?|[lt]gamma)[fl]?)(@.*)?$"
)
_CALLED_BY_NVCC = ("exit", "atexit")
# What clang, and the lab's plugin for it, insert by themselves.
_CALLED_BY_CLANG = ("__clang_call_terminate", "_ZSt9terminatev", "lab_copy_struct", "lab_set_struct")
# The emulator's functions that CUDA's headers call: none of its settings, its reports, its observer.
_CALLED_BY_HEADERS = frozenset(
    """
    HostRoom SharedVariable active_mask allocate_device allocate_pitched best_block_size
    check_argument_array
    block_barrier check_shuffle_width copy copy_2d copy_from_symbol copy_to_symbol current_counts dynamic_shared fill
    fill_2d get_function_attributes give_way grid_barrier identify_caller identifying in_kernel lane_id
    launch_is_cooperative nanoseconds occupancy ptx_nsmid read_launch_config release_device run_launch
    kernel_heap_free kernel_heap_malloc use_kernel_heap
    set_function_attribute symbol_address tell_of_active_mask tell_of_distance tell_of_rank trap warp_collective
    xorwow_jump
    AsyncBarrier arrive init_barrier is_complete is_parity_complete note_atomic_load note_wait tile_barrier tile_values
    wait_for_parity wait_for_phase
""".split()
)
# The host can read what a kernel leaves there without a call, and compute with it.
_SHARED_WITH_HOST = ("allocate_host", "allocate_managed", "release_host")
# What the C++ library's templates call to allocate and to fail, and its exceptions. Other compiled parts of that
# library (strings, streams, trees) access memory unseen by the lab.
_EXCEPTIONS = (
    r"(exception|bad_alloc|bad_cast|(runtime|logic|range|overflow|underflow|domain)_error|"
    r"invalid_argument|out_of_range|length_error)"
)
_LIBRARYS = re.compile(
    rf"^_Z(St\d+__throw_\w+|n[wa][mj]\w*|d[la]Pv\w*|St7nothrow|NKSt9exception4whatEv|"
    rf"NK?St\d+{_EXCEPTIONS}[CD][012]E\w+|T[IVS]St\d+{_EXCEPTIONS}|T[IV]N10__cxxabiv1\w+|TI[a-zPK]+|"
    rf"\d+{_CUDAS}|"
    r"N8tutorial10cuda_checkE\w+|N?K?8tutorial9CudaError\w*|T[IVS]N8tutorial9CudaErrorE)$"
)
# Files, processes and threads of the standard library, even if they are defined in the object.
_NOT_OF_STD = re.compile(
    r"^_Z.*(basic_[io]?fstream|basic_filebuf|10filesystem|13random_device|St6thread|St4exit|St10quick_exit|St6getenv|"
    r"St6system|St9terminate|St13set_terminate|St15set_new_handler|St6signal|St5async)"
)

# Namespaces of the library, and of what it is built on. Nothing may be defined in them; grading and lab may not even be
# called.
_NEVER = ("grading", "lab")
_NOT_DEFINED = (*_NEVER, "emulator", "tutorial", "std")
_VARIABLE = re.compile(r"^[A-Za-z][A-Za-z0-9]*([A-Z_][A-Za-z0-9_]*)?$")
# Placement new, and new in a kernel: defined by a header.
_HEADERS_NEW = re.compile(r"(mPv|PvS_)$|^_Zn[wa]I\w+EPv[mj]N8emulator10KernelHeapI")
_SECTION = re.compile(r"^ *\[ *(\d+)\] (\.\S+)", re.MULTILINE)
_ENTRY = re.compile(
    r"^ *\d+: [0-9a-f]+ +\S+ (?P<type>\S+) +(?P<bind>GLOBAL|WEAK|LOCAL|UNIQUE) +\S+ +(?P<where>\S+) (?P<name>\S+)"
)


def command(program_object: str) -> list[str]:
    """Prints what complaint() reads."""
    return ["readelf", "--wide", "--symbols", "--sections", program_object]


# Functions that copy and fill memory unseen by the lab, however they are called: by a pointer, by a reference, from the
# C++ library. Each becomes the lab's own, which sees what is read and written.
_UNSEEN = ("memcpy", "memmove", "memset")
# For grep -E: their lines in the list of an object's names.
UNSEEN_LINES = f" UND ({'|'.join(_UNSEEN)})$"


def watch_copies(program_object: str, watched: str) -> list[str]:
    """Writes the object `watched`, in which the lab sees what all of _UNSEEN do."""
    renames = [word for name in _UNSEEN for word in ("--redefine-sym", f"{name}=lab_{name}")]
    return ["objcopy", *renames, program_object, watched]


def complaint(
    listing: str,
    looks_at_calls: bool = True,
    is_cuda: bool = False,
    may_keep_variables: bool = False,
    is_clang: bool = False,
) -> str:
    """What is not allowed, in one line; empty: nothing is wrong.

    Names are checked whatever their type is: a variable or a bare label may stand for a function.
    `is_cuda`: nvcc has made the object, and puts calls of its own into it; `is_clang`: clang has. `may_keep_variables`:
    the exercise's own text does.
    """
    if re.search(r"^ *\[ *\d+\] \.preinit_array", listing, re.MULTILINE):
        return "code that runs before the grader's (.preinit_array) is not allowed here"
    sections = dict(_SECTION.findall(listing))
    for line in listing.splitlines():
        found = _ENTRY.match(line)
        if not found:
            continue
        if looks_at_calls and not (is_cuda or may_keep_variables) and _is_variable(found, sections):
            return (
                f"the code keeps the variable '{found.group('name')[:80]}' from one call to the next, which a kernel "
                "could leave results in for the host: that is not allowed here"
            )
        name, is_defined = found.group("name"), found.group("where") != "UND"
        if is_clang and name in _CALLED_BY_CLANG:
            if not is_defined or (name == _CALLED_BY_CLANG[0] and found.group("bind") == "WEAK"):
                continue
        if looks_at_calls and found.group("type") != "FILE" and not (is_cuda and name in _CALLED_BY_NVCC):
            words = _not_called(name, is_cuda) if not is_defined or _NOT_OF_STD.match(name) else ""
            if words and _namespace(name) not in _NEVER:
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
            # The name of a variable outside namespaces is not mangled; it is harmless unless it is a library's.
            if name == "main":
                return "no main() is needed here: the check itself calls your functions"
            if found.group("type") == "FUNC" or _CALLS.match(name) or not _VARIABLE.match(name):
                whose = "a name of the C library or of the compiler"
                return f"the code defines '{name}', {whose}: that is not allowed here"
            continue
        if re.match(r"_Z(n[wa]|d[la])", name) and not _HEADERS_NEW.search(name):
            return "the code replaces operator new or delete: that is not allowed here"
        if space in _NOT_DEFINED and found.group("bind") == "GLOBAL":
            return f"the code defines something in the namespace '{space}': that is not allowed here"
    return ""


def _is_variable(found: re.Match, sections: dict[str, str]) -> bool:
    """Whether the entry is a variable that can be written and outlives a function's call, and is not the emulator's."""
    section = sections.get(found.group("where"), "COMMON" if found.group("where") == "COM" else "")
    is_written = re.match(r"\.t?(bss|data)\b|COMMON", section) is not None and not section.startswith(".data.rel.ro")
    name = found.group("name")
    return (
        found.group("type") in ("OBJECT", "TLS")
        and is_written
        and not re.match(r"DW\.ref\.|_Z(GV)?(ZN8emulator|N8emulator13KernelHeapUse)", name)
    )


def _not_called(name: str, is_cuda: bool) -> str:
    """Why this may not be called or used; empty if it may."""
    shown = name.partition("@")[0]
    words = f"the code uses '{shown[:80]}', which no exercise needs: that is not allowed here"
    if not shown.startswith("_Z"):
        return "" if _CALLS.match(name) else words
    if _NOT_OF_STD.match(shown):
        return words
    found = re.match(r"_Z(?:GV)?NK?8emulator(\d+)(\w+)", shown)
    if found:
        function = found.group(2)[: int(found.group(1))]
        if function in _SHARED_WITH_HOST:
            return "memory that the host and the device share is not needed: it is not allowed here"
        return (
            "" if function in _CALLED_BY_HEADERS else "the code uses settings of the emulator: that is not allowed here"
        )
    # With nvcc, host and device code are compiled separately, and a kernel cannot call a library's function.
    return "" if is_cuda or _LIBRARYS.match(shown) else words


def _namespace(name: str) -> str:
    """The outermost namespace of a mangled name, as far as it is one of those above."""
    found = re.match(r"_Z(?:T[VTIS]|GV)?N[KVrRO]*(St|\d+)(\w*)", name)
    if not found:
        return "std" if name.startswith("_ZSt") else ""
    length = found.group(1)
    return "std" if length == "St" else found.group(2)[: int(length)]
