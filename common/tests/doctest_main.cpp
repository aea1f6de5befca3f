// The main() of every test program: doctest's own, with its options (--help, --test-case=...).
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
