#include "rules.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "index_source.hpp"
#include "refused_copy.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_locks.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

static void note_wait_for_host(Finding& made, const std::string& said);
constexpr char kUnchanged[] = "No thread has changed it since the kernel began.";

static int copy_beside(const std::string& file, int launch);

void EmulatorReports::add() {
    for (const emulator::Report& said : emulator::take_reports()) {
        if (said.path != nullptr) paths_[said.file] = said.path;
        if (said_.insert(said.text).second) add(said);
    }
}

std::string EmulatorReports::path_of(const std::string& name) const {
    const auto is_it = [&](emulator::Site site) {
        return site.file != nullptr && file_name(site.file) == name;
    };
    if (is_it(run_.launched.site)) return run_.launched.site.file;
    if (const auto known = paths_.find(name); known != paths_.end()) return known->second;
    for (const Filled& each : run_.fills) {
        if (is_it(each.site)) return each.site.file;
    }
    const Watched* const found =
        run_.device.find_if([&](const Watched& each) { return is_it(each.site); });
    return found != nullptr ? found->site.file : "";
}

/// Of "the allocation of 8 bytes from cudaMalloc at a.cu:3, which was freed at a.cu:7" both places;
/// no lines: it names no such places.
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

std::string EmulatorReports::too_early(const std::string& said) const {
    const auto places = freed_in(said);
    const emulator::Site launch = run_.launched.site;
    LaterUses uses;
    if (launch.file != nullptr && file_name(launch.file) == places.second.path) {
        uses.uses.insert(launch.line);
    }
    return explain_freed(places.first, places.second, uses);
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
    // The host has read the copy's pointer from device memory, where it cannot.
    const bool is_pointer_known = said.reason == emulator::Reason::copy &&
                                  std::any_of(all.begin(), all.end(), [&](const Finding& each) {
                                      return each.fault == Fault::device_pointer &&
                                             !each.parties.empty() &&
                                             each.parties.front().at.line == said.line &&
                                             file_name(each.parties.front().at.path) == said.file;
                                  });
    if (is_pointer_known) return;
    if (is_later_use(said.text, {said.file, said.line}, said.reason == emulator::Reason::free))
        return;
    Finding made;
    made.fault = Fault::backend;
    made.kernel = said.kernel;
    made.file = file_name(said.file);
    made.line = said.line;
    if (explain_endless_loop(said, made)) {
        std::string rest = said.text;
        if (made.code == "endless_wait" && explain_full_table(made)) {
            rest = rest.substr(0, rest.find("\nIf the running thread waits"));
        } else if (made.code == "endless_wait") {
            add_changer(made);
        }
        if (made.advice.empty() || made.advice.back() != '\n') made.advice += '\n';
        made.advice += rest;
        const Watched* const memory =
            waited_.bytes != 0 ? run_.watched_at(waited_.address) : nullptr;
        if (made.code == "endless_wait" && memory != nullptr && memory->holds_values &&
            made.evidence.rfind(kUnchanged, 0) == 0) {
            const FindingList::Key key =
                FindingList::key_of(Fault::backend, made.parties.front().at, {"host", 0});
            awaited_ = {waited_.address, waited_.bytes, key, run_.launched.site, said.text};
            findings_.add(key, std::move(made));
            return;
        }
        const emulator::Site launch = run_.launched.site;
        const int copy = launch.file != nullptr && made.evidence.rfind(kUnchanged, 0) == 0
                             ? copy_beside(launch.file, launch.line)
                             : 0;
        if (copy != 0) {
            made.parties.push_back(
                party_at(SourcePlace{launch.file, copy}, "the host", "changes it later"));
            note_wait_for_host(made, said.text);
        }
    } else {
        made.code = emulator::code(said.reason);
        made.title = said.text;
        const auto [allocated, freed] = freed_in(said.text);
        const std::string owner = explain_owner(said.text, path_of(freed.path), run_.launched.site);
        made.advice = explain_missing(said) + owner + explain_null(said, made.title) +
                      explain_launch(said, made.title) + explain_direction(said.text) +
                      explain_symbol(said) + explain_reference(said, made.title);
        explain_refused_copy(run_, said, path_of(said.file), made);
        if (freed.line != 0 && said.kernel.empty()) {
            LaterUses& uses = later_uses_[FindingList::key_of(Fault::backend, allocated, freed)];
            uses.is_of_owner = !owner.empty();
            if (owner.empty() && said.line != freed.line)
                made.advice += explain_freed(allocated, freed, uses);
            findings_.add(FindingList::key_of(Fault::backend, allocated, freed), std::move(made));
            return;
        }
        if (said.reason == emulator::Reason::deadlock) explain_unreleased(said, made);
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

/// A pipeline whose stages nothing releases: what else was found in the kernel follows from that.
void EmulatorReports::explain_unreleased(const emulator::Report& said, Finding& made) {
    const emulator::Site launch = run_.launched.site;
    std::string name;
    const int wait = launch.file != nullptr && file_name(launch.file) == said.file
                         ? unreleased_wait(launch.file, said.line, &name)
                         : 0;
    if (wait == 0) return;
    const std::string file = launch.file;
    const int loop = loop_around(file, wait);
    made.advice = fmt::format(
        "\nNo stage is released, so line {} waits for the first one only, and line {} for one to "
        "be "
        "free: call\n{}.consumer_release() after the last use of each stage{}.",
        wait, said.line, name,
        loop != 0 ? fmt::format(", at the end of the loop of line {}", loop) : "");
    findings_.drop_if([&](const Finding& each) {
        const bool is_use = each.fault == Fault::race ||
                            (each.fault == Fault::uninitialised && !each.parties.empty());
        return is_use && each.kernel == said.kernel &&
               std::any_of(each.parties.begin(), each.parties.end(), [&](const Party& one) {
                   return one.at.path == file && one.at.line > wait &&
                          function_around(file, one.at.line).line ==
                              function_around(file, wait).line;
               });
    });
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

/// Whether threads of a file seem to take locks.
static bool has_locks(const std::string& file) {
    for (int line = 1; line <= line_count(file); ++line) {
        const std::string code = code_line(file, line);
        for (const char* const each :
             {"atomicCAS", "compare_exchange", "test_and_set", ".acquire()"}) {
            if (code.find(each) != std::string::npos) return true;
        }
        // "while (atomicExch(lock, 1) != 0) {}", not what only stores.
        const std::size_t at = std::min(code.find("atomicExch"), code.find(".exchange("));
        if (at != std::string::npos &&
            trimmed(code.substr(0, at)).find_last_of("(=!") != std::string::npos) {
            return true;
        }
    }
    return false;
}

/// The line between a launch and a store of the host that waits for the kernel; 0: none does.
static int wait_for_kernel(const std::string& file, int launch, int store) {
    const std::vector<std::string> given = call_arguments(file, launch, "<<<");
    const std::string stream = given.size() > 3 ? given[3] : "0";
    bool is_apart = false;  // from the legacy default stream
    for (int line = 1; line <= line_count(file); ++line) {
        is_apart =
            is_apart || code_line(file, line).find("cudaStreamNonBlocking") != std::string::npos;
    }
    for (int line = launch; line < store; ++line) {
        const std::string code = code_line(file, line);
        if (find_word(code, "cudaDeviceSynchronize") != std::string::npos) return line;
        const std::vector<std::string> synchronized =
            call_arguments(file, line, "cudaStreamSynchronize");
        if (find_word(code, "cudaStreamSynchronize") != std::string::npos &&
            synchronized == std::vector<std::string>{stream}) {
            return line;
        }
        for (const char* const call : {"cudaMemcpy", "cudaMemcpy2D", "cudaMemcpyFromSymbol",
                                       "cudaMemcpyToSymbol", "cudaFree"}) {
            if (!is_apart && find_word(code, call) != std::string::npos) return line;
        }
    }
    return 0;
}

/// The line after a launch that copies to one of its arguments in another stream, while the kernel
/// runs; 0: none does.
static int copy_beside(const std::string& file, int launch) {
    constexpr int kMaxLines = 40;
    const std::vector<std::string> shape = call_arguments(file, launch, "<<<");
    const std::vector<std::string> given = call_arguments(file, launch, ">>>");
    const std::string function = host_function_around(file, launch);
    for (int line = launch + 1; line < launch + kMaxLines; ++line) {
        for (const char* const call : {"cudaMemcpyAsync", "cudaMemsetAsync"}) {
            if (find_word(code_line(file, line), call) == std::string::npos) continue;
            const std::vector<std::string> each = call_arguments(file, line, call);
            const bool is_target =
                !each.empty() &&
                std::any_of(given.begin(), given.end(), [&](const std::string& one) {
                    return last_name(one) == last_name(each.front());
                });
            if (is_target && shape.size() > 3 && each.back() != shape[3] &&
                host_function_around(file, line) == function &&
                wait_for_kernel(file, launch, line) == 0) {
                return line;
            }
        }
    }
    return 0;
}

static void note_wait_for_host(Finding& made, const std::string& said) {
    constexpr char kFor[] = "no progress for ";
    const std::size_t begin = said.find(kFor) + sizeof kFor - 1;
    const std::string limit = said.substr(begin, said.find(" s ", begin) - begin);
    made.is_note = true;
    made.title = "note: not checked: kernel " + made.kernel + " waits for the host";
    made.evidence = fmt::format(
        "Here the host goes on only when a kernel has ended, so the two cannot run at the same "
        "time: the kernel was\nended (TUTORIAL_CPU_TIME_LIMIT, {} s here), and neither its results "
        "nor what uses them was checked.",
        limit);
    made.advice.clear();
}

bool EmulatorReports::host_stores(SiteId id, std::uintptr_t address, std::size_t bytes) {
    if (awaited_.bytes == 0 || address >= awaited_.address + awaited_.bytes ||
        awaited_.address >= address + bytes) {
        return false;
    }
    Finding* const made = findings_.find(awaited_.key);
    const Place store = place_of(id);
    const emulator::Site launch = awaited_.launch;
    awaited_.bytes = 0;
    if (made == nullptr) return true;
    const bool is_one_function = launch.file != nullptr && store.file == launch.file &&
                                 launch.line < store.line &&
                                 host_function_around(store.file, launch.line) ==
                                     host_function_around(store.file, store.line);
    const int wait = is_one_function ? wait_for_kernel(store.file, launch.line, store.line) : 0;
    if (store.is_known()) made->parties.push_back(host(id, "changes it later"));
    if (wait != 0) {
        made->evidence =
            fmt::format("Line {} waits for the kernel, which waits for line {}.", wait, store.line);
        made->advice = fmt::format(" Change it before line {}.\n{}", wait, awaited_.said);
        return true;
    }
    note_wait_for_host(*made, awaited_.said);
    return true;
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

const EmulatorReports::Word* EmulatorReports::word_of(const Access& access) const {
    const Word& word = words_[access.address / kWordBytes % words_.size()];
    return access.bytes != 0 && word.address == access.address ? &word : nullptr;
}

bool EmulatorReports::has_ended(const Use& by) const {
    const WatchedBlock* const block = run_.find(by.block);
    return block == nullptr || block->block == nullptr ||
           block->block->threads[static_cast<std::size_t>(by.thread)].state ==
               emulator::State::returned;
}

/// Of the words that the waiting thread reads in turn, the one that another thread has changed
/// which has ended since.
void EmulatorReports::choose_waited() {
    const auto is_left = [&](const Access& access) {
        const Word* const word = word_of(access);
        return word != nullptr && word->changed.site != kNoSite && has_ended(word->changed);
    };
    if (is_left(waited_)) return;
    const Place asked = place_of(waited_.site);
    for (const Other& each : others_) {
        if (each.access.bytes == 0 || each.thread != waiting_ || each.block != waiting_block_)
            continue;
        const Place other = place_of(each.access.site);
        const auto [low, high] = std::minmax(asked.line, other.line);
        const bool is_of_loop =
            asked.file == other.file && (low == high || is_in_loop(asked.file, low, high));
        if (is_of_loop && is_left(each.access)) {
            waited_ = each.access;
            return;
        }
    }
}

/// The lines of the function around a line that store to what it names, and the name.
static std::vector<int> stores_to_named(const std::string& file, int line, std::string* stored) {
    std::vector<int> made;
    const int first = function_around(file, line).line;
    for (const std::string& name : names_in(code_line(file, line))) {
        for (int at = first; first != 0 && at <= line_count(file); ++at) {
            if (at != first && function_around(file, at).line != first) break;
            const std::string code = without_blanks(code_line(file, at));
            bool stores = code.find("(&" + name + "[") != std::string::npos ||
                          code.find("(" + name + ",") != std::string::npos ||
                          code.find("(&" + name + ",") != std::string::npos;
            stores = stores && code.find("atomic") != std::string::npos;
            for (const Assignment& each : assignments(file, at)) {
                const std::string target = without_blanks(each.target);
                stores = stores || target == "*" + name || target.rfind(name + "[", 0) == 0;
            }
            if (stores && at != line) made.push_back(at);
        }
        *stored = name;
        if (!made.empty()) break;
    }
    return made;
}

/// A thread waits for the item that it is to store itself, in a later line: what to do; else empty.
std::string EmulatorReports::waits_for_itself(const Place& wait, const std::string& array,
                                              int store) const {
    const Watched* const memory = run_.watched_at(waited_.address);
    if (memory == nullptr || store <= wait.line || run_.launches.empty()) return {};
    // The kernel has ended, so its block is no longer there to ask.
    const emulator::LaunchShape& shape = run_.launches.back().second;
    const auto known = [&](const std::string& name) -> std::optional<std::int64_t> {
        if (name == "threadIdx.x" && shape.block.y * shape.block.z == 1) return waiting_;
        if (name == "blockIdx.x" && shape.grid.y * shape.grid.z == 1)
            return static_cast<std::int64_t>(waiting_block_);
        if (name == "blockDim.x") return shape.block.x;
        return std::nullopt;
    };
    const auto index_in = [&](int line) {
        const std::vector<IndexText> all = indexes_of(code_line(wait.file, line));
        const auto found = std::find_if(all.begin(), all.end(), [&](const IndexText& each) {
            return each.array == array && each.position == 0;
        });
        return found == all.end() ? std::string() : found->index;
    };
    const std::string own = index_in(store), awaited = index_in(wait.line);
    const std::size_t item = (waited_.address - memory->begin) / waited_.bytes;
    if (own.empty() || awaited.empty() ||
        SourceValues(wait.file, store, known).of(own) != static_cast<std::int64_t>(item)) {
        return {};
    }
    return fmt::format(
        "\nIt waits for the item of {} that it is to store itself, in line {} after the wait.\n"
        "Let it wait only for the items of other threads: if {} != {}.\n",
        array, store, awaited, own);
}

bool EmulatorReports::explain_full_table(Finding& made) const {
    const Place asked = place_of(waited_.site);
    const int head = loop_around(asked.file, asked.line);
    const std::vector<std::string> given = call_arguments(asked.file, asked.line, "atomicCAS");
    if (head == 0 || given.size() != 3) return false;
    // A lock of each item is given back, or should be.
    const std::string word = without_blanks(given.front());
    for (int at = 1; at <= line_count(asked.file); ++at) {
        if (without_blanks(code_line(asked.file, at)).find("atomicExch(" + word) !=
            std::string::npos)
            return false;
    }
    if (lock_around(asked.file, asked.line + 1).taken == asked.line) return false;
    const int last = end_of_loop(asked.file, asked.line, asked.line);
    const std::vector<std::string> names = names_in(given.front());
    const bool walks = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return changes_in_loop(asked.file, head, last, name);
    });
    const Watched* const memory = run_.watched_at(waited_.address);
    if (!walks || memory == nullptr) return false;
    const SourceValues values(asked.file, asked.line,
                              [](const std::string&) { return std::nullopt; });
    const std::optional<std::int64_t> free = values.of(given[1]);
    const bool are_words = waited_.bytes <= sizeof(std::uint64_t) &&
                           given.front().find('.') == std::string::npos &&
                           given.front().find("->") == std::string::npos;
    const std::size_t items = are_words ? memory->bytes / waited_.bytes : 0;
    std::size_t left = 0;
    for (std::size_t i = 0; i < items && free; ++i) {
        const std::uint64_t wanted = static_cast<std::uint64_t>(*free);
        left += std::memcmp(reinterpret_cast<const void*>(memory->begin + i * waited_.bytes),
                            &wanted, waited_.bytes) == 0;
    }
    made.code = "endless_loop";
    made.title = "endless loop in " + made.kernel;
    made.parties.front().what = "was still looking for a free item";
    if (items == 0 || !free) {
        made.evidence = "All items that the loop comes to are taken.";
    } else if (left == 0) {
        made.evidence = fmt::format("All {} items of {} are taken.", items, memory->description);
    } else {
        made.evidence =
            fmt::format("Of the {} items of {}, {} are free, but the loop never comes to them.",
                        items, memory->description, left);
        made.advice = "\nDo its steps lead to all items?";
        return true;
    }
    made.advice =
        "\nMake the table larger than the number of different keys, or stop after as many steps "
        "as it has items.";
    return true;
}

void EmulatorReports::add_changer(Finding& made) {
    choose_waited();
    const Word* const found = word_of(waited_);
    if (found == nullptr) return;
    const Word& word = *found;
    const Use& by = word.changed;
    const Place asked = place_of(waited_.site);
    if (by.site == kNoSite) {
        if (word.is_lost) return;
        made.evidence = kUnchanged;
        const Watched* const memory = run_.watched_at(word.address);
        if (memory != nullptr && memory->holds_values) {
            made.evidence +=
                " If the host is to do that: here it goes on\nonly when the kernel has "
                "ended, so a kernel that waits for the host cannot be tried.";
        }
        std::string name;
        const std::vector<int> stores = stores_to_named(asked.file, asked.line, &name);
        if (stores.size() != 1) return;
        made.advice = waits_for_itself(asked, name, stores.front());
        if (!made.advice.empty()) return;
        made.advice = fmt::format(
            "\nOnly line {} stores to {}{}: does a thread come there while this one waits, and "
            "does "
            "it store to the\nsame item?\n",
            stores.front(), name, is_in_branch(asked.file, stores.front()) ? ", in a branch" : "");
        return;
    }
    // One that waits itself is named in the text.
    if (!has_ended(by)) return;
    const Place at = place_of(by.site);
    made.parties.push_back(party_at(source_place(at),
                                    fmt::format("thread {} of block {}", by.thread, by.block),
                                    "was the last to change it (it has ended since)"));
    const Lock lock = lock_around(at.file, at.line + 1);
    if (lock.taken != at.line) {
        std::int32_t now = 0;
        std::memcpy(&now, reinterpret_cast<const void*>(word.address), sizeof now);
        if (waited_.bytes == sizeof now) made.evidence = fmt::format("It holds {} now.", now);
        if (!has_locks(at.file)) {
            made.advice =
                "\nNo other change will come: does that thread change it as often as this one "
                "waits for it?\n";
        }
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

/// Whether an expression at a line may differ between threads: it is computed in this function from
/// the thread's place.
static bool depends_on_thread(const std::string& file, int line, const std::string& expression,
                              int depth = 4) {
    for (const char* const place : {"threadIdx", "thread_rank(", "%laneid"}) {
        if (expression.find(place) != std::string::npos) return true;
    }
    if (depth == 0) return false;
    const int first = function_around(file, line).line;
    for (const std::string& name : names_in(expression)) {
        int defined = 0;
        const std::string value = definition(file, line, name, &defined);
        if (!value.empty() && defined >= first && value != expression &&
            depends_on_thread(file, defined, value, depth - 1)) {
            return true;
        }
    }
    return false;
}

/// "for (int i = lane; …", "while (i < n)": the innermost loop around a line that threads may run
/// for different numbers of rounds; 0: there is none.
static int uneven_loop_around(const std::string& file, int line) {
    for (const int loop : loops_around(file, line)) {
        const std::string code = code_line(file, loop);
        const std::size_t open = code.find('(');
        if (open == std::string::npos) continue;
        const std::string head = code.substr(open, after_bracket(code, open) - open);
        // A vote has the same result in all threads.
        if (head.find("_sync(") == std::string::npos && head.find("__syncthreads") >= head.size() &&
            depends_on_thread(file, loop, head)) {
            return loop;
        }
    }
    return 0;
}

/// The barrier, shuffle or vote on a line, by its name.
static std::string collective_on(const std::string& file, int line) {
    const std::string code = code_line(file, line);
    for (const char* const part : {"__sync", "_sync(", "shfl", "any(", "all(", "ballot("}) {
        std::size_t end = code.find(part);
        if (end == std::string::npos) continue;
        end = std::min(code.find('(', end), code.size());
        return name_before(code, end);
    }
    return {};
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

/// A mask that differs between lanes that it names; `file`: its source, if that is known.
static std::string explain_mask(const emulator::Report& said, const std::string& file) {
    const std::size_t at = said.text.find("the mask 0x");
    if (at == std::string::npos) return {};
    const unsigned mask =
        static_cast<unsigned>(std::strtoul(said.text.c_str() + at + 9, nullptr, 16));
    const unsigned width = static_cast<unsigned>(__builtin_popcount(mask));
    const unsigned first = mask != 0 ? static_cast<unsigned>(__builtin_ctz(mask)) : 0;
    const bool is_group =
        width > 1 && width < 32 && (width & (width - 1)) == 0 && mask >> first == (1u << width) - 1;
    const bool is_called = said.text.find("calling lane ") != std::string::npos;
    int line = said.line;
    const std::string collective = collective_on(file, line);  // a macro may have no mask
    const std::vector<std::string> given = call_arguments(file, line, collective);
    const bool is_given = !given.empty() && collective.find("_sync") != std::string::npos;
    const std::string made = !is_given ? "" : computation(file, line, given.front(), &line);
    std::string computed =
        line == said.line ? "" : fmt::format("\nLine {} computes the mask: {}.", line, made);
    const std::string groups = fmt::format("for groups of {}, 0x{:x}u << (lane / {} * {}).", width,
                                           is_group ? (1u << width) - 1 : 0, width, width);
    if (!is_called) {
        if (!is_group) return computed;
        return fmt::format("{}{}It must be the same in all lanes of a group: {}", computed,
                           computed.empty() ? "\n" : " ", groups);
    }
    return computed +
           "\nIf the whole warp makes the call, the mask is 0xffffffff. If parts of it do, each "
           "part needs a mask of its\nown lanes: " +
           (is_group ? groups : "0x0000ffff for lanes 0 to 15, 0xffff0000 for lanes 16 to 31.");
}

static std::string explain_loop(const std::string& file, int line, int loop, bool waits,
                                bool is_of_block) {
    const bool is_while = find_word(source_line(file, loop), "while") != std::string::npos;
    return fmt::format(
        "\nLine {} is in the loop of line {}: if threads run it for different numbers of rounds, "
        "let all run it as\noften, and skip only the work{}.",
        line, loop,
        is_while && is_of_block ? ": __syncthreads_or(condition) is the same for all threads"
        : is_while && !waits    ? ": __any_sync(mask, condition) is the same for all lanes"
                                : "");
}

/// ", and begin another one, if (i < n), for line 15": for what a branch does after its last
/// barrier; empty: nothing.
static std::string branch_again(const std::string& file, int branch, int barrier) {
    int last = barrier, end = barrier;
    for (; is_in_branch_of(file, branch, end + 1); ++end) {
        if (!collective_on(file, end + 1).empty()) last = end + 1;
    }
    const int loop = loop_around(file, last);
    while (loop > branch && is_in_loop(file, loop, last + 1)) ++last;
    for (int line = last + 1; line <= end; ++line) {
        if (code_line(file, line).find('[') == std::string::npos) continue;
        const std::string code = code_line(file, branch);
        const std::size_t open = code.find('(');
        const std::size_t close = open == std::string::npos ? open : after_bracket(code, open);
        if (close == std::string::npos || find_word(code, "else") != std::string::npos) return {};
        return fmt::format(",\nand begin another one, if {}, for line {}",
                           code.substr(open, close - open), line);
    }
    return {};
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
    if (const std::size_t at = said.text.find("with width "); at != std::string::npos) {
        return std::atoi(said.text.c_str() + at + 11) > 32
                   ? "\nA shuffle stays within a warp, 32 lanes: combine the values of each warp, "
                     "then those of the warps by way of\nshared memory."
                   : "\nTake 32, the width of a warp: launch whole warps, begin with a step of 16, "
                     "and let lanes without an item\ngive a value that changes nothing, such as 0 "
                     "in a sum.";
    }
    // Most kernels are in the file that launches them.
    const emulator::Site launch = run_.launched.site;
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(run_.last_pc);
    std::string file = launch.file != nullptr ? launch.file : "";
    if (file_name(file) != said.file) file = at != 0 ? user_place(at - 1).file : std::string();
    if (said.text.find("calling lane ") != std::string::npos ||
        said.text.find("called with the mask ") != std::string::npos) {
        return explain_mask(said, file_name(file) == said.file ? file : std::string());
    }
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
    if (is_short) {
        const std::vector<int> all = arrivals_at(file, said.line);
        const auto other =
            std::find_if(all.begin(), all.end(), [&](int line) { return line != said.line; });
        const int made = other != all.end() ? init_of(file, said.line) : 0;
        if (made != 0) {
            return fmt::format(
                "\nOther threads arrive there in line {}. A phase needs as many arrivals as init() "
                "in line {} says: do all of\nthem arrive in each round, and does none go on to the "
                "next round too early?",
                *other, made);
        }
    }
    const bool waits = is_barrier || is_short;
    const std::string what = waits ? "barrier" : "call";
    int loop = loop_around(file, said.line);
    // The lines at which threads wait, and those that call their function.
    constexpr std::size_t kMaxCalls = 8;
    std::vector<int> lines = lines_named(said);
    std::stable_partition(lines.begin(), lines.end(), [&](int line) {
        return branch_around_call(file, line, collective_on(file, line)) != 0;
    });
    // Some may have left the loop in which others wait.
    int line_in_loop = said.line;
    for (std::size_t i = 0; i < lines.size() && loop == 0; ++i) {
        line_in_loop = lines[i];
        loop = loop_around(file, line_in_loop);
    }
    const std::size_t direct = lines.size();
    const std::string function = function_around(file, said.line).name;
    for (std::size_t i = 0; i < lines.size() && lines.size() < kMaxCalls; ++i) {
        std::vector<int> calls = calls_of_function(file, lines[i]);
        // A branch that says which threads enter it comes first, also in a helper.
        std::stable_partition(calls.begin(), calls.end(), [&](int line) {
            const int branch = branch_around_call(file, line, function);
            const std::string code = code_line(file, std::max(branch, 1));
            return branch != 0 && (depends_on_thread(file, branch, code) ||
                                   code.find("tid") != std::string::npos ||
                                   code.find("thread") != std::string::npos ||
                                   code.find("lane") != std::string::npos);
        });
        lines.insert(lines.end(), calls.begin(), calls.end());
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int line = lines[i];
        const std::string where = i < direct
                                      ? fmt::format("\nLine {} is", line)
                                      : fmt::format("\nLine {} is in {}(), to which line {} leads,",
                                                    said.line, function, line);
        const std::string call =
            i < direct ? collective_on(file, line) : function_around(file, said.line).name;
        const bool is_of_items = source_line(file, line).find('[') != std::string::npos;
        if (is_behind_and(file, line, call)) {
            return fmt::format(
                "{}\nIn line {} the call stands after && or ||, so some threads skip it: make it "
                "before, and use its\nresult in the condition.{}",
                i < direct ? "" : where.substr(0, where.size() - 1) + ".", line,
                !waits && is_of_items ? " Give lanes without an item a value that changes nothing."
                                      : "");
        }
        const int uneven = uneven_loop_around(file, line);
        const int branch = branch_around_call(file, line, call);
        const bool is_same_branch = branch != 0 && branch < uneven &&
                                    !depends_on_thread(file, branch, code_line(file, branch));
        if (branch != 0 && !is_same_branch) {
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
            // "} else if (call()) {"
            const bool is_else =
                branch == line && find_word(code_line(file, line), "else") != std::string::npos;
            const std::string in =
                is_else ? fmt::format("{} after an else: ", where)
                        : fmt::format("{} in the branch of line {}: ", where, branch);
            // A loop over tiles, which all threads load.
            if (const int rounds = loop_around(file, line); waits && rounds > branch) {
                return fmt::format(
                    "{}let all threads run the loop\nof line {}: test each index where items are "
                    "loaded, and let the branch be around what is stored at the\nend.",
                    in, rounds);
            }
            if (waits) {
                return fmt::format("{}end the branch before it, so that all threads reach it{}.",
                                   in, branch_again(file, branch, line));
            }
            return fmt::format(
                "{}{}", in,
                has_result && is_of_items
                    ? "move the call out of it, so that all\nlanes of the mask reach "
                      "it, give lanes without an item a value that changes "
                      "nothing, and use the\nresult there."
                : has_result ? "move the call out of it, so that all\nlanes of the "
                               "mask reach it, and use its result there."
                             : "move the call out of it, so that all\nlanes of the "
                               "mask reach it.");
        }
        const int exit = exit_before(file, line);
        if (uneven != 0 && exit <= uneven) {
            return (i < direct ? "" : where.substr(0, where.size() - 1) + ".") +
                   explain_loop(file, line, uneven, waits, is_barrier && !is_grid);
        }
        if (exit != 0) {
            const bool has_arrive =
                source_line(file, said.line).find(".arrive") != std::string::npos;
            const int stored = i < direct ? shared_store_between(file, exit, line) : 0;
            return fmt::format(
                "{}\n{} may leave in line {}: let them {}skip the work, but not the {}{}{}.",
                i < direct ? "" : where.substr(0, where.size() - 1) + ".",
                is_grid ? "Blocks" : "Threads", exit,
                is_short && has_arrive ? "call arrive_and_drop() first, or " : "", what,
                stored == 0 ? ""
                            : fmt::format(", nor what line {}\nstores for others (without an "
                                          "item, a value that changes nothing)",
                                          stored),
                loop == 0 || exit < loop || i >= direct ? ""
                : is_grid ? "; or let all leave\nthe loop in the same round, by a value in global "
                            "memory that all read between two grid barriers"
                          : "; or let all leave\nthe loop in the same round");
        }
    }
    return loop == 0 ? std::string()
                     : explain_loop(file, line_in_loop, loop, waits, is_barrier && !is_grid);
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
/// Where the constants of a line are set that others, such as the kernel, may use as well; else
/// empty.
static std::string constants_of(const std::string& file, int line, const std::string& code) {
    for (int at = line - 1; at > 0; --at) {
        const std::string above = code_line(file, at);
        if (find_word(above, "constexpr") == std::string::npos &&
            find_word(above, "define") == std::string::npos)
            continue;
        for (const std::string& name : names_in(code)) {
            if (find_word(above, name) == std::string::npos || name == "const") continue;
            return fmt::format(
                "\n{} is set in line {}: change it there, as the grid and the kernel "
                "may depend on it too.",
                name, at);
        }
    }
    return {};
}

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
    const bool is_product = said.text.find("the product of the block's sizes") != std::string::npos;
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
        return fmt::format("\n{} gets its value in line {}: {}{}", names.front(), line,
                           trimmed(code), is_product ? constants_of(file, line, code) : "");
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
        // A function that the loop calls may make the access.
        const auto is_near = [&](const Place& use) {
            return use.file == here.file &&
                   (use.line == here.line || is_in_loop(here.file, std::min(here.line, use.line),
                                                        std::max(here.line, use.line)));
        };
        const bool is_waiting = asked.is_known() && (yields || waiting_ == run_.number) &&
                                (is_near(asked) || is_near(kernel_place_of(waited_.site)));
        const std::string who = !is_waiting ? "it"
                                : yields    ? "a thread"
                                            : fmt::format("thread {}", run_.number);
        made.parties = {party_at(source_place(is_waiting ? asked : here), who,
                                 is_waiting ? "waits for a change of what it reads" : "was still")};
        made.code = is_waiting ? "endless_wait" : "endless_loop";
        made.title = (is_waiting ? "endless wait in " : "endless loop in ") + said.kernel;
        const std::vector<Finding>& all = findings_.all();
        const bool is_order_told = std::any_of(all.begin(), all.end(), [&](const Finding& each) {
            return each.code == "lock_order" && each.kernel == said.kernel;
        });
        const bool is_unset = std::any_of(all.begin(), all.end(), [&](const Finding& each) {
            return each.fault == Fault::uninitialised && !each.parties.empty() &&
                   each.parties.front().at.line == asked.line;
        });
        made.advice =
            is_waiting
                ? is_unset ? "\nWhat it reads was never set (see that report): set it before the "
                             "launch, so that a thread can go on."
                  : is_order_told
                      ? "\nIt waits for a lock, and the thread that has that one waits for "
                        "another: see the report on their order."
                  : has_locks(asked.file)
                      ? "\nThe thread that should change it has ended, is waiting itself, or has "
                        "not started: release a lock\non every path, and do not let lanes of one "
                        "warp wait for each other.\n"
                      : "\nThe thread that should change it has ended, is waiting itself, or has "
                        "not started.\n"
                : "\n" + endless_condition(here.file, here.line);
        return true;
    }
    return false;
}

}  // namespace lab
