#include "lab.hpp"

namespace tutorial {
namespace {

Lab* installed = nullptr;

}  // namespace

Lab* lab() { return installed; }

void set_lab(Lab* lab) { installed = lab; }

}  // namespace tutorial
