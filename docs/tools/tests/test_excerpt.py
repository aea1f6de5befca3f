import unittest

import sample_repository
from errors import DocsError
from excerpt import extract, line_number, quote

SOURCE = """// A header comment that names shared_kernel(int) { and a brace.
#include <vector>
#define BRACE {
constexpr int kSteps = 2 * (3 + 4);

__device__ void swap_keys(float& a, float& b);

// The idea: one block.
// The cost: one multiprocessor.
template <class Key>
__global__ __launch_bounds__(1024) void shared_kernel(Key* keys, int n) {
    extern __shared__ Key s[];  // "}" in a comment }
    const char* text = "}}";
    char brace = '}';
    for (int i = 0; i < n; ++i) {
        s[i] = keys[i];
        __syncthreads();
    }
    keys[0] = s[1'0];
}

namespace {
struct Pair {
    int a;
    int sum() const { return a; }
};
}  // namespace

template <class Key>
void shared(Key* d_keys, int n) {
    if (shared_kernel_fits(n)) {
        shared_kernel<Key><<<1, n, 8>>>(d_keys, n);
    }
}

void shared(int* d_keys) { shared<int>(d_keys, 1); }

class Chapter {
  public:
    explicit Chapter(int n) : n_(n), v_{1} {}
    int size() const noexcept { return n_; }

  private:
    int n_;
};

static const std::vector<int> kTable = {
    1,
    2,
};
"""


