#include "messages.hpp"

#include <unistd.h>

#include <cerrno>

namespace grading::detail {

Channel::~Channel() {
    close(from_);
    close(to_);
}

void Channel::send(Kind kind, const std::string& bytes) const {
    std::string whole(1, static_cast<char>(kind));
    const std::uint64_t size = bytes.size();
    whole.append(reinterpret_cast<const char*>(&size), sizeof size);
    whole += bytes;  // one write: most messages are small
    if (!write_whole(to_, whole)) throw Closed("the pipe is closed");
}

Message Channel::receive(std::size_t most) {
    char head[1 + sizeof(std::uint64_t)];
    read_whole(head, sizeof head);
    std::uint64_t size = 0;
    std::memcpy(&size, head + 1, sizeof size);
    if (size > most) throw Closed("a message is too long");
    Message message{static_cast<Kind>(head[0]), std::string(size, '\0')};
    read_whole(message.bytes.data(), message.bytes.size());
    return message;
}

bool write_whole(int file, const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t wrote = write(file, bytes.data() + done, bytes.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += static_cast<std::size_t>(wrote);
    }
    return true;
}

void Channel::read_whole(char* bytes, std::size_t size) const {
    while (size > 0) {
        const ssize_t got = read(from_, bytes, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) throw Closed("the other side has ended");
        bytes += got;
        size -= static_cast<std::size_t>(got);
    }
}

}  // namespace grading::detail
