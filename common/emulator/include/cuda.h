// CUDA's driver API header. Programs of courses include it beside the runtime API and use its
// version and a few types; the driver's functions (cuLaunchKernel, cuModuleLoad, ...) are not here.
#pragma once

#include "cuda_runtime.h"

#define CUDA_VERSION CUDART_VERSION

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
