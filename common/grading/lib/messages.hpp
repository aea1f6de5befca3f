// What the judge and the learner's process say to each other: messages of bytes over two pipes.
//
// The judge asks, and the learner's process answers each question once; while it counts it asks
// back (run, reset). Neither trusts what it reads: sizes are bounded, and missing data throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace grading::detail {

enum class Kind : std::uint8_t {
    // From the judge.
    begin,     ///< the order of threads; are faults watched?
    mark,      ///< what is tried from here on; no answer
    allocate,  ///< bytes and a name; answer: an address
    release,   ///< an address; no answer
    upload,    ///< an address and bytes
    download,  ///< an address and how many bytes; answer: these
    fill,      ///< an address, how many bytes, and the byte
    call,      ///< the function's number and its arguments; answer: what it returns
    faults,    ///< answer: what was found since the last time
    leaks,     ///< answer: memory that is not freed
    count,     ///< is there a reset? Which array is followed, and how many bytes has it?
               ///< Answer: run and reset, as often as needed, then a report
    done,      ///< what run or reset asked for is done
    // From the learner's process.
    answer,  ///< the answer to the question
    failed,  ///< something was thrown: a Thrown, and its message
    run,     ///< call the function that is counted
    reset,   ///< restore its arrays
};

enum class Thrown : std::uint8_t { exception, bad_alloc, something_else };

struct Message {
    Kind kind = Kind::done;
    std::string bytes;
};

/// The other side is gone, or its message makes no sense.
struct Closed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Writes all of it to the file or pipe; false if that is impossible.
bool write_whole(int file, const std::string& bytes);

/// Two ends of pipes; closed with the object.
class Channel {
  public:
    Channel(int from, int to) : from_(from), to_(to) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    ~Channel();

    /// Throws Closed if the other side has ended.
    void send(Kind kind, const std::string& bytes = {}) const;

    /// Throws Closed at the end, and for a message of more than `most` bytes.
    Message receive(std::size_t most);

  private:
    void read_whole(char* bytes, std::size_t size) const;

    int from_, to_;
};

/// Puts values into a message.
class Writer {
  public:
    template <class T>
    Writer& put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>, "only bytes can be sent");
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    template <class T>
    Writer& put(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>, "only bytes can be sent");
        put(std::uint64_t{values.size()});
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        return *this;
    }
    Writer& put(const std::string& text) {
        put(std::uint64_t{text.size()});
        bytes_ += text;
        return *this;
    }
    /// Room for bytes that other code writes.
    char* room(std::size_t size) {
        bytes_.resize(bytes_.size() + size);
        return bytes_.data() + bytes_.size() - size;
    }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

/// Takes values from a message, in the same order. Throws Closed if they are missing.
class Reader {
  public:
    explicit Reader(const std::string& bytes) : bytes_(bytes) {}

    template <class T>
    void get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>, "only bytes can be sent");
        std::memcpy(&value, take(sizeof value), sizeof value);
    }
    template <class T>
    void get(std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>, "only bytes can be sent");
        const std::uint64_t size = count(sizeof(T));
        const char* const from = take(size * sizeof(T));
        values.resize(size);
        if (size != 0) std::memcpy(values.data(), from, size * sizeof(T));
    }
    void get(std::string& text) {
        const std::uint64_t size = count(1);
        text.assign(take(size), size);
    }
    template <class T>
    T get() {
        T value{};
        get(value);
        return value;
    }
    /// How many items follow, of at least `bytes_each` bytes each.
    std::uint64_t count(std::size_t bytes_each) {
        const auto size = get<std::uint64_t>();
        if (size > (bytes_.size() - at_) / bytes_each) throw Closed("a message is too short");
        return size;
    }
    /// Throws Closed if anything is left over.
    void end() const {
        if (at_ != bytes_.size()) throw Closed("a message is too long");
    }

  private:
    const char* take(std::size_t size) {
        if (size > bytes_.size() - at_) throw Closed("a message is too short");
        at_ += size;
        return bytes_.data() + at_ - size;
    }

    const std::string& bytes_;
    std::size_t at_ = 0;
};

}  // namespace grading::detail
