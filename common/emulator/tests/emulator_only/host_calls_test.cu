// Device functions called on the host end the program with one line that names them.
#include <cuda_runtime.h>

#include <doctest/doctest.h>
#include <ctime>

#include "child_process.hpp"

using emulator_test::run_child;

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

TEST_CASE("host calls: a failed assert() on the host ends the program, as ever") {
    CHECK(run_child("", "host-assert").exit_code != 0);
    CHECK_OUTPUT(run_child("", "host-assert"), "child.cu:");
    CHECK_OUTPUT(run_child("", "host-assert"), "Assertion `false && \"on the host\"' failed.");
}

TEST_CASE("host calls: clock() on the host counts processor time") {
    const clock_t before = clock();
    volatile unsigned work = 0;
    while (double(clock() - before) / CLOCKS_PER_SEC < 0.02) work = work + 1;
    CHECK(work > 1000);
}
