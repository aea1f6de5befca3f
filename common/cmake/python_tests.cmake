# Tests of the Python code, and of the texts. Each runs in the root of the repository.

function(python_test name)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${ARGN}
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endfunction()

python_test(structure -m unittest discover -s common/tests)  # includes, the shape of a chapter
python_test(docs_tools -m unittest discover -s docs/tools/tests)
python_test(docs_check docs/tools/docs.py check --programs "${PROJECT_BINARY_DIR}/bin")
add_test(NAME front_door
    COMMAND ${Python3_EXECUTABLE} -B -m unittest discover -s tutorial/tests -t .
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/common")

if(TUTORIAL_HAVE_LAB)
    # The commands in the texts, each as it is printed.
    set(without_multi_gpu "")
    if(NOT "cpu" IN_LIST TUTORIAL_MULTI_GPU)
        message(STATUS "Texts: their examples for several GPUs are not run")
        set(without_multi_gpu --without-multi-gpu)
    endif()
    file(GLOB chapters CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" ch[0-9][0-9]_*/main.cu)
    list(TRANSFORM chapters REPLACE "_.*" "")
    foreach(chapter IN LISTS chapters)
        python_test(docs_examples.${chapter} docs/tools/examples.py --chapter ${chapter}
            --programs "${PROJECT_BINARY_DIR}/bin" ${without_multi_gpu})
        set_tests_properties(docs_examples.${chapter} PROPERTIES TIMEOUT 1500 COST 15)
    endforeach()
endif()
