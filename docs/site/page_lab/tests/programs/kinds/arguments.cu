// Arguments, an empty standard input, both streams, an exit code of its own.
#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) std::printf("%d: %s, %zu\n", i, argv[i], std::strlen(argv[i]));
    std::fprintf(stderr, "input: %d\n", std::getchar());
    return 3;
}
