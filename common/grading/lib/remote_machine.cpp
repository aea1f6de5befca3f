// The judge's side: every question is a message, and no answer is trusted.
#include <algorithm>
#include <csignal>
#include <memory>
#include <new>
#include <stdexcept>

#include "machine.hpp"
#include "remote.hpp"
#include "report_message.hpp"
#include "tool_pipe.hpp"

namespace grading {
namespace detail {
namespace {

constexpr std::size_t kMaxWords = std::size_t{1} << 20;    // of an error
constexpr std::size_t kMaxFaults = std::size_t{16} << 20;  // bytes
constexpr std::size_t kMaxReport = std::size_t{64} << 20;

/// Something was thrown that is not a std::exception; like the original, which is not one either.
struct SomethingElse {};

[[noreturn]] void throw_again(const std::string& bytes) {
    Reader in(bytes);
    const auto thrown = in.get<Thrown>();
    const auto words = in.get<std::string>();
    if (thrown == Thrown::bad_alloc) throw std::bad_alloc();
    if (thrown == Thrown::exception) throw std::runtime_error(words);
    throw SomethingElse{};
}

class RemoteMachine : public Machine {
  public:
    RemoteMachine(int from, int to) : channel_(from, to) {}

    void begin(const std::string& order, bool watches) override {
        ask(Kind::begin, Writer().put(order).put(watches), 0);
    }
    void mark(const std::string& at) override {
        tell_where(at);
        channel_.send(Kind::mark, at);
    }

    void* allocate(std::size_t bytes, const char* name) override {
        const std::string answer =
            ask(Kind::allocate, Writer().put(std::uint64_t{bytes}).put(std::string(name)),
                sizeof(void*));
        Reader in(answer);
        auto* const memory = in.get<void*>();
        in.end();
        return memory;
    }
    void release(void* memory) noexcept override {
        try {
            channel_.send(Kind::release, Writer().put(memory).bytes());
        } catch (const std::exception&) {  // it is gone, and its memory with it
        }
    }
    void upload(void* to, const void* from, std::size_t bytes) override {
        std::string message = Writer().put(to).bytes();
        message.append(static_cast<const char*>(from), bytes);
        take_answer(Kind::upload, message, 0);
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        const std::string answer =
            ask(Kind::download, Writer().put(from).put(std::uint64_t{bytes}), bytes);
        if (answer.size() != bytes) throw Closed("not the requested number of bytes");
        std::memcpy(to, answer.data(), bytes);
    }
    void fill(void* memory, unsigned char byte, std::size_t bytes) override {
        ask(Kind::fill, Writer().put(memory).put(std::uint64_t{bytes}).put(byte), 0);
    }
    std::vector<Failure> take_faults() override { return failures(Kind::faults); }
    std::vector<Failure> take_leaks() override { return failures(Kind::leaks); }

#if GRADING_HAS_LAB
    lab::Report count(const std::function<void()>& run, const std::function<void()>& reset,
                      const void* followed, std::size_t bytes) override {
        channel_.send(
            Kind::count,
            Writer().put(static_cast<bool>(reset)).put(followed).put(std::uint64_t{bytes}).bytes());
        for (;;) {
            const Message message = channel_.receive(kMaxReport);
            if (message.kind == Kind::run) {
                run();
            } else if (message.kind == Kind::reset && reset) {
                reset();
            } else if (message.kind == Kind::answer) {
                return report_of(message.bytes);
            } else if (message.kind == Kind::failed) {
                throw_again(message.bytes);
            } else {
                throw Closed("an unexpected kind of message");
            }
            channel_.send(Kind::done);
        }
    }
#endif

    /// The answer, of at most this many bytes.
    std::string take_answer(Kind kind, const std::string& bytes, std::size_t most) {
        channel_.send(kind, bytes);
        Message message = channel_.receive(std::max(most, kMaxWords));
        if (message.kind == Kind::failed) throw_again(message.bytes);
        if (message.kind != Kind::answer) throw Closed("an unexpected kind of message");
        if (message.bytes.size() > most) throw Closed("a message is too long");
        return std::move(message.bytes);
    }

  private:
    std::string ask(Kind kind, const Writer& words, std::size_t most) {
        return take_answer(kind, words.bytes(), most);
    }

    std::vector<Failure> failures(Kind kind) {
        const std::string answer = ask(kind, Writer(), kMaxFaults);
        return failures_of(answer);
    }

    Channel channel_;
};

RemoteMachine* remote = nullptr;

}  // namespace

void use_remote_machine(int from, int to) {
    std::signal(SIGPIPE, SIG_IGN);         // write() reports a closed pipe
    remote = new RemoteMachine(from, to);  // until the program ends: arrays may outlive main()
    use_machine(*remote);
}

std::string ask_function(unsigned number, const Writer& arguments, std::size_t most) {
    if (remote == nullptr) throw GraderError{"there is no process to call a function in"};
    const Writer head = Writer().put(std::uint32_t{number});
    return remote->take_answer(Kind::call, head.bytes() + arguments.bytes(), most);
}

}  // namespace detail
}  // namespace grading
