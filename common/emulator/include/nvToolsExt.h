// The older place of NVTX.
#pragma once

#include "nvtx3/nvToolsExt.h"
