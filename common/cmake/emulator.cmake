# What the emulator (common/emulator/) needs: sets TUTORIAL_HAVE_CPU.

set(TUTORIAL_HAVE_CPU OFF)
set(emulator_missing "")
if(NOT TUTORIAL_CPU STREQUAL "OFF")
    find_package(Boost 1.70 QUIET CONFIG COMPONENTS context)
    if(NOT TARGET Boost::context)
        set(emulator_missing "Boost.Context was not found: install libboost-context-dev "
            "(Debian, Ubuntu), boost-devel (Fedora), boost (Arch, Homebrew)")
        string(CONCAT emulator_missing ${emulator_missing})
    elseif(NOT Python3_Interpreter_FOUND)
        set(emulator_missing "Python 3.9 or later was not found: install python3")
    else()
        set(TUTORIAL_HAVE_CPU ON)
    endif()
    if(emulator_missing AND TUTORIAL_CPU STREQUAL "ON")
        message(FATAL_ERROR "TUTORIAL_CPU is ON, but ${emulator_missing}.")
    endif()
endif()
