# The libraries: the system's if there are any, otherwise these releases.

include(FetchContent)

# tutorial_library(<name> <least version> <URL> <SHA256>)
function(tutorial_library name version url hash)
    string(TOUPPER "${name}" upper)
    if(NOT FETCHCONTENT_SOURCE_DIR_${upper})  # the user's own copy comes first
        find_package(${name} ${version} CONFIG QUIET)
    endif()
    if(${name}_FOUND)
        return()
    endif()
    # We do not want what the libraries would build for themselves, nor their warnings.
    set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
    set(CMAKE_POLICY_VERSION_MINIMUM 3.10)
    set(FMT_TEST OFF)
    set(FMT_DOC OFF)
    set(CLI11_BUILD_TESTS OFF)
    set(CLI11_BUILD_EXAMPLES OFF)
    set(CLI11_BUILD_DOCS OFF)
    set(DOCTEST_WITH_TESTS OFF)
    set(DOCTEST_NO_INSTALL ON)
    set(JSON_BuildTests OFF)
    set(JSON_Install OFF)
    set(options "")
    if(NOT CMAKE_VERSION VERSION_LESS 3.24)
        list(APPEND options DOWNLOAD_EXTRACT_TIMESTAMP ON)
    endif()
    if(NOT CMAKE_VERSION VERSION_LESS 3.25)
        list(PREPEND options SYSTEM)  # no warnings in their headers
    endif()
    FetchContent_Declare(${name} ${options} URL "${url}" URL_HASH SHA256=${hash})
    FetchContent_MakeAvailable(${name})
endfunction()

tutorial_library(fmt 8.1
    https://github.com/fmtlib/fmt/archive/refs/tags/11.1.4.tar.gz
    ac366b7b4c2e9f0dde63a59b3feb5ee59b67974b14ee5dc9ea8ad78aa2c1ee1e)
tutorial_library(CLI11 2.1
    https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.5.0.tar.gz
    17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55)
tutorial_library(doctest 2.4
    https://github.com/doctest/doctest/archive/refs/tags/v2.4.12.tar.gz
    73381c7aa4dee704bd935609668cf41880ea7f19fa0504a200e13b74999c2d70)
