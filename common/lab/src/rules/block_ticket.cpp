#include <algorithm>
#include <cstring>

#include "index_source.hpp"
#include "rules.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_words.hpp"

namespace lab {

BlockTicket::LastTest BlockTicket::test_of(const std::string& file, int line) {
    constexpr int kMaxLines = 10;
    const std::string code = without_blanks(code_line(file, line));
    std::size_t call = std::string::npos;
    for (const char* const name : {"atomicAdd(", "atomicInc(", ".fetch_add("}) {
        call = std::min(call, code.find(name));
    }
    if (call == std::string::npos) return {};
    const std::size_t end = after_bracket(code, code.find('(', call));
    const std::string arguments = code.substr(call, end - call);
    const bool adds_one = arguments.rfind("atomicInc", 0) == 0 ||
                          arguments.find(",1") != std::string::npos ||
                          arguments.find("fetch_add(1") != std::string::npos;
    if (!adds_one) return {};
    const auto compared = [](const std::string& text, std::size_t at) -> LastTest {
        LastTest made;
        if (text.compare(at, 2, "+1") == 0) made.added = 1;
        at += made.added != 0 ? 2 : 0;
        while (at < text.size() && (text[at] == 'u' || text[at] == 'U' || text[at] == ')')) ++at;
        if (text.compare(at, 2, "==") != 0 && text.compare(at, 2, "!=") != 0) return made;
        int open = 0;
        for (at += 2; at < text.size() && std::string(";?&|{").find(text[at]) > 4; ++at) {
            open += text[at] == '(';
            open -= text[at] == ')';
            if (open < 0) break;
            made.limit += text[at];
        }
        return made;
    };
    LastTest made = compared(code, end);
    const int added = made.added;
    const std::vector<Assignment> all = assignments(file, line);
    const std::string name = all.size() == 1 ? all.front().target : "";
    const int last = name.empty() ? 0 : line + kMaxLines;
    for (int at = line; made.limit.empty() && at < last; ++at) {
        const std::string text = without_blanks(code_line(file, at));
        line = at;
        for (std::size_t found = find_word(text, name);
             found != std::string::npos && made.limit.empty();
             found = find_word(text, name, found + 1)) {
            made = compared(text, found + name.size());
            made.added += added;
        }
    }
    made.line = made.limit.empty() ? 0 : line;
    return made;
}

/// "tile = atomicAdd(&next, 1)": whether a line keeps what a counter has held, and one soon after
/// compares that with a limit.
static bool takes_number(const std::string& file, int line) {
    constexpr int kMaxLines = 10;
    const std::string code = without_blanks(code_line(file, line));
    const std::size_t call =
        std::min({code.find("=atomicAdd("), code.find("=atomicInc("), code.find(".fetch_add(")});
    if (call == std::string::npos) return false;
    const std::size_t equals = code.rfind('=', call);
    const std::string name = equals == std::string::npos ? "" : name_before(code, equals);
    for (int at = line; !name.empty() && at < line + kMaxLines; ++at) {
        const std::string text = without_blanks(code_line(file, at));
        for (const std::size_t found : words_at(text, name)) {
            const std::size_t next = text.find_first_not_of(')', found + name.size());
            const bool is_limit = next != std::string::npos &&
                                  (text[next] == '<' || text[next] == '>') &&
                                  text[next + 1] != text[next];
            if (is_limit) return true;
        }
        if (at == line && text.find(")<", call) != std::string::npos) return true;
    }
    return false;
}

void BlockTicket::note_left(const Access& access) {
    constexpr std::size_t kMaxLeft = 16;
    const std::size_t launch = run_.launch_count;
    if (access.site == last_taken_ && launch == last_launch_) return;
    last_taken_ = access.site;
    last_launch_ = launch;
    std::size_t& seen = taken_[access.site];
    const bool is_first = seen == 0, is_known = seen == launch;
    seen = launch;
    const Place here = place_of(access.site);
    if (is_first || is_known || !takes_number(here.file, here.line)) return;
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), access.bytes);
    if (value == 0) return;
    Left made{{},    run_.launched.name, target(run_, access.address, access.bytes).item,
              value, run_.launched.site, here.line};
    for (const emulator::LaunchArgument& each : run_.arguments) {
        const Watched* const memory =
            each.kind == emulator::LaunchArgument::Kind::data && each.pointer != nullptr
                ? run_.watched_at(reinterpret_cast<std::uintptr_t>(each.pointer))
                : nullptr;
        if (memory != nullptr) made.memory.insert(memory->begin);
    }
    if (left_.size() >= kMaxLeft) left_.erase(left_.begin());
    left_.push_back(std::move(made));
}

