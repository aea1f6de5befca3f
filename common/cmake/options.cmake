# What can be chosen: with -D, in a preset, or by ./tutorial.

set(TUTORIAL_CUDA AUTO CACHE STRING "Build for NVIDIA GPUs with nvcc: AUTO, ON or OFF")
set(TUTORIAL_CPU AUTO CACHE STRING "Build for the emulator (needs Boost.Context): AUTO, ON or OFF")
# The versions of clang with which all tests were run (docs/devices.md); -DTUTORIAL_CLANG_LAB=ON
# tries others.
set(TUTORIAL_CLANGS_OF_LAB 14)  # common/building/packages.py reads it here
set(has_clang_of_lab OFF)
string(REGEX MATCH "^[0-9]+" clang_version "${CMAKE_CXX_COMPILER_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND clang_version IN_LIST TUTORIAL_CLANGS_OF_LAB)
    set(has_clang_of_lab ON)
endif()
option(TUTORIAL_CLANG_LAB "The lab with clang, where LLVM's headers are (common/lab/README.md)"
    ${has_clang_of_lab})
option(TUTORIAL_TEST_NVCC_LINE "Test the one nvcc line of each chapter (compiles everything again)" OFF)
set(TUTORIAL_CCCL "" CACHE PATH
    "A checkout of NVIDIA/cccl; chapters with a section [cccl] in runs.txt get a program that compares with its CUB")
if(TUTORIAL_CCCL AND NOT EXISTS "${TUTORIAL_CCCL}/cub/cub/version.cuh")
    message(FATAL_ERROR "TUTORIAL_CCCL is ${TUTORIAL_CCCL}, where there is no cub/cub/version.cuh: "
        "it must be a checkout of https://github.com/NVIDIA/cccl.")
endif()
foreach(choice TUTORIAL_CUDA TUTORIAL_CPU)
    set_property(CACHE ${choice} PROPERTY STRINGS AUTO ON OFF)
    if(NOT ${choice} MATCHES "^(AUTO|ON|OFF)$")
        message(FATAL_ERROR "${choice} is '${${choice}}'; it must be AUTO, ON or OFF.")
    endif()
endforeach()

# Earlier compilations are not repeated.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
    foreach(language CXX CUDA)
        if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER
            AND NOT DEFINED ENV{CMAKE_${language}_COMPILER_LAUNCHER})
            set(CMAKE_${language}_COMPILER_LAUNCHER "${CCACHE}")
        endif()
    endforeach()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
