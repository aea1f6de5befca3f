#!/usr/bin/env bash
# Everything that is asked of several GPUs, in one call of at most ten minutes: ./tutorial bench, memcheck,
# and the tests, among them an odd number of ranks and a rank that dies.
#
#   .ci/several_gpus.sh            with all GPUs of this machine
#   .ci/several_gpus.sh 4          with 4 of them
#   .ci/several_gpus.sh 8 --cpu    on the emulator: the tests, and each default size with 8 ranks
#
# Results are in docs/results/GPUxN, as of ./tutorial bench --gpus N. Exit code: 0 all right, 1 something
# failed, 2 a wrong option.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

count=${1:-$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')}
if [[ ! $count =~ ^[1-9][0-9]*$ || $# -gt 2 || ${2:---cpu} != --cpu ]]; then
    echo "several_gpus: usage: .ci/several_gpus.sh [GPUS [--cpu]]; without GPUS, all that nvidia-smi sees" >&2
    exit 2
fi
backend=cuda
[[ $# -lt 2 ]] || backend=cpu
failed=0
step() {
    local left=$((600 - SECONDS))
    echo "== $SECONDS s: $*"
    timeout $((left > 0 ? left : 1)) "$@" && return
    echo "several_gpus: failed with exit code $?: $*" >&2
    failed=1
}
tests=(python3 common/harness/multi_gpu/tests/multi_gpu_test.py --bin "build/$backend/bin" --backend "$backend")

if [[ $backend == cpu ]]; then
    step ./tutorial run --gpus "$count" --cpu --same-total
    step "${tests[@]}" --most 4
else
    step ./tutorial bench --gpus "$count"
    # NCCL tries kinds of memory that a machine may not have: a call that fails is no fault.
    for program in build/cuda/bin/ch*_multi_gpu_cuda; do
        step python3 common/harness/multi_gpu/tests/with_ranks.py 2 compute-sanitizer --tool memcheck \
            --report-api-errors no --error-exitcode 9 "$program" --n 5003 --samples 1
    done
    step "${tests[@]}" --most "$count" Failing Right
fi
exit $failed
