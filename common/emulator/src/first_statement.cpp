// An exception takes the call out of the kernel.
#include "first_statement.hpp"

#include "return_address.hpp"
#include "symbols.hpp"

namespace emulator {

__attribute__((noinline)) void identify_caller(const LaunchBound* bound) {
    throw Identity{function_containing(RETURN_ADDRESS), bound};
}

bool run_to_first_statement(const KernelCall& call, Identity* identity) {
    try {
        call.run(call.object);
    } catch (const Identity& found) {
        *identity = found;
        return true;
    }
    return false;
}

}  // namespace emulator
