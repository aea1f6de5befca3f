// Where in the user's source a fault happens, in words.
#pragma once

#include <string>

#include "access_sites.hpp"
#include "emulator/for_observers.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"

namespace lab {

/// The innermost line that is the user's.
Place place_of(SiteId id);

/// For a place in a helper: the kernel's line that calls it, as far as it is the user's.
Place call_of(SiteId id);

/// The line of the kernel at which it happens, whether there or in a helper.
Place kernel_place_of(SiteId id);

SourcePlace source_place(const Place& place);
SourcePlace source_place(emulator::Site site);

/// "main.cu:7".
std::string at_line(const SourcePlace& place);

/// "  7 | the line".
std::string quote(const SourcePlace& place);

}  // namespace lab
