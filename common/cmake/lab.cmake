# What the lab (common/lab/) needs beside the CPU backend: sets TUTORIAL_HAVE_LAB.

set(TUTORIAL_HAVE_LAB OFF)
if(TUTORIAL_HAVE_CPU)
    find_path(LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
    find_library(LIBDW_LIBRARY dw)
    mark_as_advanced(LIBDW_INCLUDE_DIR LIBDW_LIBRARY)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
        set(lab_missing "it needs g++ on Linux")
    elseif(NOT LIBDW_INCLUDE_DIR OR NOT LIBDW_LIBRARY)
        set(lab_missing "libdw was not found: install libdw-dev (Debian, Ubuntu), elfutils-devel "
            "(Fedora), libelf (Arch)")
        string(CONCAT lab_missing ${lab_missing})
    else()
        set(TUTORIAL_HAVE_LAB ON)
    endif()
endif()
set(TUTORIAL_LAB ${TUTORIAL_HAVE_LAB} CACHE INTERNAL "read by ./tutorial")
