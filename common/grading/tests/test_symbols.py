"""What an attempt's object file may not hold, on real object files."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support  # puts the tool's folder on the path
from grading.rules import symbols


@unittest.skipUnless(shutil.which("g++") and shutil.which("readelf"), "needs g++ and readelf")
class SymbolsTest(unittest.TestCase):
    def complaint(self, code: str, is_clang: bool = False) -> str:
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder, "a.cpp"), str(Path(folder, "a.o"))
            source.write_text(code)
            subprocess.run(["g++", "-std=c++17", "-O1", "-c", str(source), "-o", made], check=True)
            listed = subprocess.run(symbols.command(made), check=True, stdout=subprocess.PIPE, text=True)
            return symbols.complaint(listed.stdout, is_clang=is_clang)

    def test_usual_code(self):
        self.assertEqual(
            self.complaint(
                "#include <string>\n#include <vector>\n#include <stdexcept>\n"
                'const int counter = 3;\nstatic const char* const hidden = "x";\n'
                "struct Shape { virtual ~Shape() = default; };\n"
                "namespace labels { constexpr int number = 3; int next() { return number; } }\n"
                "inline int once() { std::vector<int> all(3); return int(all.size()); }\n"
                "int run(Shape*) { if (once() == 1) throw std::runtime_error(hidden); return counter; }\n"
            ),
            "",
        )

    def test_the_graders_namespaces(self):
        self.assertIn(
            "'grading'",
            self.complaint(
                "namespace grading { struct Grader { int run(int, char**); }; }\n"
                "int cheat() { return grading::Grader().run(0, nullptr); }\n"
            ),
        )
        self.assertIn("'grading'", self.complaint("namespace grading::detail { void tell_verdict() {} }"))
        self.assertIn("'lab'", self.complaint("namespace lab { int leaks(); }\nint cheat() { return lab::leaks(); }"))

    def test_definitions_elsewhere(self):
        for space in ("emulator", "tutorial", "std"):
            self.assertIn(f"'{space}'", self.complaint(f"namespace {space} {{ void mine() {{}} }}"))

    def test_c_functions(self):
        code = 'extern "C" {} int memcmp(const void*, const void*, unsigned long) {{ return 0; }}'
        for words in ("", "__attribute__((weak))"):
            self.assertIn("'memcmp'", self.complaint(code.format(words)))

    def test_functions_that_the_lab_does_not_see(self):
        for name, code in (
            ("basic_string", "#include <string>\nint f(const char* p) { std::string s; s.append(p, 4); return s[0]; }"),
            ("qsort", "#include <cstdlib>\nvoid f(int* p, int (*c)(const void*, const void*)) { qsort(p, 4, 4, c); }"),
            ("modff", "#include <cmath>\nvoid f(float x, float* p) { modff(x, p); }"),
            ("snprintf", '#include <cstdio>\nvoid f(char* p, const char* q) { std::snprintf(p, 4, "%s", q); }'),
            ("stdout", '#include <cstdio>\nvoid f() { std::fputs("x", stdout); }'),
            ("memchr", "#include <cstring>\nvoid* f(void* p, int c) { return std::memchr(p, c, 1); }"),
            (
                "_List_node_base",
                "#include <list>\nvoid f(std::list<int>& a, std::list<int>& b) { a.splice(a.end(), b); }",
            ),
        ):
            self.assertIn(name, self.complaint(code))

    def test_variables_that_stay(self):
        """On the emulator a kernel could write to them and the host could read them, without a copy."""
        for code in (
            "int mine[100];",
            "static int mine = 3;\nint f() { return ++mine; }",
            "int f() { static int mine[3]; return ++mine[1]; }",
            "template <class T> T mine;\nint f() { return ++mine<int>; }",
            "struct S { static int mine; };\nint S::mine = 3;",
            "thread_local int mine = 3;",
            "inline int* f() { static int mine[3]; return mine; }\nint* g() { return f(); }",
        ):
            self.assertIn("keeps the variable", self.complaint(code), code)

    def test_memory_that_host_and_device_share(self):
        for code in (
            "namespace emulator { int allocate_managed(void**); }\n"
            "int f(void** p) { return emulator::allocate_managed(p); }",
            "int cudaHostRegister(void*);\nint f(void* p) { return cudaHostRegister(p); }",
        ):
            self.assertIn("not allowed", self.complaint(code))

    def test_what_cudas_headers_call(self):
        """Shuffles, __activemask() and groups: the emulator's symbols that such code leaves undefined."""
        code = "namespace emulator {{ void {0}(); }}\nvoid f() {{ emulator::{0}(); }}"
        header = Path(support.paths.COMMON, "emulator/include/emulator/warp.hpp").read_text(encoding="utf-8")
        declared = re.findall(r"^(?:void|int|unsigned) (\w+)\(.*\)(?: noexcept)?;$", header, re.MULTILINE)
        self.assertIn("tell_of_distance", declared)
        self.assertEqual({name: self.complaint(code.format(name)) for name in declared}, dict.fromkeys(declared, ""))

    def test_the_emulators_settings(self):
        code = "namespace emulator {{ void {0}(); }}\nvoid f() {{ emulator::{0}(); }}"
        self.assertEqual(self.complaint(code.format("run_launch")), "")
        for name in ("set_observer", "device_extents", "keep_host_out", "memory", "settings"):
            self.assertIn("settings of the emulator", self.complaint(code.format(name)))

    def test_main_is_not_needed(self):
        self.assertIn("no main() is needed here", self.complaint("int main() { return 0; }"))

    def test_the_heap_of_kernels(self):
        """What malloc and new become in kernels, with the variable that records it; no other such variable is
        allowed."""
        heap = (
            "namespace emulator {\nvoid* kernel_heap_malloc(unsigned long);\nvoid kernel_heap_free(void*);\n"
            "bool use_kernel_heap();\n"
            + "".join(
                f"template <class T = void>\nstruct {name} {{ static inline const bool told = use_kernel_heap(); }};\n"
                for name in ("KernelHeapUse", "Other")
            )
            + "}\n"
        )
        uses = "void* f(void* p) { (void)emulator::%s<>::told; emulator::kernel_heap_free(p); return %s; }"
        calls = "emulator::kernel_heap_malloc(4)"
        self.assertEqual(self.complaint(heap + uses % ("KernelHeapUse", calls)), "")
        self.assertIn("keeps the variable", self.complaint(heap + uses % ("Other", calls)))

    def test_operator_new(self):
        """Replacing it is refused; placement new, which a header defines, is not."""
        for name in ("new", "new[]"):
            code = f"#include <cstdlib>\nvoid* operator {name}(std::size_t bytes) {{ return std::malloc(bytes); }}"
            self.assertIn("replaces operator new", self.complaint(code))
        for name in ("delete", "delete[]"):
            code = f"#include <cstdlib>\nvoid operator {name}(void* p) noexcept {{ std::free(p); }}"
            self.assertIn("replaces operator new or delete", self.complaint(code))
        code = "#include <new>\nusing New = void* (*)(std::size_t, void*);\nNew f() { return ::%s; }"
        for name in ("operator new", "operator new[]"):
            self.assertEqual(self.complaint(code % name), "")
        heap = "#include <cstddef>\nnamespace emulator { template <class T> struct KernelHeap {}; }\n"
        heap += (
            "template <class T> void* operator %s(std::size_t, emulator::KernelHeap<T>) noexcept { return nullptr; }\n"
        )
        for name in ("new", "new[]"):
            code = heap % name + f"void* f() {{ return ::operator {name}(4, emulator::KernelHeap<void>()); }}"
            self.assertEqual(self.complaint(code), "")

    def test_what_only_clang_puts_in(self):
        calls = (
            'extern "C" void* lab_copy_struct(void*, const void*, unsigned long);\n'
            "void f(int* to, int* from) { lab_copy_struct(to, from, 4096ul << 32 | 4096); }"
        )
        ends = "namespace std { [[noreturn]] void terminate() noexcept; }\nvoid f() { std::terminate(); }"
        handler = (
            'extern "C" [[gnu::noinline]] inline void __clang_call_terminate(void*) { asm(""); }\n'
            "void f() { __clang_call_terminate(nullptr); }"
        )
        for code in (calls, ends, handler):
            self.assertIn("not allowed", self.complaint(code), code)
            self.assertEqual(self.complaint(code, is_clang=True), "", code)
        defines = 'namespace std { [[gnu::noinline]] inline void terminate() noexcept { for (;;) asm(""); } }\n'
        self.assertIn("not allowed", self.complaint(defines + "void f() { std::terminate(); }", is_clang=True))

    def test_early_code(self):
        self.assertIn(
            "preinit",
            self.complaint(
                "static void early() {}\n"
                '__attribute__((section(".preinit_array"), used)) static void (*first)() = early;'
            ),
        )
        self.assertIn(
            "ifunc",
            self.complaint(
                'static int right() { return 1; }\nstatic int (*pick())() asm("pick");\n'
                'static int (*pick())() { return right; }\nint chosen() __attribute__((ifunc("pick")));'
            ),
        )


if __name__ == "__main__":
    unittest.main()
