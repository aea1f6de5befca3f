# toolchain_json(<variable> <kind> <more libraries>...): how a .cu file that is not a CMake target
# is compiled and linked, as the members of a JSON object; common/building/toolchain.py reads them.
# Exercises (common/grading) and your own programs (common/tutorial) are compiled by it.
#
# <kind>: cpu (the emulator), lab (the emulator, every access seen), count (the same, without the
# search for faults), faults (lab, and local variables begin with a pattern) or cuda (nvcc).
# <more libraries>: linked before those of the kind.
function(toolchain_json variable kind)
    set(libraries ${ARGN})
    set(fills "")
    set(objects ${LAB_OBJECTS})
    if(kind STREQUAL "count")
        set(kind lab)
        set(objects ${LAB_COUNTING_OBJECTS})
    elseif(kind STREQUAL "faults")
        set(kind lab)
        set(fills ${LAB_FILL_OPTIONS})
    endif()
    set(rewrite "")
    if(kind STREQUAL "cuda")
        set(compiler "${CMAKE_CUDA_COMPILER}")
        set(options -std=c++17 -O3 -lineinfo)
        foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
            if(architecture MATCHES "^([0-9]+[a-z]?)")
                set(number ${CMAKE_MATCH_1})
                list(APPEND options
                    "-gencode=arch=compute_${number},code=[compute_${number},sm_${number}]")
            else()
                list(APPEND options "-arch=${architecture}")
            endif()
        endforeach()
    else()
        set(compiler "${CMAKE_CXX_COMPILER}")
        set(options -std=c++17 "-I${PROJECT_SOURCE_DIR}/common/emulator/include")
        set(rewrite ${EMULATOR_TRANSLATE})
        if(kind STREQUAL "lab")
            foreach(option IN LISTS LAB_COMPILE_OPTIONS)
                if(option MATCHES "^SHELL:(.*)$")  # several words; CMake must not drop any
                    separate_arguments(option UNIX_COMMAND "${CMAKE_MATCH_1}")
                endif()
                list(APPEND options ${option})
            endforeach()
            list(APPEND options ${fills})
            foreach(part IN LISTS objects)
                list(APPEND libraries "$<JOIN:${part},\", \">")
            endforeach()
        else()
            list(APPEND options -O1 -g ${EMULATOR_CHECK_OPTIONS})
            if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
                # Keeps a variable that lives across a barrier in a register.
                list(APPEND options -fcaller-saves)
            endif()
        endif()
        list(APPEND libraries "$<TARGET_FILE:emulator>" "$<TARGET_LINKER_FILE:fmt::fmt>"
            "$<TARGET_LINKER_FILE:Boost::context>")
        foreach(library IN LISTS CMAKE_DL_LIBS)
            list(APPEND libraries "-l${library}")
        endforeach()
        if(kind STREQUAL "lab")
            list(APPEND libraries "${LIBDW_LIBRARY}")
        endif()
        list(APPEND libraries -pthread)
    endif()
    foreach(list options rewrite libraries)
        list(JOIN ${list} "\", \"" ${list})
        if(NOT "${${list}}" STREQUAL "")
            set(${list} "\"${${list}}\"")
        endif()
    endforeach()
    set(${variable} "\"compiler\": \"${compiler}\",
      \"options\": [${options}],
      \"rewrite\": [${rewrite}],
      \"libraries\": [${libraries}]" PARENT_SCOPE)
endfunction()