class Extract(unittest.TestCase):
    def test_a_kernel_is_taken_whole_and_verbatim(self):
        code = extract(SOURCE, "shared_kernel")
        self.assertTrue(code.startswith("template <class Key>\n__global__ __launch_bounds__(1024) void shared_kernel("))
        self.assertTrue(code.endswith("    keys[0] = s[1'0];\n}"))
        self.assertIn(code, SOURCE)

    def test_the_comment_above_comes_only_when_asked_for(self):
        self.assertTrue(
            extract(SOURCE, "shared_kernel", comment=True).startswith("// The idea: one block.\n// The cost")
        )

    def test_a_call_or_a_declaration_is_no_definition(self):
        self.assertRaisesRegex(DocsError, "no definition of swap_keys", extract, SOURCE, "swap_keys")
        self.assertRaisesRegex(DocsError, "no definition of shared_kernel_fits", extract, SOURCE, "shared_kernel_fits")

    def test_overloads_are_told_apart_by_how_they_begin(self):
        self.assertIn("<<<1, n, 8>>>", extract(SOURCE, "shared(Key* d_keys, int n)"))
        self.assertIn("<<<1, n, 8>>>", extract(SOURCE, "shared( Key"))
        self.assertEqual(extract(SOURCE, "shared(int*"), "void shared(int* d_keys) { shared<int>(d_keys, 1); }")
        self.assertRaisesRegex(DocsError, r"no definition of shared\(float", extract, SOURCE, "shared(float")

    def test_a_name_of_two_definitions_needs_more(self):
        self.assertRaisesRegex(
            DocsError,
            r'shared is ambiguous: .*"shared\(Key\* d_keys, int n\)" \(line 29.*; "shared\(int\* d_keys\)"',
            extract,
            SOURCE,
            "shared",
        )
        self.assertRaisesRegex(DocsError, "is ambiguous", extract, SOURCE, "shared(")

    def test_a_number_chooses_nothing(self):
        for name in ("shared#1", "kSteps#1", "#1", ""):
            self.assertRaisesRegex(DocsError, "is not a name: a definition is chosen by", extract, SOURCE, name)

    def test_what_a_function_holds_is_no_definition(self):
        local = "void f() {\n    const int passes = 1;\n    auto g = [](int a) { return a; };\n}\n\nvoid passes() {}\n"
        self.assertEqual(extract(local, "passes"), "void passes() {}")
        self.assertRaisesRegex(DocsError, "no definition of g", extract, local, "g")
        source = "struct alignas(16) Pair {\n    int get() const { int at = 0; return at; }\n    int at = 1;\n};\n"
        self.assertEqual(extract(source, "at"), "int at = 1;")
        table = "const std::vector<Row> kRows = {{1, f(x)}, {2, [] { int inner = 1; return inner; }}};\n"
        self.assertRaisesRegex(DocsError, "no definition of inner", extract, table, "inner")
        kept = 'extern "C" {\nint kept = 1;\n}\nnamespace a::b {\nstruct Empty {};\n}\n'
        self.assertEqual(extract(kept, "kept"), "int kept = 1;")
        self.assertEqual(extract(kept, "Empty"), "struct Empty {};")

    def test_specialisations(self):
        source = "template <class T>\nstruct Traits {};\ntemplate <>\nstruct Traits<float> {\n    int a;\n};\n"
        self.assertEqual(extract(source, "Traits<float>"), "template <>\nstruct Traits<float> {\n    int a;\n};")
        self.assertRaisesRegex(DocsError, "Traits is ambiguous", extract, source, "Traits")
        self.assertEqual(extract(source, "Traits {"), "template <class T>\nstruct Traits {};")

    def test_types_members_and_constants(self):
        self.assertEqual(extract(SOURCE, "Pair"), "struct Pair {\n    int a;\n    int sum() const { return a; }\n};")
        self.assertEqual(extract(SOURCE, "size"), "int size() const noexcept { return n_; }")
        self.assertEqual(extract(SOURCE, "kSteps"), "constexpr int kSteps = 2 * (3 + 4);")
        self.assertEqual(extract(SOURCE, "kTable"), "static const std::vector<int> kTable = {\n    1,\n    2,\n};")

    def test_lines_between_two_expressions_move_to_the_margin(self):
        code = extract(SOURCE, "shared_kernel", first=r"for \(", last="syncthreads")
        self.assertEqual(code, "for (int i = 0; i < n; ++i) {\n    s[i] = keys[i];\n    __syncthreads();")
        self.assertRaisesRegex(DocsError, "matches /absent/", extract, SOURCE, "shared_kernel", "absent")
        self.assertRaisesRegex(DocsError, "matches /absent/", extract, SOURCE, "shared_kernel", "for", "absent")
        self.assertRaisesRegex(DocsError, "not a regular expression", extract, SOURCE, "shared_kernel", "keys(")

    def test_the_number_of_a_line(self):
        lines = SOURCE.split("\n")
        self.assertEqual(lines[line_number(SOURCE, "kSteps") - 1], "constexpr int kSteps = 2 * (3 + 4);")
        found = line_number(SOURCE, "shared_kernel", "__syncthreads")
        self.assertEqual(lines[found - 1].strip(), "__syncthreads();")
        self.assertEqual(
            lines[line_number(SOURCE, "shared_kernel", "The cost") - 1], "// The cost: one multiprocessor."
        )
        self.assertRaisesRegex(DocsError, "no line of kSteps matches", line_number, SOURCE, "kSteps", "absent")
        self.assertRaisesRegex(
            DocsError, "ambiguous in shared_kernel: lines", line_number, SOURCE, "shared_kernel", "s.i.|n"
        )
        self.assertRaisesRegex(DocsError, "not a regular expression", line_number, SOURCE, "shared_kernel", "(")

    def test_a_quotation_of_the_code_or_of_its_comment(self):
        self.assertEqual(quote(SOURCE, "shared_kernel", r"The cost: (\w+) multi"), "one")
        self.assertEqual(quote(SOURCE, "shared_kernel", r"launch_bounds__\((\d+)\)"), "1024")
        self.assertEqual(quote(SOURCE, "kSteps", r"2 \* \(3 . 4\)"), "2 * (3 + 4)")
        self.assertRaisesRegex(DocsError, "no line", quote, SOURCE, "kSteps", "absent")
