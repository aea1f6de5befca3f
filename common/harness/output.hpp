// What happens if standard output is closed, full or gone: one line says so; results are never lost
// silently.
#pragma once

#include <cstdio>

namespace tutorial {

/// Gives closed standard streams /dev/null, so that the next file that is opened does not become
/// standard output and get the table. Writing to a closed standard output still fails:
/// finish_output then says so.
void keep_standard_streams();

/// Writes out what is buffered. Throws ResourceError if not all of it could be written.
void finish_output(std::FILE* out);

}  // namespace tutorial
