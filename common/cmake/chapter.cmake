# add_chapter(ch01_bubble): all that is built for one chapter, the target ch01_bubble that builds it
# and nothing else, and its tests.
#
#   ch01_bubble_cuda, ch01_bubble_cpu              main.cu, for each backend
#   ch01_bubble_cuda_tests, ch01_bubble_cpu_tests  tests.cu
#   ch01_bubble_lab                                main.cu on the emulator, with the lab
#   ch01_bubble_count                              the same without the search for faults
#   ch01_bubble_ablations                          ablations.cu, by nvcc, only when it is named
#   ch06_topk_cccl                                 main.cu with the CUB of TUTORIAL_CCCL, the same way
#
# Tests that need a GPU exist if one is found. What is particular to a chapter is in the sections of
# its runs.txt, not here.

# Runs a program with each line of options of one section of a chapter's runs.txt.
set(EACH_RUN ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/common/tests/each_run.py")

function(add_chapter name)
    add_custom_target(${name})
    if(TUTORIAL_HAVE_CUDA)
        chapter_programs(${name} cuda)
        chapter_cuda_extras(${name})
    endif()
    if(TUTORIAL_HAVE_CPU)
        chapter_programs(${name} cpu)
        chapter_mutation_test(${name})
    endif()
    if(TUTORIAL_HAVE_LAB)
        chapter_lab(${name})
    endif()
endfunction()

# main.cu and tests.cu for one backend; tests <name>.<backend> and <name>.<backend>.run.
function(chapter_programs name backend)
    set(folder "${PROJECT_SOURCE_DIR}/${name}")
    set(program ${name}_${backend})
    add_executable(${program})
    tutorial_sources(${program} ${backend} "${folder}/main.cu")
    target_link_libraries(${program} PRIVATE harness_${backend})
    add_dependencies(${name} ${program})

    set(tests ${program}_tests)
    add_executable(${tests})
    tutorial_sources(${tests} ${backend} "${folder}/tests.cu" ${DOCTEST_MAIN})
    target_link_libraries(${tests} PRIVATE harness_${backend} doctest::doctest)
    add_dependencies(${name} ${tests})

    add_test(NAME ${name}.${backend}.headers
        COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/common/tests/headers_alone.py"
            "${PROJECT_BINARY_DIR}" ${name} ${backend})
    if(backend STREQUAL "cpu")
        compile_for_emulation(${program} ${tests})
    endif()
    if(backend STREQUAL "cpu" OR TUTORIAL_GPU)
        if(backend STREQUAL "cpu")  # tests that take seconds; runs.txt says which take turns
            add_test(NAME ${name}.cpu COMMAND ${EACH_RUN} --in-turn "${folder}" rotation $<TARGET_FILE:${tests}>)
        else()
            add_test(NAME ${name}.${backend} COMMAND ${tests})
        endif()
        set_tests_properties(${name}.${backend} PROPERTIES COST 30)  # seconds: the longest start first
        # As a reader runs it: every row at its default n, verified.
        add_test(NAME ${name}.${backend}.run COMMAND ${program})
    endif()
    if(backend STREQUAL "cpu")
        chapter_small_device_test(${name} ${tests})
    endif()
endfunction()

# The tests on a small device: shapes must follow the limits that it states. If all of them take too
# long, runs.txt names the cases that run every stage, with one block and with many, or leaves out
# those that have nothing to do with shapes.
function(chapter_small_device_test name tests)
    add_test(NAME ${name}.cpu.t4 COMMAND ${EACH_RUN} --doctest "${PROJECT_SOURCE_DIR}/${name}"
        small_device $<TARGET_FILE:${tests}>)
    set_tests_properties(${name}.cpu.t4 PROPERTIES ENVIRONMENT "TUTORIAL_CPU_DEVICE=t4")
endfunction()

function(chapter_cuda_extras name)
    set(folder "${PROJECT_SOURCE_DIR}/${name}")
    if(TUTORIAL_GPU)  # times are compared, so nothing else may run at the same time
        set_property(TEST ${name}.cuda.run PROPERTY RUN_SERIAL ON)
    endif()
    if(TUTORIAL_TEST_NVCC_LINE)
        # The line compiles the same file: once is enough. The first chapter's is run as it is; the
        # others link the harness as it is built here.
        set_target_properties(${name}_cuda PROPERTIES EXCLUDE_FROM_ALL ON)
        set(shared --harness $<TARGET_FILE:harness_cuda> $<TARGET_FILE:harness_base_cuda>)
        get_property(is_not_first GLOBAL PROPERTY tutorial_tests_an_nvcc_line)
        if(NOT is_not_first)
            set(shared "")
            set_property(GLOBAL PROPERTY tutorial_tests_an_nvcc_line TRUE)
        endif()
        add_test(NAME ${name}.nvcc_line
            COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/docs/tools/nvcc_line.py"
                "${folder}/main.cu" --nvcc "${CMAKE_CUDA_COMPILER}"
                --output "${PROJECT_BINARY_DIR}/bin/${name}_nvcc_line" ${shared}
            WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    endif()
    # What did not win, for GPUs that support it; ./tutorial bench builds it.
    if(EXISTS "${folder}/ablations.cu")
        add_executable(${name}_ablations EXCLUDE_FROM_ALL)
        tutorial_sources(${name}_ablations cuda "${folder}/ablations.cu")
        target_link_libraries(${name}_ablations PRIVATE harness_cuda)
    endif()
    # The libraries' rows with a CUB other than the toolkit's; ./tutorial bench --cccl builds it.
    file(STRINGS "${folder}/runs.txt" cccl_section REGEX "^\\[cccl\\]$")
    if(TUTORIAL_CCCL AND cccl_section)
        add_executable(${name}_cccl EXCLUDE_FROM_ALL)
        tutorial_sources(${name}_cccl cuda "${folder}/main.cu")
        # Not as SYSTEM: the toolkit's own headers would come first.
        target_include_directories(${name}_cccl BEFORE PRIVATE "${TUTORIAL_CCCL}/cub"
            "${TUTORIAL_CCCL}/thrust" "${TUTORIAL_CCCL}/libcudacxx/include")
        target_link_libraries(${name}_cccl PRIVATE harness_cuda)
    endif()
endfunction()

# A test must fail when a kernel does nothing, each kernel in turn, those of fastest/ included;
# library.cuh is for a GPU only. Takes minutes for a chapter with many, so only on demand:
# ctest -C mutation -R ch01.*mutation
function(chapter_mutation_test name)
    set(folder "${PROJECT_SOURCE_DIR}/${name}")
    file(GLOB headers CONFIGURE_DEPENDS "${folder}/*.cuh" "${folder}/fastest/*.cuh")
    list(REMOVE_ITEM headers "${folder}/library.cuh")
    add_test(NAME ${name}.mutation CONFIGURATIONS mutation
        COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/common/emulator/tests/mutation_test.py"
            $<TARGET_FILE:${name}_cpu_tests> "${folder}/main.cu" ${headers})
endfunction()

function(chapter_lab name)
    add_library(${name}_watched OBJECT)
    tutorial_sources(${name}_watched lab "${PROJECT_SOURCE_DIR}/${name}/main.cu")
    target_link_libraries(${name}_watched PRIVATE harness_cpu)
    foreach(program lab count)
        add_executable(${name}_${program})
        set_target_properties(${name}_${program} PROPERTIES LINKER_LANGUAGE CXX)
        target_link_libraries(${name}_${program} PRIVATE ${name}_watched lab_chapter harness_cpu)
        add_dependencies(${name} ${name}_${program})
    endforeach()
    target_link_libraries(${name}_lab PRIVATE lab lab_chapter_faults)
    target_link_libraries(${name}_count PRIVATE lab_counting)
    # No stage may have a fault in any order of its threads: one order a day.
    add_test(NAME ${name}.faults COMMAND ${EACH_RUN} --orders forward reverse shuffle --
        "${PROJECT_SOURCE_DIR}/${name}" faults $<TARGET_FILE:${name}_lab> --faults)
    add_test(NAME ${name}.fault_sizes
        COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/common/lab/tests/fault_sizes.py"
            $<TARGET_FILE:${name}_lab>)
    # The lab must notice each barrier that is removed from a kernel; minutes, on demand.
    add_test(NAME ${name}.without_barriers CONFIGURATIONS mutation
        COMMAND ${Python3_EXECUTABLE} "${PROJECT_SOURCE_DIR}/common/lab/tests/without_barriers.py"
            "${PROJECT_BINARY_DIR}" ${name})
endfunction()
