# What every part compiles its own sources with.

# Warnings of the host compiler, for our own targets only. On the emulator it sees nvcc's
# "#pragma unroll", which g++ does not know.
function(tutorial_warnings target)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-unknown-pragmas>
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>)
endfunction()

# tutorial_sources(<target> cuda|cpu|lab <file.cu | file.cpp>...): adds sources, the .cu files among
# them for nvcc, for the emulator, or for the emulator with every access seen by the lab.
function(tutorial_sources target backend)
    set(kernels ${ARGN})
    list(FILTER kernels INCLUDE REGEX "[.]cu$")
    set(host ${ARGN})
    list(FILTER host EXCLUDE REGEX "[.]cu$")
    target_sources(${target} PRIVATE ${host})
    if(backend STREQUAL "cuda")
        target_sources(${target} PRIVATE ${kernels})
        target_compile_features(${target} PRIVATE cuda_std_17)
        # Line numbers for the profiler and the sanitizer; they cost no time.
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
    elseif(backend STREQUAL "cpu")
        target_cpu_sources(${target} ${kernels})
    else()
        target_lab_sources(${target} ${kernels})
    endif()
    target_compile_features(${target} PRIVATE cxx_std_17)
    tutorial_warnings(${target})
endfunction()
