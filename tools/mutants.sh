#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tries whether the tests notice faults: puts each fault of a set into a copy of this tree, one at a time, builds it and
# runs the suite until something fails.
#
#   tools/mutants.sh [--scratch DIR] [--jobs N] SET [NAME...]
#
# SET is a folder of tests/mutants, NAME one of its files without ".patch"; without a name all of them are tried. DIR keeps
# the copy and its build for the next time; without it both are removed at the end.
#
# The set "plugin" is of another kind: plugins that are wrong in one thing each (tests/conformance/mutants), on which
# spoc-conformance is tried. NAME is one of them.
#
# The set "core" changes libspoc alone: only that is built before the first test is tried.
#
# A file of any set but "plugin" begins with a sentence that says what is broken, and with a line "First: TEST" that names the test of
# meson which is the likeliest to notice, only to save time. A unified diff with one line of context follows.
#
# Prints a table. Exits 0 only if every fault was noticed.
set -eu

usage='usage: tools/mutants.sh [--scratch DIR] [--jobs N] SET [NAME...]'

note() {
    printf 'mutants.sh: %s\n' "$*" >&2
}

wrong_use() {
    note "$*"
    echo "$usage" >&2
    exit 2
}

# Names, NUL-terminated, every file of this tree that git knows or would add. An unpacked release has no git, and no files
# but its own.
source_files() {
    if git -c safe.directory="$PWD" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard
    else
        find . \( -path ./build -o -path './subprojects/*/*' \) -prune -o -type f -printf '%P\0'
    fi
}

# Copies what differs, and only that: what was built of the rest is still good.
copy_tree() {
    local file
    while IFS= read -r -d '' file; do
        if [ -f "$file" ] && ! cmp -s -- "$file" "$copy/$file"; then
            mkdir -p -- "$copy/$(dirname -- "$file")"
            cp -- "$file" "$copy/$file"
            # A later time than that of anything built of an earlier version.
            touch -- "$copy/$file"
        fi
    done < <(source_files)
}

# run_tests ARGUMENT...: true if all pass. The sanitizers and debug options of the caller's build play no part.
run_tests() {
    rm -f -- "$copy/build/meson-logs/testlog.json"
    meson test -C "$copy/build" --no-rebuild --maxfail 1 --num-processes "$jobs" "$@" >"$scratch/test.log" 2>&1
}

# The first test that failed in the last run, and the case in it.
killer() {
    python3 - "$copy/build/meson-logs/testlog.json" <<'PYTHON'
import json
import re
import sys

# A case of Python's unittest, or of Catch2, whose title stands between two lines of dashes.
CASE = re.compile(r"^(?:FAIL|ERROR): (\w+)|^-{70,}\n(.+)\n(?:.*\n)*?-{70,}\n", re.MULTILINE)

try:
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        tests = [json.loads(line) for line in log if line.strip()]
except FileNotFoundError:
    tests = []
for test in tests:
    if test["result"] in ("FAIL", "ERROR", "TIMEOUT", "UNEXPECTEDPASS"):
        found = CASE.search(test.get("stdout", "") + "\n" + test.get("stderr", ""))
        case = (found.group(1) or found.group(2)).strip() if found else test["result"].lower()
        print(f"{test['name'].rpartition(' / ')[2]}: {case}")
        break
else:
    print("a test that left no log")
PYTHON
}

# Ends what a fault left running: processes whose program is one of the copy's, and no others.
end_leftovers() {
    local process program
    for process in /proc/[0-9]*; do
        program=$(readlink -- "$process/exe" 2>/dev/null) || continue
        case $program in
        "$copy"/build/*) kill -KILL "${process#/proc/}" 2>/dev/null || : ;;
        esac
    done
}

# build [TARGET...]
build() {
    ninja -C "$copy/build" -j "$jobs" "$@" >"$scratch/build.log" 2>&1
}

# The library's file as a target of ninja, with its version.
library_target() {
    ninja -C "$copy/build" -t targets all | sed -n 's/^\(core\/src\/libspoc\.so[0-9.]*\): cpp_LINKER.*/\1/p'
}

# try_mutant FILE: prints what became of it.
try_mutant() {
    local patch=$1 first status=survived
    local targets=()
    first=$(sed -n 's/^First: //p' "$patch" | head -n 1)
    if ! git_apply "$patch"; then
        echo 'does not apply'
        return
    fi
    if [ "$set_name" = core ]; then
        targets=("$(library_target)")
    fi
    if ! build "${targets[@]}"; then
        status='does not build'
    elif [ -n "$first" ] && ! run_tests "$first"; then
        status="killed by $(killer)"
    elif ! build; then
        status='does not build'
    elif ! run_tests --suite unit --suite integration; then
        status="killed by $(killer)"
    fi
    end_leftovers
    git_apply "$patch" --reverse
    echo "$status"
}

