// Functions of the host in a kernel: a pointer to one, or an object whose virtual functions they
// are. The emulator's one memory would let the kernel call them.
#pragma once

#include <string>

#include "emulator/kernel.hpp"
#include "host_objects.hpp"
#include "rule.hpp"

namespace lab {

class HostFunction : public Rule {
  public:
    using Rule::Rule;
    HostObjects objects;
    void check_argument(const emulator::Launch& launch, int position, const void* function);
    void check_load(const Access& access, const Watched& memory);

  private:
    void report(const Access& access, const std::string& name, bool is_function);
};

}  // namespace lab
