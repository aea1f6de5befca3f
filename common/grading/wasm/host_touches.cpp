// In place of ../worker/host_touches.cpp. WebAssembly cannot protect memory: the lab sees what the
// host touches in the watched program.
#include "../worker/host_touches.hpp"

namespace grading::worker {

void note_touches() {}

const void* take_touch() { return nullptr; }

}  // namespace grading::worker
