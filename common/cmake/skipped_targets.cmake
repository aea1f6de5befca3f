# What a build could have, and has not. CMake says it, and ./tutorial test, which reads left_out.txt.

set_property(GLOBAL PROPERTY TUTORIAL_LEFT_OUT "")

# left_out(<text>...): the texts as one line
function(left_out)
    set(line "")
    math(EXPR last "${ARGC} - 1")
    foreach(place RANGE ${last})  # as ARGN, a text with a semicolon would be two
        string(APPEND line "${ARGV${place}}")
    endforeach()
    message(STATUS "${line}")
    set_property(GLOBAL APPEND_STRING PROPERTY TUTORIAL_LEFT_OUT "${line}\n")
endfunction()

function(write_left_out)
    get_property(lines GLOBAL PROPERTY TUTORIAL_LEFT_OUT)
    file(WRITE "${PROJECT_BINARY_DIR}/left_out.txt" "${lines}")
endfunction()
