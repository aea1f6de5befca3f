#!/usr/bin/env bash
# Do the emulator and the lab work on AArch64? Cross-compiles them on Debian 12 for x86-64, runs
# their tests under QEMU's emulation, and compares every chapter's counts with those of x86-64.
#
#   .ci/aarch64.sh             all of it, from a bare Debian 12 on
#   .ci/aarch64.sh COMMAND…    after that, runs a command that may start AArch64 programs:
#                              .ci/aarch64.sh build/aarch64/bin/ch01_bubble_lab --faults
#
# Installs what is missing with apt-get. Needs Linux 6.7 or later: QEMU is entered for AArch64's
# programs in a namespace of its own, so that the machine stays as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD/build/aarch64_root
build=build/aarch64
qemu=/usr/bin/qemu-aarch64-static

fail() {
    echo "aarch64: $1" >&2
    exit 1
}

as_root() { if [[ $(id -u) -eq 0 ]]; then "$@"; else sudo -n "$@"; fi; }

emulated() {  # emulated COMMAND…
    # How an AArch64 program begins (ELF, 64 bits, little endian, executable or shared, machine 183), and
    # which of those bits count. F: QEMU is opened now, whatever root a program has.
    local magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    # shellcheck disable=SC2016  # the inner shell's
    QEMU_LD_PREFIX=$root unshare --user --map-root-user --mount bash -c '
        mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
            printf %s "$1" >/proc/sys/fs/binfmt_misc/register || {
            echo "aarch64: no binfmt_misc in a namespace of its own: that takes Linux 6.7 or later" >&2
            exit 3
        }
        shift
        exec "$@"' - ":aarch64:M::$magic:$mask:$qemu:F" "$@"
}

if [[ $# -gt 0 ]]; then
    [[ -d $root && -x $qemu ]] || fail "first call it without a command: it makes what AArch64's programs need"
    emulated "$@"
    exit
fi

# shellcheck source=/dev/null  # ID and VERSION_ID
[[ $(. /etc/os-release && echo "$ID $VERSION_ID $(uname -m)") == "debian 12 x86_64" ]] ||
    fail "it takes a Debian 12 for x86-64: that one's cross compiler and libraries fit each other"

echo "== Tools"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    cmake ninja-build python3 g++ g++-12-aarch64-linux-gnu gcc-12-plugin-dev-aarch64-linux-gnu \
    qemu-user-static mmdebstrap debian-archive-keyring

if [[ ! -d $root ]]; then
    echo "== AArch64's libraries"
    # Only unpacked: nothing of it runs but libraries. Debian's archive can be replaced, as in
    # fresh_machine.sh.
    mkdir -p build
    rm -rf --one-file-system "$root.new"
    as_root mmdebstrap --quiet --variant=extract --architectures=arm64 \
        --include=libboost-context-dev,libfmt-dev,libdw-dev,libcli11-dev,doctest-dev \
        bookworm "$root.new" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
    mv "$root.new" "$root"
fi

echo "== Building"
cmake -S . -B $build -G Ninja -DCMAKE_TOOLCHAIN_FILE=.ci/aarch64.cmake -DCMAKE_BUILD_TYPE=Release \
    -DTUTORIAL_CUDA=OFF -DTUTORIAL_CPU=ON -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
programs=(emulator_tests lab_tests gallery_more harness_cpu_tests first_cpu first_faults)
for main in ch[0-9][0-9]_*/main.cu; do programs+=("$(dirname "$main")"); done
for source in common/lab/fault_gallery/*.cu; do programs+=("gallery_$(basename "$source" .cu)"); done
for source in docs/first_kernel/mistakes/*.cu; do programs+=("first_$(basename "$source" .cu)"); done
cmake --build $build --target "${programs[@]}"

echo "== Tests"
# Left out: exercises and readers' own programs, which are compiled and run at once.
emulated ctest --test-dir $build --no-tests=error --output-on-failure -j "$(nproc)" \
    -R '^(lab|gallery|emulator|harness|first_kernel|ch[0-9][0-9].*[.](cpu|cpu[.]run|fault.*)$)'

echo "== Counts"
emulated python3 .ci/aarch64_counts.py $build/bin
