#!/usr/bin/env bash
# Do the commands of README.md work on a bare machine? Makes a bare root of each system named (no
# compiler, no Python, no CMake), enters it, and runs them.
#
#   .ci/fresh_machine.sh [--only-run] [--keep] debian12 | debian13 | ubuntu22.04 | ubuntu24.04 …
#
#   --only-run  ./tutorial run ch01, and again, explain and check; without ./tutorial test
#   --keep      leave the root where it is, and say where
#
# Needs root, and mmdebstrap or debootstrap. A system whose archive cannot be reached is
# reported as not tried; if that is all of them, the exit code is 77. DEBIAN_MIRROR and UBUNTU_MIRROR
# name other mirrors.
set -euo pipefail
repository=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
only_run=0
keep=0
systems=()
for word in "$@"; do
    case $word in
        --only-run) only_run=1 ;;
        --keep) keep=1 ;;
        debian12 | debian13 | ubuntu22.04 | ubuntu24.04) systems+=("$word") ;;
        *)
            echo "fresh_machine: '$word' is not known; there are --only-run, --keep, debian12, debian13, ubuntu22.04 and ubuntu24.04" >&2
            exit 2
            ;;
    esac
done
if [[ ${#systems[@]} -eq 0 ]]; then systems=(debian12); fi
if [[ $(id -u) -ne 0 ]]; then
    echo "fresh_machine: entering another root needs the rights of root; try sudo" >&2
    exit 3
fi

scratch=$(mktemp -d "${TMPDIR:-/tmp}/fresh_machine.XXXXXX")
finish() {
    if [[ $keep -eq 1 ]]; then echo "Kept: $scratch"; else rm -rf --one-file-system "$scratch"; fi
}
trap finish EXIT

fail() {
    echo "fresh_machine: $1" >&2
    exit 1
}

archive_of() {  # prints SUITE MIRROR COMPONENTS KEYRING
    local debian=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
    local ubuntu=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
    case $1 in
        debian12) echo bookworm "$debian" main /usr/share/keyrings/debian-archive-keyring.gpg ;;
        debian13) echo trixie "$debian" main /usr/share/keyrings/debian-archive-keyring.gpg ;;
        ubuntu22.04) echo jammy "$ubuntu" main,universe /usr/share/keyrings/ubuntu-archive-keyring.gpg ;;
        ubuntu24.04) echo noble "$ubuntu" main,universe /usr/share/keyrings/ubuntu-archive-keyring.gpg ;;
    esac
}

# minbase, the least that can install packages; apt by name, as Ubuntu 24.04 no longer counts it as
# required.
make_root() {  # make_root SYSTEM FOLDER
    local suite mirror components keyring
    read -r suite mirror components keyring <<<"$(archive_of "$1")"
    if command -v mmdebstrap >/dev/null; then
        local trust=()
        if [[ -f $keyring ]]; then trust=(--keyring="$keyring"); fi
        mmdebstrap --variant=minbase --include=apt --components="$components" \
            ${trust[@]+"${trust[@]}"} "$suite" "$2" "$mirror"
    elif command -v debootstrap >/dev/null; then
        debootstrap --variant=minbase --include=apt --components="$components" \
            --keyring="$keyring" "$suite" "$2" "$mirror"
    else
        echo "there is neither mmdebstrap nor debootstrap: apt-get install mmdebstrap"
        return 1
    fi
}

inside() {  # inside COMMAND: in the root, with processes and mounts of its own
    # shellcheck disable=SC2016  # the inner shell's
    unshare --mount --pid --fork bash -c '
        mount --make-rprivate /
        mount -t proc proc "$1/proc"
        mount --rbind /dev "$1/dev"
        exec chroot "$1" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
            bash -c "cd /root/tutorial && $2"' - "$root" "$1"
}

step() {  # step NAME COMMAND: shows it, keeps its output in $output
    local started=$SECONDS code=0
    echo "-- $system: $2"
    output=$scratch/$system.$1.txt
    inside "$2" >"$output" 2>&1 </dev/null || code=$?
    sed 's/^/   | /' "$output"
    echo "-- $system: $1 took $((SECONDS - started)) s, exit code $code"
    [[ $code -eq 0 ]] || fail "$system: $2 failed"
}

says() { grep -q -E -e "$1" "$output" || fail "$system: '$1' was expected above"; }
says_not() { if grep -q -E -e "$1" "$output"; then fail "$system: '$1' was not expected above"; fi; }

tried=0
for system in "${systems[@]}"; do
    root=$scratch/$system
    echo "== $system: a bare root"
    if ! make_root "$system" "$root" >"$scratch/$system.bootstrap.txt" 2>&1; then
        tail -n 5 "$scratch/$system.bootstrap.txt"
        echo "== $system: NOT TRIED, its root could not be made"
        continue
    fi
    mkdir -p "$root/root/tutorial"
    for program in python3 c++ cmake ninja make; do
        if inside "command -v $program" >/dev/null 2>&1; then fail "$system has $program: it is not bare"; fi
    done 2>/dev/null
    git -C "$repository" ls-files -z --cached --others --exclude-standard |
        tar -C "$repository" --null --files-from=- --ignore-failed-read -c | tar -C "$root/root/tutorial" -x
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    tried=$((tried + 1))

    step first "./tutorial run ch01"
    says '^Installing with apt-get'
    says 'sectors/request' # counts: the lab is there at once
    says ' 0 wrong'
    [[ $(grep -c '^Installing with apt-get' "$output") -eq 1 ]] || fail "$system: it took more than one go to install"
    step second "./tutorial run ch01 --list"
    says_not '^(Installing|Configuring|Building)'
    step explain "./tutorial explain ch01 --n 64 --stage shared --json"
    says 'tutorial-explain-1'
    # An exercise as it was handed out, then solved.
    step handed_out "! ./tutorial check ch01/ex1"
    says '^0 of [0-9]+ solved'
    step solved "cp ch01_bubble/exercises/ex1_*.cu /tmp/ && cp ch01_bubble/solutions/ex1_*.cu ch01_bubble/exercises/ &&
        ./tutorial check ch01/ex1 && cp /tmp/ex1_*.cu ch01_bubble/exercises/"
    says '^1 of [0-9]+ solved'
    if [[ $only_run -eq 0 ]]; then
        step test "./tutorial test"
        says '100% tests passed'
    fi
    echo "== $system: right"
    if [[ $keep -eq 0 ]]; then rm -rf --one-file-system "$root"; fi
done
if [[ $tried -eq 0 ]]; then
    echo "fresh_machine: nothing was tried"
    exit 77
fi
