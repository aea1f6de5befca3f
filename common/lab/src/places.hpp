// Where in the user's source a fault happens, in words.
#pragma once

#include <string>

#include "access_sites.hpp"
#include "emulator/for_observers.hpp"
#include "lab/lab.hpp"
#include "lines.hpp"

namespace lab {

/// The innermost of the user's lines.
Place place_of(SiteId id);

/// For a place in a helper: the kernel's line that calls it, if that is in the user's files.
Place call_of(SiteId id);

/// The kernel's line at which it happens, whether in the kernel itself or in a helper.
Place kernel_place_of(SiteId id);

SourcePlace source_place(const Place& place);
SourcePlace source_place(emulator::Site site);

/// "main.cu:7".
std::string at_line(const SourcePlace& place);

/// "  7 | the line".
std::string quote(const SourcePlace& place);

}  // namespace lab
