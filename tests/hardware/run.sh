#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Runs SPOC's tests and benchmarks on this machine's accelerators, out of the folder that it lies in:
#
#   run.sh [--part N] [--device SEL] [--output DIR]
#
#   1  what there is, and the conformance suite
#   2  the semantic suite, the long tests, what the driver answers
#   3  benchmarks, and a large file loaded
#
# All parts unless one is named; each takes less than 8 minutes. The device is cuda:0 unless given. Outputs go to DIR
# (./spoc-hardware unless given), with a table in report.json; a later part adds to what is there. The last line is
# "N passed, N failed, N skipped", and the exit status 0 only if nothing failed.
set -u

usage='usage: run.sh [--part N] [--device SEL] [--output DIR]'
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
part=all
device=cuda:0
output=$PWD/spoc-hardware
while [ $# -gt 0 ]; do
    case $1 in
    --part | --device | --output)
        if [ $# -lt 2 ]; then
            echo "$usage" >&2
            exit 2
        fi
        case $1 in
        --part) part=$2 ;;
        --device) device=$2 ;;
        --output) output=$2 ;;
        esac
        shift 2
        ;;
    -h | --help)
        echo "$usage"
        exit 0
        ;;
    *)
        echo "$usage" >&2
        exit 2
        ;;
    esac
done
case $part in
all | 1 | 2 | 3) ;;
*)
    echo "$usage" >&2
    exit 2
    ;;
esac

mkdir -p -- "$output" || exit 1
rows=$output/rows.tsv
backend=${device%%:*}
# What the caller set for SPOC's programs would change what the tests see; SPOC_TEST_* are for the tests.
for variable in $(env | sed -n 's/^\(SPOC_[A-Z_]*\)=.*/\1/p' | grep -v '^SPOC_TEST_'); do
    unset "$variable"
done
LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
# Only where the machine has no C++ library of its own: drivers may need one that is newer.
if ! "$here/bin/spoc-info" --version >/dev/null 2>&1; then
    LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$here/lib/fallback
fi
SPOC_PLUGIN_PATH=$here/lib/spoc/1
export SPOC_PLUGIN_PATH

# step NAME SECONDS COMMAND...: a row of the report. 77 is a skip.
step() {
    name=$1
    limit=$2
    shift 2
    begin=$(date +%s)
    timeout "$limit" "$@" >"$output/$name.txt" 2>"$output/$name.err"
    status=$?
    seconds=$(($(date +%s) - begin))
    case $status in
    0) state=passed ;;
    77) state=skipped ;;
    *) state=failed ;;
    esac
    # A step that runs again replaces its row.
    if [ -f "$rows" ]; then
        awk -F '\t' -v name="$name" '$1 != name' "$rows" >"$rows.new" && mv -- "$rows.new" "$rows"
    fi
    printf '%s\t%s\t%s\t%s\n' "$name" "$state" "$status" "$seconds" >>"$rows"
    printf '%-8s %-28s %5s s\n' "$state" "$name" "$seconds"
    if [ $state = failed ]; then
        tail -q -n 40 -- "$output/$name.txt" "$output/$name.err" | sed 's/^/    /'
    fi
    [ -s "$output/$name.err" ] || rm -f -- "$output/$name.err"
}

part_1() {
    step info 60 "$here/bin/spoc-info" --verbose
    step info_plain 60 "$here/bin/spoc-info"
    step info_json 60 "$here/bin/spoc-info" --json
    step selftest 120 "$here/bin/spoc-info" --selftest
    if [ "$backend" = cuda ]; then
        for hidden in '' -1 99; do
            CUDA_VISIBLE_DEVICES=$hidden
            export CUDA_VISIBLE_DEVICES
            step "hidden_cards$hidden" 60 "$here/bin/spoc-info"
            # shellcheck disable=SC2016 # expanded by the inner shell
            step "hidden_cards_required$hidden" 60 sh -c '"$1" --require cuda; test $? -eq 1' sh "$here/bin/spoc-info"
            unset CUDA_VISIBLE_DEVICES
        done
    fi
    step conformance 450 "$here/bin/spoc-conformance" --verbose "$here/lib/spoc/1/libspoc-$backend.so"
}

part_2() {
    SPOC_TEST_DEVICE=$device
    SPOC_TEST_ROUNDS=${SPOC_TEST_ROUNDS-10000}
    SPOC_TEST_BIG=${SPOC_TEST_BIG-1}
    export SPOC_TEST_DEVICE SPOC_TEST_ROUNDS SPOC_TEST_BIG
    step semantics 200 "$here/tests/semantics-test" '[any-device]'
    step hardware 400 "$here/tests/hardware-test" -d yes
    step loss 60 "$here/tests/hardware-test" '[.loss]'
    if [ "$backend" = cuda ]; then
        step driver_facts 60 "$here/tests/driver-facts" "$here/tests/driver_facts.txt"
        SPOC_PLUGIN_FILES=$here/lib/spoc/1/libspoc-cuda.so
        export SPOC_PLUGIN_FILES
        step guest 60 "$here/tests/cuda-test" '[card]'
        unset SPOC_PLUGIN_FILES
    fi
}

part_3() {
    step bench_dispatch 120 "$here/bin/spoc-bench" run --json --device "$device" 'disp.*'
    if [ "$backend" = cuda ]; then
        step bench_cuda 200 "$here/bin/spoc-bench" run --json --device "$device" 'cuda.*'
        step bench_cuda_again 200 "$here/bin/spoc-bench" run --device "$device" 'cuda.*'
    fi
    step overlap 60 "$here/tests/overlap" "$device"
    file=${SPOC_TEST_FILE-$output/large.bin}
    if [ ! -f "$file" ]; then
        head -c "${SPOC_TEST_FILE_BYTES-8589934592}" /dev/urandom >"$file"
    fi
    step load 200 "$here/bin/spoc-bench" load --device "$device" "$file"
    step load_sum 100 sha256sum "$file"
    [ -n "${SPOC_TEST_FILE-}" ] || rm -f -- "$file"
}

# report.json out of the rows.
report() {
    awk -F '\t' -v device="$device" '
        BEGIN { printf "{\n  \"schema\": \"spoc-hardware/1\",\n  \"device\": \"%s\",\n  \"steps\": [", device }
        {
            printf "%s\n    {\"name\": \"%s\", \"state\": \"%s\", \"status\": %d, \"seconds\": %d}",
                (NR > 1 ? "," : ""), $1, $2, $3, $4
        }
        END { print "\n  ]\n}" }' "$rows" >"$output/report.json"
    awk -F '\t' '{ ++count[$2] }
        END { printf "%d passed, %d failed, %d skipped\n", count["passed"], count["failed"], count["skipped"]
              exit (count["failed"] > 0) }' "$rows"
}

for one in 1 2 3; do
    if [ "$part" = all ] || [ "$part" = $one ]; then
        part_$one
    fi
done
report
