#include "rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "index_source.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_locks.hpp"
#include "source_updates.hpp"
#include "source_words.hpp"

namespace lab {

void EmulatorReports::add() {
    for (const emulator::Report& said : emulator::take_reports()) {
        if (said_.insert(said.text).second) add(said);
    }
}

std::string EmulatorReports::path_of(const std::string& name) const {
    const auto is_it = [&](emulator::Site site) {
        return site.file != nullptr && file_name(site.file) == name;
    };
    if (is_it(run_.launched.site)) return run_.launched.site.file;
    for (const Filled& each : run_.fills) {
        if (is_it(each.site)) return each.site.file;
    }
    const Watched* const found =
        run_.device.find_if([&](const Watched& each) { return is_it(each.site); });
    return found != nullptr ? found->site.file : "";
}

/// Of "the allocation of 8 bytes from cudaMalloc at a.cu:3, which was freed at a.cu:7" both places;
/// no lines: it says nothing of that kind.
static std::pair<SourcePlace, SourcePlace> freed_in(const std::string& said) {
    constexpr char kFreed[] = "was freed at ";
    const std::size_t freed = said.find(kFreed), made = said.rfind(" at ", freed);
    if (freed == std::string::npos || made == std::string::npos) return {};
    const auto place = [&](std::size_t begin) {
        const std::size_t colon = said.find(':', begin);
        if (colon == std::string::npos) return SourcePlace{};
        return SourcePlace{said.substr(begin, colon - begin), std::atoi(said.c_str() + colon + 1)};
    };
    return {place(made + 4), place(freed + sizeof kFreed - 1)};
}

/// "line 24", "lines 24 and 36".
static std::string lines_text(const std::set<int>& lines) {
    std::string made = lines.size() == 1 ? "line " : "lines ";
    std::size_t left = lines.size();
    for (const int line : lines) {
        made += std::to_string(line);
        if (--left != 0) made += left == 1 ? " and " : ", ";
    }
    return made;
}

/// Memory is used after it was freed: by which lines, and which free is too early.
std::string EmulatorReports::explain_freed(const SourcePlace& made, const SourcePlace& freed,
                                           const LaterUses& uses) const {
    const std::string path = path_of(freed.path);
    if (path.empty() || made.path != freed.path || made.line == freed.line) return {};
    const std::string maker = host_function_around(path, made.line);
    const std::string owner = host_function_around(path, freed.line);
    const bool is_elsewhere = maker != owner && !maker.empty() && !owner.empty();
    const auto [low, high] = std::minmax(made.line, freed.line);
    const int loop = is_in_loop(path, low, high) ? 0 : loop_around(path, freed.line);
    const bool is_used_in_loop =
        loop != 0 && std::any_of(uses.uses.begin(), uses.uses.end(), [&](int line) {
            return loop <= line && line <= end_of_loop(path, loop, freed.line);
        });
    const auto in = [&](const std::string& function) {
        return is_elsewhere ? fmt::format(" in {}()", function) : std::string();
    };
    const std::string used = uses.uses.empty()
                                 ? std::string()
                                 : fmt::format(",\nbut {} still use{} it", lines_text(uses.uses),
                                               uses.uses.size() == 1 ? "s" : "");
    return fmt::format(
        "\nLine {}{}{} frees what line {}{} has allocated{}{}: {}", freed.line, in(owner),
        loop != 0 ? fmt::format(", in the loop of line {},", loop) : "", made.line, in(maker), used,
        uses.frees.empty() ? "" : fmt::format(", and {} frees it again", lines_text(uses.frees)),
        is_used_in_loop      ? "free it after the loop."
        : loop != 0          ? "let the loop free only what it has allocated itself."
        : uses.frees.empty() ? "free it after the last use."
        : uses.uses.empty()  ? "leave out one of the two."
                             : fmt::format("leave out the free in line {}.", freed.line));
}

bool EmulatorReports::is_later_use(const std::string& said, const SourcePlace& at, bool is_free) {
    const auto places = freed_in(said);
    const SourcePlace &allocated = places.first, &freed = places.second;
    const FindingList::Key key = FindingList::key_of(Fault::backend, allocated, freed);
    if (freed.line == 0) return false;
    if (at.line != freed.line && file_name(at.path) == freed.path) {
        LaterUses& uses = later_uses_[key];
        (is_free ? uses.frees : uses.uses).insert(at.line);
    }
    if (Finding* const first = findings_.find(key)) {
        const LaterUses& uses = later_uses_[key];
        if (!uses.is_of_owner) first->advice = explain_freed(allocated, freed, uses);
        return true;
    }
    // A kernel's use is reported with its thread.
    const std::vector<Finding>& all = findings_.all();
    return std::any_of(all.begin(), all.end(), [&](const Finding& each) {
        if (each.code != "freed_memory" || each.parties.empty()) return false;
        const auto known = freed_in(each.parties.front().what);
        return known.first.line == allocated.line && known.second.line == freed.line &&
               known.second.path == freed.path;
    });
}

/// The direction of a copy contradicts its pointers.
static std::string explain_direction(const std::string& said) {
    for (const bool is_host : {true, false}) {
        const char* const pointer = is_host ? "host" : "device";
        const char* const meant = is_host ? "device" : "host";
        const std::string start = fmt::format("the destination is {} memory", pointer);
        if (said.find(start) == std::string::npos ||
            said.find(fmt::format("the direction says {}", meant)) == std::string::npos) {
            continue;
        }
        return fmt::format(
            "\nIf the {} is to get the data, exchange the two pointers: the destination comes "
            "first. "
            "If not, the direction is\n{}.",
            meant, is_host ? "cudaMemcpyDeviceToHost" : "cudaMemcpyHostToDevice");
    }
    return {};
}

void EmulatorReports::add(const emulator::Report& said) {
    // A reported access may later cause what the emulator sees.
    const bool is_bounds = said.reason == emulator::Reason::out_of_bounds;
    const bool is_address = said.reason == emulator::Reason::illegal_address;
    const std::vector<Finding>& all = findings_.all();
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Finding& each) {
        return each.fault == Fault::out_of_bounds ||
               (is_address && (each.fault == Fault::host_pointer || each.fault == Fault::escaped));
    });
    if ((is_bounds || is_address) && is_known) return;
    if (is_later_use(said.text, {said.file, said.line}, said.reason == emulator::Reason::free))
        return;
    Finding made;
    made.fault = Fault::backend;
    made.kernel = said.kernel;
    made.file = file_name(said.file);
    made.line = said.line;
    if (explain_endless_loop(said, made)) {
        if (made.code == "endless_wait") add_changer(made);
        if (made.advice.back() != '\n') made.advice += '\n';
        made.advice += said.text;
    } else {
        made.code = emulator::code(said.reason);
        made.title = said.text;
        const auto [allocated, freed] = freed_in(said.text);
        const std::string owner = explain_owner(said.text, path_of(freed.path), run_.launched.site);
        made.advice = explain_missing(said) + owner + explain_null(said, made.title) +
                      explain_launch(said, made.title) + explain_direction(said.text) +
                      explain_symbol(said) + explain_reference(said, made.title);
        if (freed.line != 0 && said.kernel.empty()) {
            LaterUses& uses = later_uses_[FindingList::key_of(Fault::backend, allocated, freed)];
            uses.is_of_owner = !owner.empty();
            if (owner.empty() && said.line != freed.line)
                made.advice += explain_freed(allocated, freed, uses);
            findings_.add(FindingList::key_of(Fault::backend, allocated, freed), std::move(made));
            return;
        }
        if (said.reason == emulator::Reason::no_progress) add_changer(made);
        if (said.reason == emulator::Reason::not_cooperative && run_.launched.site.file != nullptr)
            made.advice += fmt::format(
                "\nThe launch in line {} is an ordinary one, whose blocks need not run at the same "
                "time: use\ncudaLaunchCooperativeKernel(kernel, grid, block, arguments) there.",
                run_.launched.site.line);
    }
    findings_.add(std::move(made));
}

