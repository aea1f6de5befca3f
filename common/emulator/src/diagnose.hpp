// Messages for what goes wrong inside a kernel.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "emulator/report.hpp"
#include "emulator/site.hpp"

namespace emulator {

class Block;
class Worker;
struct Launch;
struct SharedRegion;
struct SharedVariable;
struct Warp;

/// Whether both are the same place. A file that is compiled twice has two names with equal text.
inline bool same_site(Site a, Site b) {
    return a.line == b.line && (a.file == b.file || (a.file != nullptr && b.file != nullptr &&
                                                     std::strcmp(a.file, b.file) == 0));
}

/// "main.cu:74", without the folder.
std::string words(Site site);
/// '3 bytes before the start of', if it is below 0; else 'just past the end of', or how far past
/// it.
std::string outside_text(std::ptrdiff_t offset);
std::string file_of(Site site);

/// "kernel k, block (1,0,0), thread (5,0,0)" for the running thread.
std::string who(const Worker& worker);

/// Called if no thread of the block can run, and it has not ended: where do they all wait?
Report stuck_report(const Launch& launch, const Block& block);

/// Some blocks wait for the grid, and all others have ended.
Report grid_report(const Launch& launch, Site site);

/// The launch made no progress for too long. `running`: one thread runs and does not yield;
/// otherwise the running threads take turns.
Report timeout_report(const Launch& launch, Block& block, bool running, double seconds);
/// No thread of the launch has returned for too long, as in a loop with a barrier in each round.
Report endless_report(const Launch& launch, const Block& block);
/// How many times the time limit that is.
constexpr double kEndlessFactor = 15;

/// An access to an address that is in no allocation; `place`: " at main.cu:74", or nothing.
std::string illegal_address_text(std::uintptr_t address, const Worker& worker,
                                 const std::string& place);

Report not_cooperative_report(const Worker& worker, Site site);
Report trap_report(const Worker& worker, Site site);
Report missing_return_report(const Worker& worker, Site site);
Report assert_report(const Worker& worker, const char* expression, Site site);
Report async_copy_report(const Worker& worker, Site site, std::uintptr_t to, std::uintptr_t from,
                         std::size_t bytes, std::size_t zeros);
Report async_barrier_report(const Worker& worker, Site site, const char* what_is_wrong);
Report shuffle_width_report(const Worker& worker, int width, Site site);
Report wrong_mask_report(const Worker& worker, unsigned mask, Site site);
Report different_collectives_report(const Worker& worker, unsigned mask);
/// `offset` is one as in outside_text().
Report shared_damage_report(const Launch& launch, const Block& block, const SharedRegion& region,
                            std::ptrdiff_t offset);
Report static_shared_report(const Worker& worker, const SharedVariable& variable);
Report no_stack_report(const Launch& launch);

}  // namespace emulator
