#include "rules.hpp"

#include <algorithm>
#include <set>

#include "source_calls.hpp"
#include "source_structs.hpp"
#include "source_updates.hpp"
#include "source_values.hpp"
#include "source_words.hpp"

namespace lab {

namespace {

/// The arrays that a place's line names. Before the declaration the name means something else, such
/// as a helper's argument.
std::vector<const emulator::SharedRegion*> arrays_at(const emulator::Block& block,
                                                     const Place& place) {
    std::vector<const emulator::SharedRegion*> made;
    const std::string code = code_line(place.file, place.line);
    for (const emulator::SharedRegion& each : block.dynamic_arrays) {
        const std::size_t at = find_word(code, each.name);
        if (at == std::string::npos || code.find(std::string(each.name) + "[") == std::string::npos)
            continue;
        if (place.line >= each.site.line || file_name(place.file) != file_name(each.site.file))
            made.push_back(&each);
    }
    return made;
}

/// "float" of "extern __shared__ float tile[];"
std::string item_type(const emulator::SharedRegion& array) {
    const std::string code = code_line(array.site.file, array.site.line);
    const std::size_t begin = find_word(code, "__shared__"), end = find_word(code, array.name);
    if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
    return trimmed(code.substr(begin + 10, end - begin - 10));
}

/// How many items a kernel uses of an array, by its indexes: "blockDim.x" of "tile[threadIdx.x]",
/// "n" of a loop below n; empty: nothing tells.
std::string items_used(const emulator::SharedRegion& array, const Place& here) {
    constexpr int kMaxLines = 100;
    const int first = function_around(here.file, here.line).line;
    std::set<std::string> all;
    for (int line = first; line < first + kMaxLines; ++line) {
        if (function_around(here.file, line).line != first) break;
        for (const IndexText& each : indexes_of(code_line(here.file, line))) {
            if (each.array != array.name) continue;
            bool is_loop = false;
            for (const Guard& guard : guards_of(here.file, line, each.index)) {
                if (!guard.is_loop || guard.operation != "<") continue;
                is_loop = true;
                all.insert(guard.right);
            }
            std::string index = definition(here.file, line, each.index);
            if (index.empty()) index = each.index;
            if (!is_loop && index.find("threadIdx.x") != std::string::npos &&
                index.find_first_of("+-*/%&|^[") == std::string::npos) {
                all.insert("blockDim.x");
            }
        }
    }
    return all.size() == 1 ? *all.begin() : std::string();
}

}  // namespace

/// Which array a place uses; empty: not known. Of a line that assigns items of several, the first
/// place that stores is the first assignment.
const std::string& OverlappingArrays::array_of(const Access& access) {
    SiteArray& known = sites_[access.site];
    if (known.is_asked) return known.name;
    known.is_asked = true;
    const Place place = place_of(access.site);
    const std::vector<const emulator::SharedRegion*> all = arrays_at(*run_.block->block, place);
    if (all.size() == 1) known.name = all.front()->name;
    if (all.size() < 2 || !access.is_store || access.is_atomic) return known.name;
    const std::string code = code_line(place.file, place.line);
    for (const char* const other :
         {"else", "?", "++", "--", "+=", "-=", "*=", "|=", "^=", "&=", "atomic"}) {
        if (code.find(other) != std::string::npos) return known.name;
    }
    std::vector<std::string> targets;
    for (const Assignment& each : assignments(place.file, place.line)) {
        const std::string name = each.target.substr(0, each.target.find('['));
        for (const emulator::SharedRegion* const one : all) {
            if (name == one->name && name != each.target) targets.push_back(name);
        }
    }
    if (known.number < targets.size()) known.name = targets[known.number];
    return known.name;
}

/// The two arrays of which a line reads one item each, so that two loads of one word are loads of
/// both.
bool OverlappingArrays::reads_one_of_each(const Place& place) const {
    const std::string code = code_line(place.file, place.line);
    const auto all = arrays_at(*run_.block->block, place);
    return all.size() == 2 &&
           std::all_of(all.begin(), all.end(), [&](const emulator::SharedRegion* each) {
               return words_at(code, each->name).size() == 1;
           });
}

/// Two extern __shared__ arrays begin at the same place: what was written under one name is read
/// under the other. The source lines tell the names.
void OverlappingArrays::check(const Access& access, std::size_t offset) {
    const std::size_t arrays = run_.block->block->dynamic_arrays.size();
    if (arrays == 0 || offset >= run_.launched.dynamic_bytes) return;
    // The second array may become known only when it is first used.
    if (access.site >= sites_.size()) sites_.resize(access.site + 1u);
    if (SiteArray& at = sites_[access.site]; access.is_store && !at.is_numbered) {
        const Place place = place_of(access.site);
        at.is_numbered = true;
        at.number = stores_[{place.file, place.line}]++;
    }
    if (arrays < 2) return;
    if (serial_ != run_.block->serial) {
        serial_ = run_.block->serial;
        words_.assign(run_.launched.dynamic_bytes / kWordBytes + 1, {});
    }
    const std::string& name = array_of(access);
    const std::size_t end = std::min(offset + access.bytes, run_.launched.dynamic_bytes);
    for (std::size_t at = offset / kWordBytes; at * kWordBytes < end; ++at) {
        Word& word = words_[at];
        if (!access.is_store || access.is_atomic) {
            std::string lost = name;
            if (lost.empty() && word.read != kNoSite && word.read != access.site &&
                word.reader == run_.number) {
                const Place here = place_of(access.site), before = place_of(word.read);
                if (here.line == before.line && here.file == before.file &&
                    reads_one_of_each(here)) {
                    for (const emulator::SharedRegion* const each :
                         arrays_at(*run_.block->block, here)) {
                        if (each->name != word.array) lost = each->name;
                    }
                }
            }
            if (!lost.empty() && !word.array.empty() && lost != word.array)
                report(access, lost, word);
            word.read = access.site;
            word.reader = run_.number;
        }
        if (access.is_store) word = {name, access.site, run_.number, kNoSite, 0};
    }
}

void OverlappingArrays::report(const Access& access, const std::string& lost, const Word& word) {
    const std::vector<emulator::SharedRegion>& all = run_.block->block->dynamic_arrays;
    std::vector<const emulator::SharedRegion*> two;
    for (const emulator::SharedRegion& each : all) {
        if (each.name == lost || each.name == word.array) two.push_back(&each);
    }
    if (two.size() != 2) return;
    const FindingList::Key key =
        FindingList::key_of(Fault::overlap, source_place(two[0]->site), source_place(two[1]->site));
    if (findings_.is_known(key)) return;
    Finding made = finding(
        run_, Fault::overlap, "overlap", "overlapping arrays",
        party(run_, access, fmt::format("{} {}", access.is_store ? "changes" : "reads", lost)));
    made.parties.push_back(
        party_at(source_place(place_of(word.written)),
                 fmt::format("{} of block {}", who(run_, word.writer), run_.block->index),
                 fmt::format("has written {} there", word.array)));
    // What has the larger items comes first, as its address must be a multiple of their size.
    if (size_of_type(item_type(*two[0])) < size_of_type(item_type(*two[1])))
        std::swap(two[0], two[1]);
    const std::string type = item_type(*two[1]);
    const Place here = place_of(access.site);
    const std::string items = items_used(*two[0], here);
    std::string behind =
        fmt::format("{} + {}", two[0]->name,
                    items.empty() ? fmt::format("[items of {}]", two[0]->name) : items);
    if (type != item_type(*two[0])) behind = fmt::format("reinterpret_cast<{}*>({})", type, behind);
    const emulator::Site declared = two[1]->site;
    const int first = function_around(declared.file, declared.line).line;
    const bool is_in_kernel =
        first != 0 && open_braces(code_lines(declared.file, first, declared.line - first)) > 0;
    made.evidence =
        fmt::format("All extern __shared__ arrays begin at the same address, so {} and {} overlap.",
                    two[0]->name, two[1]->name);
    cure(made, Cure::one_array, source_place(two[1]->site),
         fmt::format("\nDeclare only {}, and {} line {}:\n    {}* {} = {};\nThe launch must "
                     "give bytes for both; it gives {}.",
                     two[0]->name,
                     is_in_kernel ? "write in place of" : "begin the kernel with this in place of",
                     two[1]->site.line, type.empty() ? "auto" : type, two[1]->name, behind,
                     run_.launched.dynamic_bytes));
    findings_.add(key, std::move(made));
}

}  // namespace lab
