#include "words.hpp"

#include "finding_list.hpp"

namespace lab {

std::string bytes_text(std::size_t bytes) {
    return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

std::string items_text(std::size_t first, std::size_t last) {
    return first == last ? fmt::format("item {}", first)
                         : fmt::format("items {} to {}", first, last);
}

const char* does(bool stores) { return stores ? "writes" : "reads"; }

Party party_at(const SourcePlace& at, std::string who, std::string what, std::int64_t block,
               std::int64_t thread) {
    return {std::move(who), std::move(what), false, block, thread, at};
}

Party call(std::string who, std::string what, emulator::Site site) {
    return {std::move(who), std::move(what), true, -1, -1, source_place(site)};
}

Party host(SiteId id, std::string what) {
    return party_at(source_place(place_of(id)), "the host", std::move(what));
}

void cure(Finding& made, Cure how, const SourcePlace& place, std::string words, Spot spot) {
    made.cure = how;
    made.cure_place = place;
    made.spot = spot;
    made.advice = std::move(words);
}

std::string who(const Execution& run, int thread) {
    const uint3 at = run.block->block->indices[static_cast<std::size_t>(thread)];
    const dim3 shape = run.worker->launch->shape.block;
    if (shape.y == 1 && shape.z == 1) return fmt::format("thread {}", thread);
    return fmt::format("thread ({},{},{})", at.x, at.y, at.z);
}

std::string item_of(const emulator::SharedRegion& region, std::size_t within, std::uint32_t bytes) {
    if (region.bytes <= bytes || within % bytes != 0) return region.name;
    std::size_t item = within / bytes, items = 1;
    const emulator::Extents none{};
    const auto& extents = (region.variable != nullptr ? region.variable->extents : none).items;
    for (const std::size_t each : extents) items *= each != 0 ? each : 1;
    // Of a struct or of several items at a time: its place tells nothing of rows.
    if (extents[1] == 0 || items * bytes != region.bytes) {
        return fmt::format("{}[{}]", region.name, item);
    }
    std::string text = region.name;
    for (const std::size_t each : extents) {
        if (each == 0) break;
        items /= each;
        text += fmt::format("[{}]", item / items);
        item %= items;
    }
    return text;
}

Target target(const Variable& variable, std::uintptr_t address, std::uint32_t bytes) {
    const std::size_t within = address - variable.begin;
    return {variable.name,
            variable.bytes > bytes && within % bytes == 0
                ? fmt::format("{}[{}]", variable.name, within / bytes)
                : variable.name,
            fmt::format("{}, {}", variable.name, bytes_text(variable.bytes)), within,
            variable.bytes};
}

Target target(const LocalArray& array, std::uintptr_t address, std::uint32_t bytes) {
    const std::size_t within = address - array.begin;
    return {array.name,
            within % bytes == 0 ? fmt::format("{}[{}]", array.name, within / bytes) : array.name,
            fmt::format("{}, a local array of {}, declared at {}:{}", array.name,
                        bytes_text(array.bytes), file_name(array.site.file), array.site.line),
            within, array.bytes};
}

Target target(Execution& run, std::uintptr_t address, std::uint32_t bytes) {
    if (run.is_shared(address)) {
        const std::size_t offset = address - run.block->arena;
        const emulator::SharedRegion* nearest = nullptr;
        for (const emulator::SharedRegion& region : run.block->block->regions) {
            if (region.offset <= offset &&
                (nearest == nullptr || region.offset > nearest->offset)) {
                nearest = &region;
            }
        }
        if (nearest == nullptr) return {"shared memory", "shared memory", ""};
        const std::size_t within = offset - nearest->offset;
        return {nearest->name, item_of(*nearest, within, bytes),
                fmt::format("{}, shared, {}, declared at {}:{}", nearest->name,
                            bytes_text(nearest->bytes),
                            file_name(nearest->site.file != nullptr ? nearest->site.file : ""),
                            nearest->site.line),
                within, nearest->bytes};
    }
    Watched* const found = run.watched_at(address);
    if (found == nullptr) {
        const Variable* const variable = variable_at(address);
        if (variable == nullptr) return {"memory", "memory", ""};
        return target(*variable, address, bytes);
    }
    const std::size_t within = address - found->begin;
    return {fmt::format("{} {}", found->call, found->number),
            address < found->begin || within % bytes != 0
                ? found->description
                : fmt::format("item {} of {}", within / bytes, found->description),
            found->description, within, found->bytes};
}

Party party(const Execution& run, const Access& access, std::string what) {
    Party made = party_at(source_place(place_of(access.site)),
                          fmt::format("{} of block {}", who(run, run.number), run.block->index),
                          std::move(what), static_cast<std::int64_t>(run.block->index), run.number);
    made.call = source_place(call_of(access.site));
    return made;
}

Finding finding(const Execution& run, Fault fault, const char* code, const std::string& title,
                Party party) {
    Finding made;
    made.fault = fault;
    made.code = code;
    if (run.worker != nullptr) made.kernel = run.worker->launch->kernel_name();
    made.title = title + " in " + made.kernel;
    made.parties.push_back(std::move(party));
    put_places(made);
    return made;
}

}  // namespace lab
