// Where a __shared__ variable lives. translate.py turns `__shared__ float tile[32][33];` into
//     static ::emulator::SharedVariable tile_shared{"tile", ...};
//     auto& tile = tile_shared.as<float[32][33]>();
// so each variable has a name and an extent, and each block its own storage.
#pragma once

#include <cstddef>
#include <type_traits>

#include "site.hpp"

namespace emulator {

/// How many items an array has in its first three dimensions; 0: it has no such dimension.
struct Extents {
    std::size_t items[3];
};

template <class T>
constexpr Extents extents_of() {
    return {{std::extent<T, 0>::value, std::extent<T, 1>::value, std::extent<T, 2>::value}};
}

/// One declaration of a static shared variable (one for each instantiation of a template).
struct SharedVariable {
    const char* name;
    std::size_t bytes;
    std::size_t alignment;
    Site site;
    Extents extents;

    /// The current block's storage. The block's first use reserves and poisons it.
    template <class T>
    T& as() const {
        return *static_cast<T*>(storage());
    }

  private:
    void* storage() const;

  public:
    constexpr SharedVariable(const char* its_name, std::size_t its_bytes, std::size_t its_alignment,
                             Site its_site, Extents its_extents)
        : name(its_name),
          bytes(its_bytes),
          alignment(its_alignment),
          site(its_site),
          extents(its_extents) {}
};

/// The current block's dynamic shared memory, as many bytes as the launch asked for.
void* dynamic_shared(const char* name, Site site);

template <class T>
T* dynamic_shared(const char* name, Site site) {
    return static_cast<T*>(dynamic_shared(name, site));
}

/// `extern __shared__ T name[];` outside a function.
template <class T>
struct DynamicShared {
    const char* name;
    alignas(8) Site site;  // where pointers have 4 bytes, a compiler may load it as one of 8
    operator T*() const { return dynamic_shared<T>(name, site); }
};

/// Lets translate.py write any type, including arrays, before a name.
template <class T>
using Type = T;

/// What an alignment specifier takes: a number, as in alignas(16) or __align__(16).
constexpr std::size_t alignment_of(std::size_t bytes) { return bytes; }

constexpr std::size_t larger(std::size_t a, std::size_t b) { return a < b ? b : a; }

}  // namespace emulator
