# The libraries: the system's where there are any, else these releases.

include(FetchContent)
FetchContent_Declare(fmt SYSTEM
    URL https://github.com/fmtlib/fmt/archive/refs/tags/11.1.4.tar.gz
    URL_HASH SHA256=ac366b7b4c2e9f0dde63a59b3feb5ee59b67974b14ee5dc9ea8ad78aa2c1ee1e
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS 9 CONFIG)
FetchContent_Declare(CLI11 SYSTEM
    URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.5.0.tar.gz
    URL_HASH SHA256=17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS 2.1 CONFIG)
FetchContent_Declare(doctest SYSTEM
    URL https://github.com/doctest/doctest/archive/refs/tags/v2.4.12.tar.gz
    URL_HASH SHA256=73381c7aa4dee704bd935609668cf41880ea7f19fa0504a200e13b74999c2d70
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS 2.4 CONFIG)
FetchContent_Declare(nlohmann_json SYSTEM
    URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
    DOWNLOAD_EXTRACT_TIMESTAMP ON
    FIND_PACKAGE_ARGS 3.10 CONFIG)
block()  # what the libraries would build for themselves, or warn of, is not wanted
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
    FetchContent_MakeAvailable(fmt CLI11 doctest nlohmann_json)
endblock()
