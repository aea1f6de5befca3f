# What a build could have but does not. CMake prints it, and so does ./tutorial test, which reads
# skipped_targets.txt.

set_property(GLOBAL PROPERTY TUTORIAL_SKIPPED_TARGETS "")

# skipped_targets(<text>...): the texts as one line
function(skipped_targets)
    set(line "")
    math(EXPR last "${ARGC} - 1")
    foreach(place RANGE ${last})  # as ARGN, a text with a semicolon would be two
        string(APPEND line "${ARGV${place}}")
    endforeach()
    message(STATUS "${line}")
    set_property(GLOBAL APPEND_STRING PROPERTY TUTORIAL_SKIPPED_TARGETS "${line}\n")
endfunction()

function(write_skipped_targets)
    get_property(lines GLOBAL PROPERTY TUTORIAL_SKIPPED_TARGETS)
    file(WRITE "${PROJECT_BINARY_DIR}/skipped_targets.txt" "${lines}")
endfunction()
