// The environment variables, each in its own child process; and reports on stderr.
#include <doctest/doctest.h>
#include <string>

#include "child_process.hpp"

using emulator_test::run_child;

TEST_CASE("settings: TUTORIAL_CPU_ORDER") {
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_ORDER=", "first-thread"), "first thread 0,");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_ORDER=forward", "first-thread"), "first thread 0,");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_ORDER=reverse", "first-thread"), "first thread 31,");
    CHECK(run_child("TUTORIAL_CPU_ORDER=sideways", "first-thread").exit_code == 2);
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_ORDER=sideways", "first-thread"),
                 "TUTORIAL_CPU_ORDER=sideways: allowed: forward, reverse, shuffle or "
                 "shuffle:SEED");
}

TEST_CASE("settings: TUTORIAL_CPU_WORKERS") {
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_WORKERS=3", "first-thread"), ", 3 workers");
    for (const char* wrong : {"0", "17", "two", "-1"}) {
        CAPTURE(wrong);
        const std::string environment = std::string("TUTORIAL_CPU_WORKERS=") + wrong;
        CHECK(run_child(environment, "first-thread").exit_code == 2);
        CHECK_OUTPUT(run_child(environment, "first-thread"), "a number from 1 to 16");
    }
}

TEST_CASE("settings: TUTORIAL_CPU_L2_MB") {
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_L2_MB=", "l2"), "1048576 bytes of L2 cache");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_L2_MB=50", "l2"), "52428800 bytes of L2 cache");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_L2_MB=0", "l2"),
                 "TUTORIAL_CPU_L2_MB=0: allowed: a number from 1 to 1024");
}

TEST_CASE("settings: TUTORIAL_CPU_SMS") {
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_SMS=", "multiprocessors"), "4 multiprocessors");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_SMS=2", "multiprocessors"), "2 multiprocessors");
    CHECK(run_child("TUTORIAL_CPU_SMS=none", "multiprocessors").exit_code == 2);
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_SMS=132", "multiprocessors"), "132 multiprocessors");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_SMS=257", "multiprocessors"),
                 "TUTORIAL_CPU_SMS=257: allowed: a number from 1 to 256");
}

TEST_CASE("settings: TUTORIAL_CPU_DEVICE") {
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_DEVICE=", "limits"),
                 "9.0, 232448 bytes of shared memory, 8 and 5 blocks");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_DEVICE=t4", "limits"),
                 "7.5, 65536 bytes of shared memory, 4 and 1 blocks");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_DEVICE=rtx4090", "limits"),
                 "8.9, 101376 bytes of shared memory, 6 and 2 blocks");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_DEVICE=t4", "multiprocessors"), "40 multiprocessors");
    CHECK(run_child("TUTORIAL_CPU_DEVICE=abacus", "limits").exit_code == 2);
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_DEVICE=abacus", "limits"),
                 "TUTORIAL_CPU_DEVICE=abacus: allowed: h200, h100, a100");
}

TEST_CASE("settings: TUTORIAL_CPU_STACK_KB") {
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_STACK_KB=64", "deep"), "deep: cudaErrorLaunchFailure");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_STACK_KB=64", "deep"), "a thread has 64 KB");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_STACK_KB=512", "deep"), "deep: cudaSuccess");
    CHECK(run_child("TUTORIAL_CPU_STACK_KB=1", "deep").exit_code == 2);
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_STACK_KB=1", "deep"),
                 "TUTORIAL_CPU_STACK_KB=1: allowed: a number from 16 to 65536");
}

TEST_CASE("settings: stacks for which there is no memory") {
    // 8 threads that wait need 8 stacks of 64 MB, for which 4 GB of addresses are enough.
    const emulator_test::ChildResult child =
        run_child("TUTORIAL_CPU_STACK_KB=65536", "all-wait", "ulimit -v 4000000; ");
    CAPTURE(child.output);
    CHECK(child.exit_code == 0);
    CHECK(child.output.find("few: cudaSuccess") != std::string::npos);
    CHECK(child.output.find("many: cudaErrorMemoryAllocation") != std::string::npos);
    CHECK(child.output.find("kernel all_wait_kernel: there is no memory for the threads' "
                            "stacks of 65536 KB. TUTORIAL_CPU_STACK_KB sets another size.") !=
          std::string::npos);
}

TEST_CASE("settings: TUTORIAL_CPU_TIME_LIMIT") {
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_TIME_LIMIT=0.1", "wait"), "no progress for 0.1 s");
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_TIME_LIMIT=0.3", "wait"), "wait: cudaErrorLaunchTimeout");
    CHECK(run_child("TUTORIAL_CPU_TIME_LIMIT=soon", "wait").exit_code == 2);
    CHECK_OUTPUT(run_child("TUTORIAL_CPU_TIME_LIMIT=-1", "wait"),
                 "TUTORIAL_CPU_TIME_LIMIT=-1: allowed: a number of seconds, or 0 for no limit");
}

TEST_CASE("settings: a report is printed on stderr when it is made") {
    CHECK_OUTPUT(run_child("", "divergence"), "Emulator: divergent barrier in kernel ");
    CHECK_OUTPUT(run_child("", "divergence"), "divergence: cudaErrorLaunchFailure");
}

TEST_CASE("settings: TUTORIAL_CPU_MUTATION") {
    const std::string reverse = "TUTORIAL_CPU_ORDER=reverse ";
    CHECK_OUTPUT(run_child(reverse + "TUTORIAL_CPU_MUTATION=other_kernel", "first-thread"),
                 "first thread 31,");
    CHECK_OUTPUT(run_child(reverse + "TUTORIAL_CPU_MUTATION=order_kernel", "first-thread"),
                 "first thread 0,");
    CHECK_OUTPUT(run_child(reverse + "TUTORIAL_CPU_MUTATION=order_kernel", "first-thread"),
                 "Emulator: kernel order_kernel does nothing (TUTORIAL_CPU_MUTATION).");
}

TEST_CASE("settings: TUTORIAL_CPU_WITHOUT_BARRIER") {
    const std::string said = run_child("", "divergence").output;
    const std::size_t file = said.find("child.cu:");
    REQUIRE(file != std::string::npos);
    const std::string place =
        said.substr(file, said.find_first_not_of("0123456789", file + 9) - file);
    const std::string variable = "TUTORIAL_CPU_WITHOUT_BARRIER=";
    CAPTURE(place);
    CHECK_OUTPUT(run_child(variable + place, "divergence"), "divergence: cudaSuccess");
    CHECK_OUTPUT(run_child(variable + place, "divergence"),
                 "Emulator: the barrier of " + place + " is left out (" + variable + place + ").");
    // A barrier on another line, or in a file whose name only ends the same way, stays.
    for (const std::string& other : {place + "0", "grand" + place, "hild.cu" + place.substr(8)}) {
        CAPTURE(other);
        CHECK_OUTPUT(run_child(variable + other, "divergence"),
                     "divergence: cudaErrorLaunchFailure");
        CHECK_OUTPUT(run_child(variable + other, "divergence"),
                     "Emulator: no thread reached a barrier at " + other);
    }
    CHECK(run_child(variable + place, "divergence").output.find("no thread reached") ==
          std::string::npos);
    for (const char* wrong :
         {"child.cu", ":5", "child.cu:", "child.cu:0", "child.cu:x", "child.cu:-1"}) {
        CAPTURE(wrong);
        CHECK(run_child(variable + wrong, "divergence").exit_code == 2);
        CHECK_OUTPUT(run_child(variable + wrong, "divergence"), ": allowed: FILE:LINE");
    }
}
