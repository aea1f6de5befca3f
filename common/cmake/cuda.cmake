# A GPU and its compiler: sets TUTORIAL_GPU (the name of the first GPU that is seen, or empty) and
# TUTORIAL_HAVE_CUDA (nvcc is there; the language CUDA is enabled).

# Where a GPU is seen now. Not cached: a GPU may come and go between two runs of CMake.
find_program(nvidia_smi nvidia-smi PATHS /usr/lib/wsl/lib NO_CACHE)
set(TUTORIAL_GPU "")
if(nvidia_smi)
    execute_process(COMMAND "${nvidia_smi}" --query-gpu=name --format=csv,noheader
        RESULT_VARIABLE failed OUTPUT_VARIABLE names ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed EQUAL 0 AND NOT names STREQUAL "")
        string(REGEX REPLACE "\n.*" "" TUTORIAL_GPU "${names}")
    endif()
endif()

# ./tutorial configures again when it finds a different one.
set(TUTORIAL_SEEN_GPU "" CACHE STRING "The GPU that ./tutorial found when it configured")
mark_as_advanced(TUTORIAL_SEEN_GPU)

set(TUTORIAL_HAVE_CUDA OFF)
if(NOT TUTORIAL_CUDA STREQUAL "OFF")
    set(nvcc "${CMAKE_CUDA_COMPILER}")
    if(NOT nvcc)
        set(nvcc "$ENV{CUDACXX}")
    endif()
    if(NOT nvcc)
        unset(nvcc)
        # Installers put nvcc into these folders and often leave PATH alone.
        find_program(nvcc nvcc PATHS /usr/local/cuda/bin /opt/cuda/bin NO_CACHE)
    endif()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
        if(TUTORIAL_GPU AND CMAKE_VERSION VERSION_LESS 3.24)  # which knows no "native"
            execute_process(COMMAND "${nvidia_smi}" --query-gpu=compute_cap --format=csv,noheader
                OUTPUT_VARIABLE capabilities ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
            string(REGEX MATCHALL "[0-9]+[.][0-9]+" capabilities "${capabilities}")
            list(REMOVE_DUPLICATES capabilities)
            list(TRANSFORM capabilities REPLACE "[.]" "")
            set(CMAKE_CUDA_ARCHITECTURES ${capabilities})
        elseif(TUTORIAL_GPU)
            set(CMAKE_CUDA_ARCHITECTURES native)
        endif()
        if(NOT CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 90)
        endif()
    endif()
    set(cuda_missing "nvcc was not found")
    if(nvcc AND TUTORIAL_CUDA STREQUAL "AUTO" AND NOT CMAKE_CUDA_COMPILER)
        # An nvcc that cannot compile must not stop a build that works without it.
        include(CheckLanguage)
        unset(CMAKE_CUDA_COMPILER CACHE)
        set(ENV{CUDACXX} "${nvcc}")
        check_language(CUDA)
        if(NOT CMAKE_CUDA_COMPILER)
            set(cuda_missing "${nvcc} cannot compile; -DTUTORIAL_CUDA=ON shows why")
            set(nvcc "")
        endif()
    endif()
    if(nvcc)
        set(CMAKE_CUDA_COMPILER "${nvcc}")
        enable_language(CUDA)
        set(TUTORIAL_HAVE_CUDA ON)
    elseif(TUTORIAL_CUDA STREQUAL "ON")
        message(FATAL_ERROR "TUTORIAL_CUDA is ON, but nvcc was not found. Install the CUDA toolkit "
            "(https://developer.nvidia.com/cuda-downloads), add its bin folder to PATH, or name "
            "the compiler with -DCMAKE_CUDA_COMPILER=/path/to/nvcc.")
    endif()
endif()
