"""Blanks that try to pass without being right, by kind: each must be refused with the reason `forbidden`.
Those with unbalanced braces are refused as a compiler would, with `compile`.

Each is a piece of code for one place in the right answer to an exercise: ABOVE it, where functions are, or on
the HOST, in the launcher.
"""

from __future__ import annotations

_KERNEL = "__global__ void mine_kernel(int* keys) { keys[0] = 1; }"

# This marks a place that a reader takes for text and a compiler for code.
_HIDDEN = 'asm volatile("nop");'

ABOVE: dict[str, list[str]] = {
    "code_that_looks_like_a_text": [
        f'const char* mine() {{ const char* a = R"( )\\\n" x )"; {_HIDDEN} const char* b = ""; return a + (b - a); }}',
        f"#define S(x)\nS(1_g'x) inline void mine() {{ {_HIDDEN} }} S(1_g'x)",
        f"#define S(x)\nS(1'.'x) inline void mine() {{ {_HIDDEN} }} S(1'.'x)",
        f"#define S(x)\nS(1e+'x) inline void mine() {{ {_HIDDEN} }} S(1e+'x)",
        "#define S(x)\nS(0b1_z'k) __attribute__((no_sanitize_thread)) S(0b1_z'k) inline void mine() {}",
        f'#define $R\ninline const char* mine() {{ $R"(" ; {_HIDDEN} return ")"; }}',
        f'inline const char* mine() {{ "a"R"(" ; {_HIDDEN} return ")"; }}',
        "inline int mine() { return a'b'; }",
    ],
    "a_line_that_is_joined_to_an_include": [
        f"#include <vector> // \\\ninline void mine() {{ {_HIDDEN} }}",
        f"#include <vector> //\\\n__attribute__((no_sanitize_thread)) {_KERNEL}",
        f"#include <vector>\\\ninline void mine() {{ {_HIDDEN} }}",
        f"#include <vector> \\\ninline void mine() {{ {_HIDDEN} }}",
        f"\t# include < cstddef > // words \\\ninline void mine() {{ {_HIDDEN} }}",
        f"#include <vector> // \\\n#include <array> // \\\ninline void mine() {{ {_HIDDEN} }}",
        f"#include <vector> // \\\n// \\\ninline void mine() {{ {_HIDDEN} }}",
        f"#include <vector> // \\ \ninline void mine() {{ {_HIDDEN} }}",
        f"#include <vector> // \\\\\ninline void mine() {{ {_HIDDEN} }}",
        f"#include <cuda_runtime.h> // \\\ninline void mine() {{ {_HIDDEN} }}",
        f'#include "../../common/harness/cuda_check.hpp" // \\\ninline void mine() {{ {_HIDDEN} }}',
        '#include <vector> // \\\nextern "C" int memcmp(const void*, const void*, unsigned long) { return 0; }',
        f"int a;\n#include <vector> // \\\n}} inline void mine() {{ {_HIDDEN}",
    ],
    "instrumentation_off": [
        f'__attribute__((no_sanitize("thread"))) {_KERNEL}',
        f"__attribute__((no_sanitize_thread)) {_KERNEL}",
        f"__attribute((no_sanitize_address)) {_KERNEL}",
        f"[[gnu::no_sanitize_thread]] {_KERNEL}",
        f'[[gnu::no_sanitize("thread")]] {_KERNEL}',
        f"[ [gnu::no_sanitize_thread] ] {_KERNEL}",
        f"[[using gnu: no_sanitize_thread, optimize(3)]] {_KERNEL}",
        f"<:<:gnu::no_sanitize_thread:>:> {_KERNEL}",
        f"#define QUIET __attribute__((no_sanitize_thread))\nQUIET {_KERNEL}",
        f"#define A(x, y) x##y\nA(__attri, bute__)((no_sanitize_thread)) {_KERNEL}",
        f"__attri\\\nbute__((no_sanitize_thread)) {_KERNEL}",
        f"/* one */ __attribute__ /* two */ ((optimize(0))) {_KERNEL}",
        "#pragma GCC optimize 3",
        "#pragma GCC push_options",
        "%:pragma GCC optimize 3",
        "#pr\\\nagma GCC optimize 3",
        '_Pragma("GCC optimize 3")',
        "__extension__ int number = 3;",
    ],
    "names_of_the_assembler": [
        "#pragma redefine_extname memcmp mine",
        "#pragma weak memcmp",
        'int mine asm("memcmp") = 0;',
        'int mine __asm__("write") = 0;',
        'int mine __asm("_exit") = 0;',
        'asm(".globl memcmp\\nmemcmp: xor %eax, %eax\\n ret");',
        'asm(".symver mine, memcmp@GLIBC_2.2.5");',
        'a\\\nsm(".globl memcmp");',
        'void mine() { asm volatile("syscall"); }',
        '__asm__(R"(.pushsection .preinit_array)");',
    ],
    "closed_brace": [
        "}\nint host_code = 1;\nnamespace {",
        "} // {",
        '} const char* const text = "{";',
        "} const char text = '{';",
        '} const char* const text = R"({)";',
        '} const char* const text = u8R"x({)x"; ',
        '} const char* const text = LR"({")" ; ',
        "#if 0\n{\n#endif\n}",
        "#define OPENS {\n}\nvoid mine() OPENS",
        "#ifdef __CUDACC__\n}\n#else\n{\n#endif",
        "} /* { */",
        "<% } %> }",
        "void mine() {",
    ],
    "the_graders_names": [
        "namespace grading { struct Grader { int run(int, char**); }; }",
        "namespace grading::detail { struct Failure; }",
        "namespace lab { int leaks(); }\nint cheat() { return lab::leaks(); }",
        "namespace emulator { void set_observer(void*); }",
        "void mine() { emulator::set_observer(nullptr); }",
        "void mine() { ::emulator :: clear_report(); }",
        "namespace tutorial { void mine() {} }",
        "namespace std { int mine() { return 1; } }",
        "using namespace grading;",
        "namespace g = grading;",
        "inline namespace emulator { int mine; }",
        "namespace a::lab { int mine; }",
        "namespace gra\\\nding { int mine; }",
        "namespace abi { int mine; }",
    ],
    "c_functions": [
        'extern "C" int memcmp(const void*, const void*, unsigned long) { return 0; }',
        'extern "C" { long write(int, const void*, unsigned long); }',
        'extern /* a */ "C" void _exit(int);',
        'extern R"(C)" void _exit(int);',
        'extern\n"C" void _exit(int);',
        'extern u8"C" void _exit(int);',
        "int strtomine = 3;",
        "int write = 3;\nint __environ = 0;",
    ],
    "forged_exceptions": [
        "#include <cxxabi.h>",
        "void mine() { abi::__cxa_throw(nullptr, nullptr, nullptr); }",
        "void mine(void* p) { __cxa_throw(p, nullptr, nullptr); }",
        "void __cxa_throw(void*, void*, void (*)(void*));",
        "void mine() { __builtin_eh_return(0, nullptr); }",
        "void* mine() { return __builtin_frame_address(1); }",
        "void* mine() { return __builtin_return_address(0); }",
        "void mine() { __builtin_longjmp(nullptr, 1); }",
        "#define T __cxa_throw\nint t = sizeof(T);",
    ],
    "the_labs_hooks": [
        "void __tsan_read4(void*) {}",
        "void __tsan_func_entry(void*);\nvoid mine() { __tsan_func_entry(nullptr); }",
        "void __sanitizer_cov_trace_pc() {}",
        "extern int __data_start;",
        "extern char** __environ;",
        "void __interceptor_memcpy();",
    ],
    "macros_that_change_the_rest": [
        "#define __syncthreads() __syncwarp()",
        "#define min(a, b) (a)",
        "#define if(x) while (x)",
        "#define compare(a, b, c, d, e)",
        "#define kThreads 32",
        "#undef CUDA_CHECK_LAUNCH\n#define CUDA_CHECK_LAUNCH()",
        "#define cudaMemcpy(...) cudaSuccess",
        "#define _Float128 int",
        "#define NS emulator\nvoid mine() { NS::current_counts->barriers = 0; }",
        "#define AT(space, name) space::name\nvoid mine() { AT(emulator, set_observer)(nullptr); }",
        "#define NS grading\nNS::Grader* mine;",
        "#define NS lab",
        "#define A(x) x tutorial\n",
        '#if __has_include("/etc/passwd")\nint x;\n#endif',
        "%:define A 1",
        "??=define A 1",
    ],
    "variables_that_stay": [
        "int mine[100];",
        "static int mine = 3;\nint next() { return ++mine; }",
        "int* buffer() { static int mine[70000]; return mine; }",
        "struct Kept { static int mine[70000]; };\nint Kept::mine[70000];",
        "thread_local int mine = 3;",
    ],
    "the_devices_variables": [
        "__device__ int copy[70000];",
        "__device__ unsigned count = 0;",
        "__managed__ int copy[4];",
        "__constant__ int table[4] = {1, 2, 3, 4};",
        "static __device__ float* place;",
    ],
    "headers": [
        f"#include <{name}>"
        for name in (
            "unistd.h",
            "fcntl.h",
            "sys/mman.h",
            "sys/ptrace.h",
            "sys/syscall.h",
            "dlfcn.h",
            "link.h",
            "execinfo.h",
            "signal.h",
            "csignal",
            "setjmp.h",
            "csetjmp",
            "pthread.h",
            "thread",
            "fstream",
            "filesystem",
            "cxxabi.h",
            "typeinfo",
            "exception",
            "sanitizer/tsan_interface.h",
            "elf.h",
            "sys/socket.h",
            "spawn.h",
            "ucontext.h",
        )
    ]
    + [
        '#include "/proc/self/environ"',
        '#include "/etc/passwd"',
        '#include "common/grading/lib/verdict.hpp"',
        '#include "../../common/grading/lib/verdict.hpp"',
        '#include "common/lab/include/lab/lab.hpp"',
        '#include "emulator/hooks.hpp"',
        "#include <emulator/hooks.hpp>",
        "#define HEADER <unistd.h>\n#include HEADER",
        "#inc\\\nlude <unistd.h>",
        "#include_next <unistd.h>",
        "#import <unistd.h>",
        '#line 1 "/etc/passwd"',
        '#ident "mine"',
        '# 1 "other.cu"',
        f'#include "{"x" * 300}.hpp"',
    ],
    "the_standard_library": [
        "#include <vector>\ntemplate <> inline void std::vector<int>::clear() noexcept {}",
        "#include <cstddef>\nvoid* operator new(std::size_t);",
        "void operator delete(void*) noexcept {}",
        "void operator\ndelete[](void*) noexcept {}",
        "int m\\u0061in2 = 3;",
    ],
}

