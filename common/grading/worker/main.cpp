// The learner's process: does what the judge asks for, with the learner's functions, and decides
// nothing. It never knows sizes, inputs, expected values or limits beyond those of the present
// call.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "../lib/local_machine.hpp"
#include "../lib/report_message.hpp"
#include "functions.hpp"
#include "host_reads.hpp"

namespace grading::worker {
namespace {

using namespace grading::detail;

constexpr std::size_t kMaxMessage = std::size_t{1} << 31;

class Worker {
  public:
    Worker(int from, int to) : channel_(from, to) {}

    /// Answers questions until what is asked for is done; throws Closed if the judge has ended.
    void serve() {
        for (;;) {
            const Message message = channel_.receive(kMaxMessage);
            if (message.kind == Kind::done) return;
            answer(message);
        }
    }

  private:
    void answer(const Message& message) {
        Writer out;
        try {
            Reader in(message.bytes);
            if (!is_answered(message.kind, in, message.bytes, out)) return;
        } catch (const Closed&) {
            throw;
        } catch (const std::bad_alloc&) {
            return failed(Thrown::bad_alloc, "");
        } catch (const std::exception& error) {
            return failed(Thrown::exception, error.what());
        } catch (...) {
            return failed(Thrown::something_else, "");
        }
        channel_.send(Kind::answer, out.bytes());
    }

    void failed(Thrown thrown, const std::string& words) {
        channel_.send(Kind::failed, Writer().put(thrown).put(words).bytes());
    }

    /// False: nothing to report.
    bool is_answered(Kind kind, Reader& in, const std::string& bytes, Writer& out) {
        switch (kind) {
            case Kind::begin: {
                const auto order = in.get<std::string>();
                machine_.begin(order, in.get<bool>());
                return true;
            }
            case Kind::mark:
                machine_.mark(bytes);
                return false;
            case Kind::allocate: {
                const auto size = in.get<std::uint64_t>();
                // Faults name the array for as long as the program runs.
                const char* const name = names_.insert(in.get<std::string>()).first->c_str();
                out.put(machine_.allocate(size, name));
                return true;
            }
            case Kind::release:
                machine_.release(in.get<void*>());
                return false;
            case Kind::upload: {
                auto* const to = in.get<void*>();
                machine_.upload(to, bytes.data() + sizeof to, bytes.size() - sizeof to);
                return true;
            }
            case Kind::download: {
                const auto* const from = in.get<const void*>();
                const auto size = in.get<std::uint64_t>();
                machine_.download(out.room(size), from, size);
                return true;
            }
            case Kind::fill: {
                auto* const memory = in.get<void*>();
                const auto size = in.get<std::uint64_t>();
                machine_.fill(memory, in.get<unsigned char>(), size);
                return true;
            }
            case Kind::call: {
                const auto number = in.get<std::uint32_t>();
                if (number >= function_count) throw Closed("there is no such function");
                const HostReads noting;
                functions[number](in, out);
                return true;
            }
            case Kind::faults: {
                // The device's own faults explain more than their consequences.
                std::vector<Failure> found = machine_.take_faults();
                for (Failure& each : HostReads::take()) found.push_back(std::move(each));
                send(bytes_of(found));
                return false;
            }
            case Kind::leaks:
                send(bytes_of(machine_.take_leaks()));
                return false;
#if GRADING_HAS_LAB
            case Kind::count: {
                const std::function<void()> reset = [this] { ask_back(Kind::reset); };
                const bool has_reset = in.get<bool>();
                const auto* const followed = in.get<const void*>();
                const auto size = in.get<std::uint64_t>();
                send(bytes_of(machine_.count([this] { ask_back(Kind::run); },
                                             has_reset ? reset : std::function<void()>(), followed,
                                             size)));
                return false;
            }
#endif
            default:
                throw Closed("an unexpected kind of message");
        }
    }

    void send(const std::string& bytes) { channel_.send(Kind::answer, bytes); }

    void ask_back(Kind kind) {
        channel_.send(kind);
        serve();
    }

    Channel channel_;
    LocalMachine machine_;
    std::set<std::string> names_;
};

/// The number in the environment; -1 if there is none.
int pipe_of(const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr && *text != '\0' ? std::atoi(text) : -1;
}

}  // namespace
}  // namespace grading::worker

int main() {
    using namespace grading::worker;
    const int from = pipe_of("GRADING_FROM_JUDGE"), to = pipe_of("GRADING_TO_JUDGE");
    if (from < 0 || to < 0) {
        std::fputs("This program is started by ./tutorial check and ./tutorial grade.\n", stderr);
        return 2;
    }
    try {
        Worker(from, to).serve();
    } catch (const grading::detail::Closed&) {
        // The judge knows enough.
    }
    std::fflush(nullptr);
    _exit(0);
}
