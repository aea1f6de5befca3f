// gallery_more NAME: runs one program of this folder.
#include <cstdio>
#include <cstring>

namespace {

struct Program {
    const char* name;
    int (*run)();
};

}  // namespace

#include "programs.inc"

int main(int argc, char** argv) {
    for (const Program& each : programs) {
        if (argc == 2 && std::strcmp(argv[1], each.name) == 0) return each.run();
    }
    std::fprintf(stderr, "usage: gallery_more NAME, one of\n");
    for (const Program& each : programs) std::fprintf(stderr, "  %s\n", each.name);
    return 2;
}
