// A part of CUDA's runtime header; here there is only the whole.
#pragma once

#include "cuda_runtime.h"