/// A pointer variable gets, in place of an address, what is there.
std::string EmulatorReports::explain_symbol(const emulator::Report& said) const {
    constexpr char kCall[] = "cudaMemcpyToSymbol";
    const std::string path = path_of(said.file);
    if (said.text.rfind(kCall, 0) != 0 || path.empty() ||
        said.text.find("the source is device memory") == std::string::npos) {
        return {};
    }
    const char* const call =
        said.text.rfind("cudaMemcpyToSymbolAsync", 0) == 0 ? "cudaMemcpyToSymbolAsync" : kCall;
    const std::vector<std::string> given = call_arguments(path, said.line, call);
    if (given.size() < 3) return {};
    const bool is_pointer =
        said.text.find(fmt::format("of {} bytes ", sizeof(void*))) < said.text.find('\n') &&
        is_pointer_variable(path, said.line, given[0]);
    const bool is_name = names_in(given[1]) == std::vector<std::string>{given[1]};
    return is_pointer ? fmt::format(
                            "\n{} is a pointer, and the call copies what is at the address that it "
                            "is given. To set the pointer, give it the\naddress of the host's "
                            "pointer, {}.",
                            given[0], is_name ? "&" + given[1] : "&pointer")
                      : fmt::format(
                            "\nGive it the host's array; or, if the values of {} are on the "
                            "device, an offset and then the direction,\n0, "
                            "cudaMemcpyDeviceToDevice.",
                            given[0]);
}

