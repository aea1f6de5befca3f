// Memory of malloc() and new in kernels: outside of what they gave, and after it was given back.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rule.hpp"

namespace lab {

class OutOfBounds;

class KernelHeap : public Rule {
  public:
    using Rule::Rule;
    void check(const Access& access, const Watched& heap, OutOfBounds& bounds);

    void given(std::uintptr_t at, std::size_t bytes);
    /// How many bytes were given here; 0: none.
    std::size_t bytes_at(std::uintptr_t at) const {
        const auto found = given_.find(at);
        return found != given_.end() ? found->second : 0;
    }
    void freed(std::uintptr_t at, SiteId site);

  private:
    bool report_freed(const Access& access, const Watched& heap);

    std::map<std::uintptr_t, std::size_t> given_;  ///< bytes
    struct Freed {
        std::size_t bytes;
        SiteId site;
        std::string who;
    };
    std::map<std::uintptr_t, Freed> freed_;  ///< since
};

}  // namespace lab
