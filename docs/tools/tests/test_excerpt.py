import unittest

import support  # noqa: F401
from errors import DocsError
from excerpt import extract

SOURCE = '''// A header comment that names shared_kernel(int) { and a brace.
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
'''


class Extract(unittest.TestCase):
    def test_a_kernel_is_taken_whole_and_verbatim(self):
        code = extract(SOURCE, "shared_kernel")
        self.assertTrue(code.startswith("template <class Key>\n__global__ __launch_bounds__(1024) void shared_kernel("))
        self.assertTrue(code.endswith("    keys[0] = s[1'0];\n}"))
        self.assertIn(code, SOURCE)

    def test_the_comment_above_comes_only_when_asked_for(self):
        self.assertTrue(extract(SOURCE, "shared_kernel", comment=True).startswith("// The idea: one block.\n// The cost"))

    def test_a_call_or_a_declaration_is_no_definition(self):
        self.assertRaisesRegex(DocsError, "no definition of swap_keys", extract, SOURCE, "swap_keys")
        self.assertRaisesRegex(DocsError, "no definition of shared_kernel_fits", extract, SOURCE, "shared_kernel_fits")

    def test_overloads_are_numbered(self):
        self.assertIn("<<<1, n, 8>>>", extract(SOURCE, "shared"))
        self.assertEqual(extract(SOURCE, "shared#2"), "void shared(int* d_keys) { shared<int>(d_keys, 1); }")
        self.assertRaisesRegex(DocsError, "number 3", extract, SOURCE, "shared#3")

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


if __name__ == "__main__":
    unittest.main()