/// A parameter of the kernel is a reference.
std::string EmulatorReports::explain_reference(const emulator::Report& said,
                                               std::string& title) const {
    const std::string path = path_of(said.file);
    if (said.reason != emulator::Reason::host_pointer || path.empty()) return {};
    const int position = std::atoi(said.text.c_str() + said.text.find(' '));
    const std::string name = said.kernel.substr(0, said.kernel.find('<'));
    for (int line = 1; line <= line_count(path); ++line) {
        if (find_word(code_line(path, line), "__global__") == std::string::npos) continue;
        const FunctionText kernel = function_around(path, line);
        std::string parameter = kernel.parameter(position);
        const std::size_t reference = parameter.find('&');
        if (kernel.name != name || reference == std::string::npos) continue;
        title = title.substr(0, title.find('\n'));
        std::string value = parameter;
        value.erase(reference, 1);
        return fmt::format(
            "\nIts parameter `{}` (line {}) is a reference: the kernel gets the address of a "
            "variable of the host.\nTake it by value: `{}`.",
            parameter, line, value);
    }
    return {};
}

/// Which argument of the launch is null, and perhaps why.
std::string EmulatorReports::explain_null(const emulator::Report& said, std::string& title) const {
    const emulator::Site launch = run_.launched.site;
    if (said.reason != emulator::Reason::illegal_address || launch.file == nullptr ||
        file_name(launch.file) != said.file ||
        said.text.find(": a null pointer") == std::string::npos) {
        return {};
    }
    const FunctionText kernel = function_around(launch.file, said.line);
    const std::string code = source_line(launch.file, said.line);
    // A copy that should have set the pointer was refused.
    const std::vector<std::string> given = call_arguments(launch.file, launch.line, ">>>");
    for (const Finding& each : findings_.all()) {
        const std::string call = each.title.substr(0, each.title.find(' '));
        if (each.code != emulator::code(emulator::Reason::copy) || each.file != said.file) continue;
        const std::vector<std::string> copied = call_arguments(launch.file, each.line, call);
        const std::string target = copied.empty() ? std::string() : last_name(copied[0]);
        if (target.empty() || (find_word(code, target) == std::string::npos &&
                               std::find(given.begin(), given.end(), target) == given.end()))
            continue;
        title = title.substr(0, title.find('\n'));
        return fmt::format(
            "\nThe {} in line {}, which failed (above), has not set {}: fix that first.", call,
            each.line, target);
    }
    std::string made;
    for (const emulator::LaunchArgument& each : run_.arguments) {
        const std::string parameter = last_name(kernel.parameter(each.position));
        if (each.kind != emulator::LaunchArgument::Kind::data || each.pointer != nullptr ||
            parameter.empty() || find_word(code, parameter) == std::string::npos) {
            continue;
        }
        const std::string text = launch_argument(launch, each.position);
        made = fmt::format("\nArgument {} of the launch in line {}{} is null.", each.position,
                           launch.line, text.empty() ? "" : ", " + text + ",");
        break;
    }
    // Memory whose address only a function's own copy of a pointer has.
    const Watched* const lost = run_.device.find_if([&](const Watched& one) {
        return one.kind == emulator::MemoryKind::device && one.site.file != nullptr &&
               allocates_for_copy(one.site.file, one.site.line, one.call);
    });
    if (lost == nullptr) return made;
    return made + fmt::format(
                      "{}{} in line {} sets the parameter of a function, which is a copy\nof the "
                      "caller's pointer: let the function take its address, or return the pointer.",
                      made.empty() ? "\n" : " ", lost->call, lost->site.line);
}