# The scratch copy is no repository, and must not be taken for a part of one that it lies in.
git_apply() {
    local patch=$1
    shift
    (cd -- "$copy" && GIT_CEILING_DIRECTORIES=$scratch git apply -C1 "$@" -- "$patch" >/dev/null 2>&1)
}

# try_plugins [NAME...]: builds the plugins that are wrong and spoc-conformance, and lets that judge them.
try_plugins() {
    local build=$copy/build source
    local right=(--right "$copy/build/plugins/native/libspoc-native.so"
        --right "$copy/build/tests/conformance/libspoc-acme.so")
    for source in "$copy"/tests/conformance/right/*.cpp; do
        right+=(--right "$build/tests/conformance/libspoc-$(basename -- "$source" .cpp).so")
    done
    if ! ninja -C "$build" -j "$jobs" tools/spoc-conformance/spoc-conformance plugins/native/libspoc-native.so \
        tests/conformance/libspoc-acme.so conformance-mutants >"$scratch/build.log" 2>&1; then
        tail -n 40 -- "$scratch/build.log" >&2
        note 'the tree does not build as it is'
        return 1
    fi
    # Not all at once: work that is to be seen pending needs a processor beside the case's own.
    python3 "$copy/tests/conformance/judge_mutants.py" --program "$build/tools/spoc-conformance/spoc-conformance" \
        --plugins "$build/tests/conformance" "${right[@]}" --jobs $(((jobs + 1) / 2)) "$@"
}

scratch=
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
while [ $# -gt 0 ]; do
    case $1 in
    --scratch)
        scratch=${2-}
        [ -n "$scratch" ] || wrong_use 'which folder?'
        shift 2
        ;;
    --jobs)
        jobs=${2-}
        shift $(($# > 1 ? 2 : 1))
        ;;
    -h | --help)
        echo "$usage"
        exit 0
        ;;
    -*) wrong_use "there is no option $1" ;;
    *) break ;;
    esac
done
case $jobs in
'' | 0* | *[!0-9]*) wrong_use 'N is at least 1' ;;
esac
[ $# -gt 0 ] || wrong_use 'which set?'
set_name=$1
shift

[ -z "$scratch" ] || { mkdir -p -- "$scratch" && scratch=$(cd -- "$scratch" && pwd -P); }
cd -- "$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
if [ "$set_name" = plugin ]; then
    folder=tests/conformance/mutants suffix=.cpp
else
    folder=tests/mutants/$set_name suffix=.patch
fi
[ -d "$folder" ] || wrong_use "there is no set $set_name in tests/mutants"
patches=()
if [ $# -eq 0 ]; then
    patches=("$folder"/*"$suffix")
fi
for name in "$@"; do
    [ -f "$folder/$name$suffix" ] || wrong_use "the set $set_name has no $name"
    patches+=("$folder/$name$suffix")
done
for variable in "${!SPOC_@}"; do
    unset "$variable"
done

if [ -z "$scratch" ]; then
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/spoc-mutants.XXXXXX")
    scratch=$(cd -- "$scratch" && pwd -P)
    trap 'rm -rf -- "$scratch"' EXIT
fi
copy=$scratch/tree
mkdir -p -- "$copy"
copy_tree
if [ ! -f "$copy/build/build.ninja" ]; then
    # Not optimised: most of the time goes to the compiler.
    meson setup "$copy/build" "$copy" -Ddebug=false -Doptimization=0 -Dtests=enabled -Dtools=enabled \
        >"$scratch/setup.log" 2>&1 || { cat -- "$scratch/setup.log" >&2; exit 1; }
fi
if [ "$set_name" = plugin ]; then
    try_plugins "$@"
    exit
fi
if ! ninja -C "$copy/build" -j "$jobs" >"$scratch/build.log" 2>&1; then
    tail -n 40 -- "$scratch/build.log" >&2
    note 'the tree does not build as it is'
    exit 1
fi
if ! run_tests --suite unit --suite integration; then
    tail -n 40 -- "$scratch/test.log" >&2
    note "without any fault a test fails ($(killer))"
    exit 1
fi

unnoticed=0
printf '| fault | what is broken | what became of it |\n|---|---|---|\n'
for patch in "${patches[@]}"; do
    result=$(try_mutant "$PWD/$patch")
    case $result in
    killed*) ;;
    *) unnoticed=$((unnoticed + 1)) ;;
    esac
    printf '| %s | %s | %s |\n' "$(basename -- "$patch" .patch)" "$(head -n 1 -- "$patch")" "$result"
done
printf '\n%d faults, %d not noticed\n' "${#patches[@]}" "$unnoticed"
[ "$unnoticed" -eq 0 ]
