// Device functions called on the host end the program with one line that names them.
#include <doctest/doctest.h>
#include <string>

#include "child_process.hpp"

using backend_test::run_child;

TEST_CASE("host calls: __syncthreads, shuffles and __nanosleep are named") {
    for (const char* action : {"host-barrier", "host-shuffle", "host-sleep"}) {
        CAPTURE(action);
        CHECK(run_child("", action).exit_code != 0);
        CHECK(run_child("", action).exit_code != 3);  // the child knows the action
        CHECK_OUTPUT(run_child("", action), "called on the host; only a kernel can call it");
    }
    CHECK_OUTPUT(run_child("", "host-barrier"), "__syncthreads: ");
    CHECK_OUTPUT(run_child("", "host-sleep"), "__nanosleep: ");
}