void EmulatorReports::note_change(const Access& access) {
    Word& word = words_[access.address / kWordBytes % words_.size()];
    std::uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(access.address),
                std::min<std::size_t>(access.bytes, sizeof value));
    const bool is_same = word.address == access.address && word.epoch == run_.epoch();
    if (!is_same) word.is_lost = word.epoch == run_.epoch();
    if (!is_same) word.changed = {0, 0, kNoSite};
    if (is_same && value != word.value) word.changed = word.last;
    word.address = access.address;
    word.epoch = run_.epoch();
    word.value = value;
    word.last = {run_.block->index, run_.number, access.site};
}

void EmulatorReports::add_changer(Finding& made) {
    if (waited_.bytes == 0) return;
    const Word& word = words_[waited_.address / kWordBytes % words_.size()];
    const Use& by = word.changed;
    if (word.address != waited_.address) return;
    if (by.site == kNoSite) {
        if (word.is_lost) return;
        made.evidence = "No thread has changed it since the kernel began.";
        const Watched* const memory = run_.watched_at(word.address);
        if (memory != nullptr && memory->holds_values) {
            made.evidence +=
                " If the host is to do that: here it goes on\nonly when the kernel has "
                "ended, so a kernel that waits for the host cannot be tried.";
        }
        return;
    }
    const WatchedBlock* const block = run_.find(by.block);
    // One that waits itself is named in the text.
    if (block != nullptr && block->block != nullptr &&
        block->block->threads[static_cast<std::size_t>(by.thread)].state !=
            emulator::State::returned) {
        return;
    }
    const Place at = place_of(by.site);
    made.parties.push_back(party_at(source_place(at),
                                    fmt::format("thread {} of block {}", by.thread, by.block),
                                    "was the last to change it (it has ended since)"));
    const Lock lock = lock_around(at.file, at.line + 1);
    if (lock.taken != at.line) {
        std::int32_t now = 0;
        std::memcpy(&now, reinterpret_cast<const void*>(word.address), sizeof now);
        if (waited_.bytes == sizeof now) made.evidence = fmt::format("It holds {} now.", now);
        return;
    }
    made.evidence = fmt::format(
        "It holds the lock, which line {} releases: release it on every path", lock.released);
    const int exit = exit_before(at.file, lock.released);
    made.advice = exit > lock.taken ? fmt::format(", also in line {}.", exit) : std::string(".");
}

/// The lines that follow this text: at which threads wait, "wait at the barrier of k.cu:17; threads
/// 1..7 wait …".
static std::vector<int> lines_named(const emulator::Report& said,
                                    const char* before = "wait at the barrier of ") {
    std::vector<int> lines{said.line};
    const std::string start = before + said.file + ":";
    for (std::size_t at = said.text.find(start); at != std::string::npos;
         at = said.text.find(start, at + 1)) {
        const int line = std::atoi(said.text.c_str() + at + start.size());
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
    }
    return lines;
}

/// "for (int i = lane; …": lanes may run the loop for different numbers of rounds.
static bool begins_with_thread(const std::string& file, int loop) {
    const std::vector<Assignment> first = assignments(file, loop);
    return std::any_of(first.begin(), first.end(), [&](const Assignment& each) {
        return is_computed_from(file, loop, each.value, "threadIdx");
    });
}

/// The first line between these that stores to an array in the memory of the block; 0: none does.
static int shared_store_between(const std::string& file, int first, int last) {
    for (int line = first + 1; line < last; ++line) {
        for (const Assignment& each : assignments(file, line)) {
            const std::string array = each.target.substr(0, each.target.find('['));
            const int declared = declared_array(file, line, array).line;
            if (find_word(code_line(file, declared), "__shared__") != std::string::npos)
                return line;
        }
    }
    return 0;
}

