# Keeps the first ./tutorial run short: a user waits for it.

option(TUTORIAL_JOIN_SOURCES "Compile a library's source files several at a time: its headers are read less often" ON)
# The more at a time, the less there is to compile; but every core of the machine should have work.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
if(cores LESS_EQUAL 4)
    set(JOINED_SOURCES 100)
else()
    set(JOINED_SOURCES 20)
endif()

# For libraries of many small files, which spend most of their time on headers. A file that leaves
# out an #include is found by a build without it, by clang-tidy, and by the one nvcc line of each
# chapter.
function(join_sources target)
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ${TUTORIAL_JOIN_SOURCES} UNITY_BUILD_BATCH_SIZE ${JOINED_SOURCES})
endfunction()

# The same, but the files say which others they are joined with (UNITY_GROUP): for an archive whose
# members are needed by different programs.
function(join_groups target)
    set_target_properties(${target} PROPERTIES
        UNITY_BUILD ${TUTORIAL_JOIN_SOURCES} UNITY_BUILD_MODE GROUP)
endfunction()

# For files that read options and write text: they run once, and their headers are large. Optimising
# them takes longer than they will ever run.
function(compile_quickly)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:-O0>")
endfunction()

# For programs of many kernels on the emulator. Nearly all of their time is spent in the emulator,
# which is optimised: chapter 5's tests take as long with -O1 as with -O3, and compile in half the
# time.
function(compile_for_emulation)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>")
    endforeach()
endfunction()

# For libraries that prepare, verify, report and explain, and for tests of them: most of what runs
# at each access or at each barrier is elsewhere. They compile in half the time that -O3 takes.
function(compile_for_one_run)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-Og>")
    endforeach()
endfunction()
