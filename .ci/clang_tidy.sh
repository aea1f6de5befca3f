#!/usr/bin/env bash
# clang-tidy over the C++ that every program here is linked with: of the harness, the emulator, the lab
# and grading a tenth each day, and of the others the files that have changed.
#
#   .ci/clang_tidy.sh          what has changed since the branch left main, or in the last 10 commits
#   .ci/clang_tidy.sh --all    every file, as with TUTORIAL_TURN=all
#
# Nine tenths of its time go into clang's analyzer, which follows the paths through a function. In a
# file that has only changed it gives up sooner, in a fifth of the time.
#
# It prints which files it takes, and fails if it would take none. The checks are in
# .clang-tidy, and in the .clang-tidy files of those folders.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly PARTS=10 TURN=common/building/turn.py
# Each folder, and what its files are compiled with (its CMakeLists.txt).
readonly ROOMS=(harness emulator/src lab/src lab/chapter grading/lib grading/worker)
emulator="-std=c++17 -Icommon/emulator/include"
lab="$emulator -Icommon/emulator/src -Icommon/lab/include -Icommon/lab/src"
grading="$emulator -I. -Icommon/lab/include -DGRADING_HAS_LAB=1"
declare -rA OPTIONS=(
    [harness]="$emulator -I."
    [emulator/src]="$emulator -Icommon/emulator/src"
    [lab/src]="$lab"
    [lab/chapter]="$lab -I."
    [grading/lib]="$grading"
    [grading/worker]="$grading"
)

fail() {
    echo "clang-tidy: $1" >&2
    exit 1
}

# Tests are left out, and what needs NCCL and MPI.
chosen() { awk '!/^common\/harness\/(tests|multi_gpu)\//'; }

sources_of() { git ls-files --cached --others --exclude-standard "common/$1/*.cpp" | chosen; }

# changed_in ROOM: its files that have changed. A header is checked with the .cpp file of the same name
# or, if there is none, by itself.
changed_in() {
    local file
    awk -v room="common/$1/" 'index($0, room) == 1' <<<"$changed" | chosen | while read -r file; do
        case $file in
            *.cpp) echo "$file" ;;
            *.hpp)
                if [[ -f ${file%.hpp}.cpp ]]; then file=${file%.hpp}.cpp; fi
                echo "$file"
                ;;
        esac
    done | sort -u
}

# Prints what is found, but not how many warnings in the system's headers were left out.
tidy() {  # tidy FILE NODES OPTION…: the analyzer visits so many states of a function
    local found analyzer=(-Xclang -analyzer-config -Xclang "max-nodes=$2")
    if found=$(clang-tidy-14 --quiet "$1" -- "${@:3}" "${analyzer[@]}" 2>&1); then return; fi
    printf '%s\nclang-tidy: %s\n' "$(grep -v -E '^[0-9]+ warnings? (and [0-9]+ errors? )?generated[.]$' <<<"$found")" "$1"
    return 1
}
export -f tidy

# take NODES WHY FILES: puts the files of this room on the list.
take() {
    local file
    [[ -n $3 ]] || return 0
    echo "  common/$room ($2): $(xargs -n 1 basename <<<"$3" | xargs)"
    while read -r file; do echo "$file $1 ${OPTIONS[$room]}"; done <<<"$3" >>"$list"
}

case ${1-} in
    --all | '') [[ $# -le 1 ]] || fail "it takes one option, --all" ;;
    *) fail "unknown option '$1'; there is --all" ;;
esac

all=${1-}
if [[ ${TUTORIAL_TURN-} == all ]]; then all=--all; fi
mkdir -p build
list=build/ci_tidy_files.txt
: >"$list"
changed=$(python3 $TURN changed)
for room in "${ROOMS[@]}"; do
    what="all of it"
    files=$(sources_of "$room")
    only_changed=
    [[ -n $files ]] || fail "there is no file common/$room/*.cpp"
    if [[ $all != --all ]]; then
        what="today's part"
        files=$(python3 $TURN part $PARTS <<<"$files")
        only_changed=$(comm -23 <(changed_in "$room") <(sort <<<"$files"))
    fi
    take 225000 "$what" "$files"
    take 20000 "changed" "$only_changed"
done
[[ -s $list ]] || fail "there is no file to look at"
failed=0
# shellcheck disable=SC2016  # expanded by the shell that xargs starts
xargs -P "$(nproc)" -L 1 bash -c 'tidy "$@"' tidy <"$list" || failed=1
[[ $failed -eq 0 ]] || fail "the above must be fixed, or its check left out with a reason in .clang-tidy"
echo "clang-tidy: nothing found in $(wc -l <"$list") files"