std::string EmulatorReports::explain_missing(const emulator::Report& said) const {
    const bool is_grid = said.reason == emulator::Reason::divergent_grid_barrier;
    const bool is_barrier = is_grid || said.reason == emulator::Reason::divergent_barrier;
    // Threads that have ended do not arrive at a cuda::barrier.
    const bool is_short = said.reason == emulator::Reason::deadlock &&
                          said.text.find("wait at the cuda::barrier") != std::string::npos &&
                          said.text.find(" ended") != std::string::npos;
    const bool are_different = said.reason == emulator::Reason::different_collectives;
    // Lanes that a mask names are elsewhere.
    const bool are_apart = said.reason == emulator::Reason::deadlock &&
                           said.text.find("named in a mask must reach") != std::string::npos;
    if (!is_barrier && !is_short && !are_different && !are_apart &&
        said.reason != emulator::Reason::incomplete_collective &&
        said.reason != emulator::Reason::wrong_lanes) {
        return {};
    }
    if (said.text.find("names no lane") != std::string::npos) return {};
    if (const std::size_t at = said.text.find("the mask 0x");
        at != std::string::npos && said.text.find("calling lane ") != std::string::npos) {
        const unsigned mask =
            static_cast<unsigned>(std::strtoul(said.text.c_str() + at + 9, nullptr, 16));
        const unsigned width = static_cast<unsigned>(__builtin_popcount(mask));
        const unsigned first = mask != 0 ? static_cast<unsigned>(__builtin_ctz(mask)) : 0;
        const bool is_group = width > 1 && width < 32 && (width & (width - 1)) == 0 &&
                              first % width == 0 && mask >> first == (1u << width) - 1;
        const std::string whole =
            "\nIf the whole warp makes the call, the mask is 0xffffffff. If parts of it do, each "
            "part needs a mask of its\nown lanes: ";
        if (!is_group)
            return whole + "0x0000ffff for lanes 0 to 15, 0xffff0000 for lanes 16 to 31.";
        return whole + fmt::format("for groups of {}, 0x{:x}u << (lane / {} * {}).", width,
                                   (1u << width) - 1, width, width);
    }
    // Most kernels are in the file that launches them.
    const emulator::Site launch = run_.launched.site;
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(run_.last_pc);
    std::string file = launch.file != nullptr ? launch.file : "";
    if (file_name(file) != said.file) file = at != 0 ? user_place(at - 1).file : std::string();
    if (file_name(file) != said.file) return {};
    if (are_different) {
        const std::vector<int> calls = lines_named(said, " of ");
        const auto [first, last] = std::minmax_element(calls.begin(), calls.end());
        const int loop = loop_around(file, *first);
        if (loop == 0 || is_in_loop(file, *first, *last)) return {};
        return fmt::format(
            "\nLine {} is in the loop of line {}, which some lanes have left: let all stay in it "
            "until none has work,\nas in while (__any_sync(mask, condition)), and skip only the "
            "work.",
            *first, loop);
    }
    const bool waits = is_barrier || is_short;
    const std::string what = waits ? "barrier" : "call";
    int loop = loop_around(file, said.line);
    // The lines at which threads wait, and those that call their function.
    constexpr std::size_t kMaxCalls = 8;
    std::vector<int> lines = lines_named(said);
    std::stable_partition(lines.begin(), lines.end(),
                          [&](int line) { return branch_around(file, line) != 0; });
    // Some may have left the loop in which others wait.
    int line_in_loop = said.line;
    for (std::size_t i = 0; i < lines.size() && loop == 0; ++i) {
        line_in_loop = lines[i];
        loop = loop_around(file, line_in_loop);
    }
    const std::size_t direct = lines.size();
    const std::string function = function_around(file, said.line).name;
    for (std::size_t i = 0; i < lines.size() && lines.size() < kMaxCalls; ++i) {
        const std::vector<int> calls = calls_of_function(file, lines[i]);
        lines.insert(lines.end(), calls.begin(), calls.end());
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = lines[i];
        const std::string where = i < direct
                                      ? fmt::format("\nLine {} is", line)
                                      : fmt::format("\nLine {} is in {}(), to which line {} leads,",
                                                    said.line, function, line);
        if (const int branch = branch_around(file, line); branch != 0) {
            const int group = call_above(file, branch, "coalesced_threads");
            if (!waits && group != 0 &&
                source_line(file, said.line).find("__") == std::string::npos) {
                return fmt::format(
                    "{} in the branch of line {}, which not all threads of the group enter: make "
                    "the "
                    "group\nin the branch (coalesced_threads(), line {}), if it is to be of those "
                    "that do.",
                    where, branch, group);
            }
            const bool has_result = said.text.find("the __syncwarp") == std::string::npos;
            return fmt::format("{} in the branch of line {}: {}", where, branch,
                               waits ? "end the branch before it, so that all threads reach it."
                               : has_result ? "move the call out of it, so that all\nlanes of the "
                                              "mask reach it, and use its result there."
                                            : "move the call out of it, so that all\nlanes of the "
                                              "mask reach it.");
        }
        const int exit = exit_before(file, line);
        const bool is_before_loop = exit < loop && i < direct && begins_with_thread(file, loop);
        if (exit != 0 && !is_before_loop) {
            const bool has_arrive =
                source_line(file, said.line).find(".arrive") != std::string::npos;
            const int stored = i < direct ? shared_store_between(file, exit, line) : 0;
            return fmt::format(
                "{}\n{} may leave in line {}: let them {}skip the work, but not the {}{}{}.",
                i < direct ? "" : where.substr(0, where.size() - 1) + ".",
                is_grid ? "Blocks" : "Threads", exit,
                is_short && has_arrive ? "call arrive_and_drop() first, or " : "", what,
                stored == 0 ? "" : fmt::format(", nor what line {}\nstores for others", stored),
                loop == 0 || exit < loop || i >= direct ? ""
                : is_grid ? "; or let all leave\nthe loop in the same round, by a value in global "
                            "memory that all read between two grid barriers"
                          : "; or let all leave\nthe loop in the same round");
        }
    }
    if (loop == 0) return {};
    return fmt::format(
        "\nLine {} is in the loop of line {}: if threads run it for different numbers of rounds, "
        "let all run it as\noften, and skip only the work{}.",
        line_in_loop, loop,
        is_barrier && !is_grid && find_word(source_line(file, loop), "while") != std::string::npos
            ? ": __syncthreads_or(condition) is the same for all threads"
            : "");
}

