# Prints what this build is; stops if there is nothing to build.

if(TUTORIAL_HAVE_CUDA AND TUTORIAL_GPU)
    message(STATUS "GPU: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, ${TUTORIAL_GPU}, "
        "architecture ${CMAKE_CUDA_ARCHITECTURES}")
elseif(TUTORIAL_HAVE_CUDA)
    message(STATUS "GPU: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, no GPU seen (compiled, not run), "
        "architecture ${CMAKE_CUDA_ARCHITECTURES}")
elseif(TUTORIAL_CUDA STREQUAL "OFF")
    message(STATUS "GPU: left out (TUTORIAL_CUDA is OFF)")
else()
    skipped_targets("GPU: left out (${cuda_missing})")
endif()
if(TUTORIAL_HAVE_CPU)
    message(STATUS "Emulator: Boost.Context ${Boost_VERSION}")
elseif(TUTORIAL_CPU STREQUAL "OFF")
    message(STATUS "Emulator: left out (TUTORIAL_CPU is OFF)")
else()
    skipped_targets("Emulator: left out (${emulator_missing})")
endif()
if(TUTORIAL_HAVE_LAB)
    message(STATUS "Lab: libdw ${LIBDW_LIBRARY}")
elseif(TUTORIAL_HAVE_CPU)
    skipped_targets("Lab: left out (${lab_missing})")
endif()
if(NOT TUTORIAL_HAVE_CUDA AND NOT TUTORIAL_HAVE_CPU)
    message(FATAL_ERROR "There is nothing to build: it needs nvcc, or Boost.Context for the "
        "emulator (install libboost-context-dev on Debian and Ubuntu, boost-devel on Fedora, boost "
        "on Arch and Homebrew).")
endif()
