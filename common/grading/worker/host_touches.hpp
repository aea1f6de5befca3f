// Does the host's code touch device memory without calling CUDA?
#pragma once

namespace grading::worker {

/// From here on, until emulator::keep_host_out(false), the first touch is recorded.
void note_touches();

/// Where it was, if there was one since the last call; otherwise null.
const void* take_touch();

}  // namespace grading::worker
