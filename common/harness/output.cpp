#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fmt.hpp"
#include "options.hpp"

namespace tutorial {

void keep_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
        // Takes the lowest number that is free, which is this one.
        if (::open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
    }
}

void finish_output(std::FILE* out) {
    errno = 0;
    const bool has_failed_before = std::ferror(out) != 0;
    if (has_failed_before) {
        // The reason is gone with the buffer; another try returns it, if it persists.
        std::clearerr(out);
        std::fputc('\n', out);
    }
    if (std::fflush(out) == 0 && !has_failed_before) return;
    throw ResourceError(fmt::format("standard output cannot be written: {}",
                                    std::strerror(errno != 0 ? errno : EIO)));
}

}  // namespace tutorial
