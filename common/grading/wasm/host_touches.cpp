// In place of ../worker/host_touches.cpp. WebAssembly has no memory that is protected: what the
// host touches in the program that is watched, the lab sees.
#include "../worker/host_touches.hpp"

namespace grading::worker {

void note_touches() {}

const void* take_touch() { return nullptr; }

}  // namespace grading::worker
