// The threads that run blocks. They are started once and wait between launches.
#pragma once

namespace emulator {

struct Launch;

/// Runs the launch to its end, or to its failure, on this thread and on the workers.
void run_on_workers(Launch& launch);

}  // namespace emulator
