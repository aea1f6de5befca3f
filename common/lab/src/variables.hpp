// The program's own variables: where each is, and on which side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lab {

/// A variable of the program, or a red zone between two.
struct Variable {
    enum class Side {
        unknown,
        device,
        host,
        zone,  ///< none: bytes beside a __device__ variable (emulator/qualifiers.hpp)
    };
    std::string name;
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::string scope = {};  ///< the function or the namespaces that it is in
    Side side = Side::unknown;

    bool holds(std::uintptr_t address) const { return address - begin < bytes; }
};

/// Null: there is none at this address. The first call must be on a large stack.
const Variable* variable_at(std::uintptr_t address);

/// The __device__ variable beside this address, which is outside all of them; null: none is near.
const Variable* device_variable_beside(std::uintptr_t address);

/// Reads the program's file, if that has not been done.
void look_up_variables();

}  // namespace lab
