#!/usr/bin/env bash
# Everything that needs several GPUs, in one call of at most ten minutes: ./tutorial bench,
# compute-sanitizer's tools, and the tests, among them an odd number of ranks and a rank that dies.
#
#   .ci/several_gpus.sh            with all GPUs of this machine
#   .ci/several_gpus.sh 4          with 4 of them
#   .ci/several_gpus.sh 4 tests    one part alone: bench, sanitizer or tests; the last two need the programs built
#   .ci/several_gpus.sh 8 --cpu    on the emulator: the tests, and each default size with 8 ranks
#
# Results are in docs/results/GPUxN, as from ./tutorial bench --gpus N. Exit code: 0 all right, 1 something
# failed, 2 a wrong option.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

count=${1:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')}
part=${2:-all}
if [[ ! $count =~ ^[1-9][0-9]*$ || $# -gt 2 || ! $part =~ ^(all|tests|sanitizer|bench|--cpu)$ ]]; then
    echo "several_gpus: usage: .ci/several_gpus.sh [GPUS [tests | sanitizer | bench | --cpu]];" \
        "without GPUS, all that nvidia-smi sees" >&2
    exit 2
fi
backend=cuda
[[ $part != --cpu ]] || backend=cpu
failed=0
step() {
    local left=$((600 - SECONDS))
    echo "== $SECONDS s: $*"
    timeout $((left > 0 ? left : 1)) "$@" && return
    echo "several_gpus: failed with exit code $?: $*" >&2
    return 1
}
tests=(python3 common/harness/multi_gpu/tests/multi_gpu_test.py --bin "build/$backend/bin" --backend "$backend")

# Each program under each tool, with two ranks, all at the same time: starting them is mostly waiting. NCCL's kernels
# are left out, ours are checked: NCCL writes to memory of other GPUs, which memcheck takes for out of bounds, and its
# warps leave at barriers of their own, which synccheck reports. initcheck must see what NCCL writes. NCCL also tries
# kinds of memory that a machine may not have: a call that fails is not a fault.
sanitize() {
    local program tool pid pids=()
    local ours="--kernel-name-exclude kns=ncclDevKernel"
    for program in build/cuda/bin/ch*_multi_gpu_cuda; do
        for tool in "memcheck $ours --report-api-errors no" "racecheck $ours" "synccheck $ours" initcheck; do
            # shellcheck disable=SC2086  # a tool and its options
            step python3 common/harness/multi_gpu/tests/with_ranks.py 2 compute-sanitizer --error-exitcode 9 \
                --tool $tool "$program" --n 5003 --samples 1 &
            pids+=($!)
        done
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || failed=1
    done
}

if [[ $part == --cpu ]]; then
    step ./tutorial run --gpus "$count" --cpu --same-total || failed=1
    step "${tests[@]}" --most 4 || failed=1
fi
if [[ $part =~ ^(all|bench)$ ]]; then
    step ./tutorial bench --gpus "$count" || failed=1
fi
if [[ $part =~ ^(all|sanitizer)$ ]]; then
    sanitize
fi
if [[ $part =~ ^(all|tests)$ ]]; then
    step "${tests[@]}" --most "$count" Failing Right || failed=1
fi
exit $failed
