// A kernel reads what nothing has written.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "emulator/hooks.hpp"
#include "rule.hpp"

namespace lab {

// `serial`: of the block whose bytes were written (shared memory), or one of these; 0: as the cells
// say.
constexpr std::uint32_t kHoldsValues = ~std::uint32_t{0};  ///< there is no telling
/// As the cells say, unless the bytes are no longer those of fresh memory (the host may have
/// written them unseen).
constexpr std::uint32_t kHoldsPoison = kHoldsValues - 1;

class Uninitialised : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, Cells& cells, std::size_t offset, std::uint32_t serial);
    static void note_written(Cell& cell, unsigned mask, std::uint32_t serial) {
        if (serial != 0 && serial < kHoldsPoison && cell.serial != serial) {
            cell.serial = serial;
            cell.written = 0;
        }
        cell.written |= mask & 0xfu;
    }
    void note_copy(const emulator::Copy& copy, const Watched& memory);

  private:
    void report(const Access& access);
    void explain_short_copy(const Access& access, Finding& made);

    /// The last copy or fill of an array, if it did not reach its end.
    struct ShortCopy {
        std::string call;
        emulator::Site site;
        std::size_t begin, bytes;     ///< of its first row
        std::size_t pitch, rows = 1;  ///< between rows, where there are several
    };
    std::map<std::uintptr_t, ShortCopy> short_copies_;  ///< by the array's begin
};

}  // namespace lab
