#include "places.hpp"

#include <fmt/format.h>

#include <vector>

namespace lab {

Place place_of(SiteId id) {
    const AccessSite& at = site(id);
    return user_place((at.caller != 0 ? at.caller : at.pc) - 1);
}

Place call_of(SiteId id) {
    const AccessSite& at = site(id);
    if (at.kernel_call != 0) return user_place(at.kernel_call - 1);
    // A helper that was inlined into the kernel.
    const std::vector<Place> places = places_of((at.caller != 0 ? at.caller : at.pc) - 1);
    const Place inner = place_of(id);
    if (places.empty() || !inner.is_known()) return {};
    const Place& outer = places.back();
    const bool is_helper =
        outer.file == inner.file && outer.function != inner.function && outer.line > 0;
    return is_helper ? outer : Place{};
}

Place kernel_place_of(SiteId id) {
    const Place call = call_of(id);
    return call.is_known() ? call : place_of(id);
}

SourcePlace source_place(const Place& place) { return {place.file, place.line}; }

SourcePlace source_place(emulator::Site site) {
    return {site.file != nullptr ? site.file : "", site.line};
}

std::string at_line(const SourcePlace& place) {
    return fmt::format("{}:{}", file_name(place.path), place.line);
}

std::string quote(const SourcePlace& place) {
    return fmt::format("  {:>5} | {}", place.line, source_line(place.path, place.line));
}

}  // namespace lab