void BlockTicket::explain_left(std::uintptr_t memory, Finding& made) const {
    const auto found = std::find_if(left_.rbegin(), left_.rend(), [&](const Left& each) {
        return each.memory.count(memory) != 0;
    });
    if (found == left_.rend()) return;
    made.parties.push_back(call("kernel " + found->kernel, "gets it", found->launch));
    made.advice = fmt::format(
        "\nIn that launch {} began with {},\nwhere an earlier one has left it, so the threads that "
        "take their numbers from it in line {} found nothing\nleft to do: set it back to 0 before "
        "each launch.",
        found->counter, found->value, found->line);
}

/// Whether a store after a ticket was taken does not depend on which one it was, as far as the
/// source tells: no branch around it and no return before it uses what the operation has returned,
/// and nothing waits in between.
static bool is_for_any_ticket(const std::string& file, int ticket, int store) {
    const int function = function_around(file, ticket).line;
    if (store <= ticket || function == 0 || function_around(file, store).line != function)
        return false;
    if (find_word(code_line(file, ticket), "if") != std::string::npos) return false;
    std::set<std::string> tickets;
    for (int line = ticket; line <= store; ++line) {
        const std::string code = code_line(file, line);
        const std::vector<std::string> names = names_in(code);
        const bool names_ticket =
            line == ticket || std::any_of(names.begin(), names.end(), [&](const std::string& each) {
                return tickets.count(each) != 0;
            });
        for (const char* const wait : {"while", "sync", "wait"}) {
            if (code.find(wait) != std::string::npos && code.find("__sync") == std::string::npos)
                return false;
        }
        if (!names_ticket) continue;
        // What it is kept in, or what is computed from that; anything else may be a test.
        const std::vector<Assignment> all = assignments(file, line);
        if (all.size() != 1 || find_word(code, "if") != std::string::npos) return false;
        tickets.insert(all.front().target.substr(0, all.front().target.find('[')));
    }
    return true;
}

const Stamp* BlockTicket::other_ticket(const Access& access, const Stamp& now) {
    const auto found = counters_.find(access.address);
    if (found == counters_.end()) return nullptr;
    const Counter& counter = found->second;
    const Stamp& ticket = counter.last.block != now.block ? counter.last : counter.other;
    if (counter.launch != run_.launch_count || ticket.epoch != now.epoch || ticket.bytes == 0 ||
        ticket.block == now.block || counter.generation != run_.block->grid_generation) {
        return nullptr;
    }
    const auto [at, fresh] = for_any_.try_emplace({ticket.site, access.site});
    if (fresh) {
        const Place here = place_of(access.site), there = place_of(ticket.site);
        at->second = here.file == there.file && is_for_any_ticket(here.file, there.line, here.line);
    }
    return at->second ? &ticket : nullptr;
}

void BlockTicket::check(const Access& access, const Stamp& now) {
    if (access.bytes <= sizeof(std::uint64_t)) note_left(access);
    if (access.site == other_ || (access.bytes != 4 && access.bytes != 8)) return;
    const Place here = place_of(access.site);
    const auto [at, fresh] = tests_.try_emplace(access.site);
    if (fresh) at->second = test_of(here.file, here.line);
    const LastTest& test = at->second;
    if (test.line == 0) {
        other_ = access.site;
        return;
    }
    Counter& counter = counters_[access.address];
    ++counter.counted;
    if (counter.last.block != now.block) counter.other = counter.last;
    counter.last = now;
    counter.last.bytes = 0xf;
    counter.generation = run_.block->grid_generation;
    if (counter.launch == run_.launch_count) return;
    const Counter before = counter;
    counter.launch = run_.launch_count;
    counter.site = run_.launched.site;
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address), access.bytes);
    const FindingList::Key key = findings_.key_of(Fault::uninitialised, access.site);
    if (value == 0) counter.counted = 1;
    // Another value: it counts something else as well.
    if (before.launch == 0 || value != before.counted - 1 || findings_.is_known(key)) return;
    const std::optional<std::int64_t> limit = IndexSource(run_, access).value(test.limit);
    const dim3& grid = run_.worker->launch->shape.grid;
    const std::int64_t blocks = std::int64_t{grid.x} * grid.y * grid.z;
    if (!limit || *limit + 1 - test.added != blocks) return;
    const Target what = target(run_, access.address, access.bytes);
    Finding made = finding(run_, Fault::uninitialised, "counter_left", "counter not set back",
                           party(run_, access, fmt::format("finds {} in {},", value, what.item)));
    made.parties.push_back(
        call("kernel " + run_.launched.name, "has counted there before", before.site));
    put_places(made);
    made.evidence =
        fmt::format("The test in line {} finds the last of {} blocks only if they count from 0.",
                    test.line, blocks);
    made.advice = fmt::format(
        " Set the counter\nback to 0: the last block after the test in line {}, or the host before "
        "each launch.",
        test.line);
    findings_.add(key, std::move(made));
}

}  // namespace lab
