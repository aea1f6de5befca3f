#!/usr/bin/env bash
# Executes notebooks of docs/notebooks as they are, on the emulator or a GPU. The first cell that fails
# ends the run.
#
#   .ci/notebooks.sh              start, and one chapter's: a different one on each of six days;
#                                 TUTORIAL_TURN=all executes all of them
#   .ci/notebooks.sh start ch03   these
#
# Their output goes to build/notebooks/, not into the repository. It needs nbconvert, ipykernel and
# matplotlib: apt-get install jupyter-nbconvert python3-ipykernel python3-matplotlib
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -eq 0 ]]; then
    chapters=(docs/notebooks/ch*.ipynb)
    mapfile -t today < <(basename -s .ipynb "${chapters[@]}" | python3 common/building/turn.py part "${#chapters[@]}")
    set -- start "${today[@]}"
fi

# Debian's Python has them, even if another one comes first on PATH.
for python in /usr/bin/python3 python3; do
    if "$python" -c 'import nbconvert, ipykernel, matplotlib' 2>/dev/null; then break; fi
    python=""
done
if [[ -z $python ]]; then
    echo "notebooks: nbconvert, ipykernel or matplotlib is missing: apt-get install jupyter-nbconvert python3-ipykernel python3-matplotlib" >&2
    exit 3
fi

mkdir -p build/notebooks
places=(docs/notebooks docs/first_kernel/exercises 'ch*/exercises/*')
before=$(git status --porcelain -- "${places[@]}")
for name in "$@"; do
    started=$SECONDS
    if [[ ! -f docs/notebooks/$name.ipynb ]]; then
        echo "notebooks: there is no docs/notebooks/$name.ipynb" >&2
        exit 2
    fi
    log=build/notebooks/$name.log
    if ! (cd docs/notebooks && PYDEVD_DISABLE_FILE_VALIDATION=1 "$python" -m nbconvert --to notebook --execute \
        --ExecutePreprocessor.timeout=900 --ExecutePreprocessor.kernel_name=python3 \
        --output-dir ../../build/notebooks "$name.ipynb") >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        exit 1
    fi
    echo "$name.ipynb: executed, $((SECONDS - started)) s"
done
if [[ $(git status --porcelain -- "${places[@]}") != "$before" ]]; then
    echo "notebooks: executing them has changed the repository:" >&2
    git status --short -- "${places[@]}" >&2
    exit 1
fi
