# What the lab (common/lab/) needs besides the emulator: sets TUTORIAL_HAVE_LAB.

set(TUTORIAL_HAVE_LAB OFF)
if(TUTORIAL_HAVE_CPU)
    find_path(LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
    find_library(LIBDW_LIBRARY dw)
    mark_as_advanced(LIBDW_INCLUDE_DIR LIBDW_LIBRARY)
    set(lab_compilers GNU)
    if(TUTORIAL_CLANG_LAB AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        list(APPEND lab_compilers Clang)
        # The headers and tools for its plugin are next to this clang.
        get_filename_component(lab_clang "${CMAKE_CXX_COMPILER}" REALPATH)
        get_filename_component(lab_clang "${lab_clang}" DIRECTORY)
        unset(LAB_LLVM_INCLUDE_DIR CACHE)
        find_path(LAB_LLVM_INCLUDE_DIR llvm/Passes/PassPlugin.h
                  PATHS "${lab_clang}/../include" NO_DEFAULT_PATH)
        mark_as_advanced(LAB_LLVM_INCLUDE_DIR)
    endif()
    if(NOT CMAKE_CXX_COMPILER_ID IN_LIST lab_compilers OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
        list(JOIN TUTORIAL_CLANGS_OF_LAB ", " clangs)
        set(lab_missing "it needs g++ or clang ${clangs} on Linux; with another clang it is tried "
            "with -DTUTORIAL_CLANG_LAB=ON")
        string(CONCAT lab_missing ${lab_missing})
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT LAB_LLVM_INCLUDE_DIR)
        set(lab_missing "the headers of this clang's LLVM were not found: install "
            "llvm-${clang_version}-dev (Debian, Ubuntu), llvm-devel (Fedora), llvm (Arch)")
        string(CONCAT lab_missing ${lab_missing})
    elseif(NOT LIBDW_INCLUDE_DIR OR NOT LIBDW_LIBRARY)
        set(lab_missing "libdw was not found: install libdw-dev (Debian, Ubuntu), elfutils-devel "
            "(Fedora), libelf (Arch)")
        string(CONCAT lab_missing ${lab_missing})
    else()
        set(TUTORIAL_HAVE_LAB ON)
    endif()
endif()
set(TUTORIAL_LAB ${TUTORIAL_HAVE_LAB} CACHE INTERNAL "read by ./tutorial")