/// Whether it is a quotient that is rounded up: "(n + 255) / 256", "(n + t - 1) / t", "div_up(n,
/// t)", "ceil(n / 256.0)"; and not "ceil(n / 256)" of ints.
static bool is_rounded_up(const std::string& expression) {
    std::string code = without_blanks(expression);
    for (const char* const function : {"div_up(", "divup(", "DivUp(", "divUp(", "ceil_div(",
                                       "ceildiv(", "ceilDiv(", "CeilDiv(", "cdiv("}) {
        if (code.find(function) != std::string::npos) return true;
    }
    for (const char* const word : {".0", ".f", "float", "double"}) {
        if (code.find("ceil") != std::string::npos && code.find(word) != std::string::npos)
            return true;
    }
    for (std::size_t close = code.find(')'); close != std::string::npos;
         close = code.find(')', close + 1)) {
        const bool is_shift = code.compare(close + 1, 2, ">>") == 0;
        if (!is_shift && code.compare(close + 1, 1, "/") != 0) continue;
        std::size_t end = close + (is_shift ? 3 : 2);
        const std::size_t begin = end;
        while (end < code.size() && (is_word(code[end]) || code[end] == '.')) ++end;
        const std::string divisor = code.substr(begin, end - begin);
        const std::size_t plus = code.rfind('+', close);
        if (divisor.empty() || plus == std::string::npos) continue;
        const std::string added = without_brackets(code.substr(plus + 1, close - plus - 1));
        const long by = std::atol(divisor.c_str());
        const long least = is_shift ? (1L << std::min(by, 30L)) - 1 : by - 1;
        if (added == divisor + "-1" || (by > 0 && std::atol(added.c_str()) == least)) return true;
        if (plus > divisor.size() + 2 &&
            code.compare(plus - divisor.size() - 2, divisor.size() + 2, divisor + "-1") == 0)
            return true;
    }
    return false;
}

