# What keeps the first ./tutorial run short: a user waits for it.

option(TUTORIAL_PRECOMPILE "Read the standard library's headers and {fmt} once a library, not once a file" ON)

# For libraries of many small files. g++ only: a file that leaves out an #include is found by a build
# with clang, and by the one nvcc line of each chapter.
function(precompile_headers target)
    if(NOT TUTORIAL_PRECOMPILE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        return()
    endif()
    set(headers "")
    foreach(header algorithm array cstdint cstdio functional map memory mutex optional stdexcept string
            vector fmt/format.h)
        list(APPEND headers "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
    endforeach()
    target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# For files that read options and write text: they run once, and optimising them takes longer than all
# that they will ever do. Not -O0, for which the compiler refuses headers precompiled for optimised code.
function(compile_quickly)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:-O1>")
endfunction()

# For programs of many kernels on the CPU backend. Nearly all of their time passes in the backend, which
# is optimised: chapter 5's tests take as long with -O1 as with -O3, and are compiled in half the time.
function(compile_for_emulation)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>")
    endforeach()
endfunction()