# Those of closed_brace that also contain something forbidden; the others do not compile.
FORBIDDEN_BRACES = tuple(f"closed_brace_{number}" for number in (5, 6, 7, 9, 12))

HOST: dict[str, list[str]] = {
    "unseen_reads_and_writes": [
        "std::string s(reinterpret_cast<const char*>(d_keys), 4); d_keys[0] = s[0];",
        "std::qsort(d_keys, count, 4, [](const void*, const void*) { return 0; });",
        'std::snprintf(reinterpret_cast<char*>(d_keys), 4, "%d", 5);',
        "if (std::strlen(reinterpret_cast<char*>(d_keys)) > 3) return;",
        "int* p = nullptr; CUDA_CHECK(cudaMallocManaged(&p, 4)); CUDA_CHECK(cudaFree(p));",
        "int* p = nullptr; CUDA_CHECK(cudaMallocHost(&p, 4)); CUDA_CHECK(cudaFreeHost(p));",
        "int x = 3; CUDA_CHECK(cudaHostRegister(&x, 4, 0));",
    ],
    "pipes": [
        'stdout->_fileno = 4; std::puts("x");',
        'std::fputs("x", stdout);',
        'std::fprintf(stderr, "x");',
        "std::fwrite(d_keys, 1, 4, stdout);",
        "std::getchar();",
    ],
    "calls": [
        "std::exit(0);",
        "std::_Exit(0);",
        "std::quick_exit(0);",
        "std::atexit(nullptr);",
        'std::getenv("GRADING_VERDICT_FD");',
        'std::system("true");',
        'std::remove("mine");',
        'std::rename("a", "b");',
        'std::fopen("/proc/self/mem", "r+");',
        'std::freopen("/dev/null", "w", stdout);',
        "std::tmpfile();",
        "std::setvbuf(stdout, nullptr, _IONBF, 0);",
        "std::fclose(stdout);",
        "std::at_quick_exit(nullptr);",
        "std::srand(3);",
        "if (std::rand() == 3) return;",
        "errno = 3;",
    ],
}


def blanks(right: str, launcher_begins: int) -> dict[str, str]:
    """The blank of each student, by name; `launcher_begins`: where the launcher's body begins in `right`."""
    made = {}
    for kind, pieces in ABOVE.items():
        for number, piece in enumerate(pieces, 1):
            made[f"{kind}_{number}"] = f"{piece}\n{right}"
    for kind, pieces in HOST.items():
        for number, piece in enumerate(pieces, 1):
            head = "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n"
            made[f"{kind}_{number}"] = f"{head}{right[:launcher_begins]}    {piece}\n{right[launcher_begins:]}"
    return made