/// Where the number for which a launch was refused comes from.
std::string EmulatorReports::explain_launch(const emulator::Report& said,
                                            std::string& title) const {
    if (said.text.find("its __launch_bounds__ allow") != std::string::npos) {
        return "\nLaunch no more threads in a block, or give the kernel larger __launch_bounds__.";
    }
    const std::string file = path_of(said.file);
    if (file.empty() || said.text.rfind("launch of kernel", 0) != 0) return {};
    constexpr int kMaxLines = 100;
    const std::vector<std::string> given = call_arguments(file, said.line, "<<<");
    const bool is_grid = said.text.find(": the grid ") != std::string::npos;
    const std::size_t position = said.text.find(" bytes of ") != std::string::npos ? 2
                                 : is_grid                                         ? 0
                                                                                   : 1;
    if (given.size() <= position) return {};
    // No items, rounded up, are no blocks.
    const auto no_items = [&](const std::string& where) {
        title = title.substr(0, title.find(" A number of blocks is rounded up"));
        return fmt::format(
            "\nIt is rounded up{}, so the number of items is 0: launch the kernel only if there "
            "are any.",
            where);
    };
    const bool has_none = is_grid && said.text.find("has no blocks") != std::string::npos;
    if (has_none && is_rounded_up(given[position])) return no_items("");
    const std::vector<std::string> names = names_in(given[position]);
    if (names.size() != 1 || names.front() != given[position]) return {};
    for (int line = said.line - 1; line > 0 && line > said.line - kMaxLines; --line) {
        const std::string code = code_line(file, line);
        const std::size_t found = find_word(code, names.front());
        const std::size_t after = found == std::string::npos
                                      ? found
                                      : code.find_first_not_of(' ', found + names.front().size());
        if (after == std::string::npos || std::strchr("({=", code[after]) == nullptr) continue;
        if (has_none && is_rounded_up(code)) return no_items(fmt::format(" in line {}", line));
        return fmt::format("\n{} gets its value in line {}: {}", names.front(), line,
                           trimmed(code));
    }
    return {};
}

bool EmulatorReports::explain_endless_loop(const emulator::Report& said, Finding& made) const {
    // Threads that yield have a place in the source.
    const bool yields = said.reason == emulator::Reason::no_progress && said.line != 0;
    if (said.places.empty() && !yields) return false;
    // The last basic block is more reliable than the place where the thread was interrupted,
    // perhaps in the lab.
    std::vector<std::uintptr_t> places{reinterpret_cast<std::uintptr_t>(run_.last_pc)};
    places.insert(places.end(), said.places.begin(), said.places.end());
    for (const std::uintptr_t place : places) {
        const Place asked = waited_.bytes != 0 ? place_of(waited_.site) : Place{};
        Place here = place != 0 ? user_place(place - 1) : Place{};
        if (yields && !here.is_known()) here = asked;
        if (!here.is_known() || (yields && file_name(here.file) != said.file)) continue;
        // A loop around an atomic or volatile access waits for another thread.
        const bool is_waiting =
            asked.is_known() && (yields || waiting_ == run_.number) && asked.file == here.file &&
            (asked.line == here.line || is_in_loop(here.file, std::min(here.line, asked.line),
                                                   std::max(here.line, asked.line)));
        const std::string who = !is_waiting ? "it"
                                : yields    ? "a thread"
                                            : fmt::format("thread {}", run_.number);
        made.parties = {party_at(source_place(is_waiting ? asked : here), who,
                                 is_waiting ? "waits for a change of what it reads" : "was still")};
        made.code = is_waiting ? "endless_wait" : "endless_loop";
        made.title = (is_waiting ? "endless wait in " : "endless loop in ") + said.kernel;
        made.advice =
            is_waiting
                ? "\nThe thread that should change it has ended, is waiting itself, or has not "
                  "started: release a lock\non every path, and do not let lanes of one warp wait "
                  "for each other.\n"
                : "\n" + endless_condition(here.file, here.line);
        return true;
    }
    return false;
}

}  // namespace lab
