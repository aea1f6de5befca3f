#include <algorithm>

#include "rules.hpp"
#include "source_blocks.hpp"
#include "source_calls.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {
namespace {

bool holds_any(const std::string& text, std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](const char* each) { return text.find(each) != std::string::npos; });
}

}  // namespace

/// Whether a line of a loop with barriers is "if (i < n) tile[t] = items[i];", and nothing stores
/// the other items of the tile.
bool EarlierRound::is_partial(const Place& store) {
    const std::string& file = store.file;
    const int line = store.line;
    const std::vector<Assignment> all = assignments(file, line);
    if (all.size() != 1 || is_operation(code_line(file, line))) return false;
    const std::string &target = all.front().target, &value = all.front().value;
    const std::vector<IndexText> to = indexes_of(target), from = indexes_of(value);
    if (to.empty() || from.size() != 1 || from.front().array == to.front().array ||
        value.find('?') != std::string::npos) {
        return false;
    }
    const FlatIndex flat = flat_index(from.front().index);
    guard_ = {};
    for (const std::string& part : {from.front().index, flat.column, flat.row}) {
        for (const Guard& each : guards_of(file, line, part)) {
            constexpr int kMaxLines = 2;
            const bool is_limit = each.operation[0] == '<' && !each.is_loop;
            if (is_limit && line - each.line <= kMaxLines && guard_.line == 0) guard_ = each;
        }
    }
    if (guard_.line == 0) return false;
    const int inner = loop_around(file, line);
    int low = line;
    if (barrier_in_loop(file, low, line) == 0) low = inner - 1;
    if (inner == 0 || barrier_in_loop(file, low, line) == 0) return false;
    const int head = loop_around(file, low), end = end_of_loop(file, low, line);
    for (int each = head; each <= end; ++each) {
        const std::string code = without_blanks(code_line(file, each));
        const bool is_other = code.rfind("else", 0) == 0 || code.rfind("}else", 0) == 0;
        const bool is_filled =
            (code.find('?') != std::string::npos && code.find(":0") != std::string::npos) ||
            holds_any(code, {"]=0", "={}", "]={0"});
        if (is_filled || (is_other && each >= line && each - line <= 2)) return false;
    }
    for (const IndexText& each : to) {
        for (const std::string& name : names_in(each.index)) {
            if (changes_in_loop(file, head, end, name)) return false;
        }
    }
    return true;
}

void EarlierRound::stored(SiteId site, const emulator::SharedRegion& region) {
    const auto [at, fresh] = stores_.try_emplace(site);
    if (!fresh) {
        at->second.offset = region.offset;
        return;
    }
    if (!is_partial(place_of(site))) return;
    at->second = {region.name, region.offset, region.bytes, guard_};
    has_any_ = true;
}

/// Whether what the line reads is added up: of the largest of some values, one may come twice.
bool EarlierRound::is_summed(const Place& read) {
    const int head = loop_around(read.file, read.line);
    const int first = head != 0 ? head : read.line;
    const int last = head != 0 ? end_of_loop(read.file, read.line, read.line) : read.line;
    for (int line = first; line <= last; ++line) {
        std::string code = without_blanks(code_line(read.file, line));
        if (line == head) code = code.substr(after_bracket(code, code.find('(')));
        if (holds_any(code, {"if(", "?", "min(", "max(", "minf(", "maxf(", "&&", "<"}))
            return false;
    }
    return true;
}

void EarlierRound::ends(const WatchedBlock& block) {
    if (block.shared == nullptr) return;
    const std::uint32_t now = block.clock.interval;
    for (auto& each : stores_) {
        const SiteId its = each.first;
        Store& store = each.second;
        if (store.bytes == 0 || store.is_said) continue;
        const auto is_its = [&](const Cell& cell) {
            return cell.write.epoch == block.serial && cell.write.site == its;
        };
        const std::size_t first = store.offset / kWordBytes;
        const std::size_t last = first + store.bytes / kWordBytes;
        std::uint32_t newest = 0;
        for (std::size_t i = first; i < last; ++i) {
            const Cell& cell = (*block.shared)[i];
            if (is_its(cell)) newest = std::max(newest, cell.write.interval);
        }
        if (newest == 0 || newest + 1 != now) continue;
        for (std::size_t i = first; i < last && !store.is_said; ++i) {
            const Cell& cell = (*block.shared)[i];
            const Users& read = cell.read[0];
            if (!is_its(cell) || cell.write.interval >= newest || read.epoch != block.serial ||
                read.interval != now || !is_summed(kernel_place_of(read.site))) {
                continue;
            }
            store.is_said = true;
            report(block, store, i, cell);
        }
    }
}

void EarlierRound::report(const WatchedBlock& block, const Store& store, std::size_t word,
                          const Cell& cell) {
    const auto one = [&](const Stamp& stamp, const char* what) {
        Party made = party_at(source_place(place_of(stamp.site)),
                              fmt::format("thread {} of block {}", stamp.thread, block.index), what,
                              static_cast<std::int64_t>(block.index), stamp.thread);
        made.call = source_place(call_of(stamp.site));
        return made;
    };
    const std::uint32_t bytes = site(cell.write.site).bytes;
    const std::size_t within = word * kWordBytes - store.offset;
    std::string item = store.name;
    for (const emulator::SharedRegion& each : block.block->regions) {
        if (each.offset == store.offset) item = item_of(each, within / bytes * bytes, bytes);
    }
    Finding made = finding(run_, Fault::uninitialised, "earlier_round",
                           "values of an earlier round", one(cell.read[0], "reads it"));
    made.parties.push_back(one(cell.write, "has stored it in an earlier round"));
    put_places(made);
    made.title += ", on " + item;
    const Guard& guard = store.guard;
    made.evidence = fmt::format("In this round {} {} {} in line {} was false for that item.",
                                guard.left, guard.operation, guard.right, guard.line);
    made.advice = fmt::format(
        " Use only the items that were\nstored in this round, or store in the others what adds "
        "nothing, as 0: an else for line {}.",
        guard.line);
    findings_.add(findings_.key_of(Fault::uninitialised, cell.read[0].site), std::move(made));
}

}  // namespace lab
