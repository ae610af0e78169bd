#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds and tests this tree in several configurations, each in a folder of its own under build/:
#
#   tools/test.sh [--all] [--jobs N]
#
#   gcc      g++, warnings are errors
#   asan     g++ with AddressSanitizer and UndefinedBehaviorSanitizer
#
# and with --all also
#
#   tsan     g++ with ThreadSanitizer
#   clang    clang++, warnings are errors
#   clang-tidy, clang-format, shellcheck
#
# A configuration that fails does not stop the others. The exit status is 0 only if all of them passed. The last line is
# always "N passed, N failed, N skipped".
set -eu

usage='usage: tools/test.sh [--all] [--jobs N]'
results=build/test-results.tsv

heading() {
    printf '\n== %s\n' "$*"
}

note() {
    printf 'test.sh: %s\n' "$*"
}

# For what makes any result impossible. Keeps the promise about the last line.
give_up() {
    note "$*"
    echo '0 passed, 1 failed, 0 skipped'
    exit 1
}

# record NAME KIND STATE SECONDS DETAIL: one line for tools/test_summary.py, which explains the fields.
record() {
    printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$results"
}

# configure FOLDER ARGUMENT...
configure() {
    local folder=$1
    shift
    if [ -f "$folder/build.ninja" ]; then
        meson setup --reconfigure "$folder" "$@" && return 0
        # Most often meson itself was upgraded since, and refuses the folder that the older one wrote.
        note "$folder cannot be reused; starting it afresh"
    fi
    rm -rf -- "$folder"
    meson setup "$folder" "$@"
}

# suite NAME TIMEOUT_FACTOR ARGUMENT...: configures, builds and tests. CC, CXX and launcher come from the caller.
suite() {
    local name=$1 factor=$2 folder=build/$1 log=build/$1/meson-logs/testlog.json
    local begin=$SECONDS state status=0
    shift 2
    heading "$name: $CXX $*"
    # A log of an earlier run must never be counted.
    rm -f -- "$log"
    if ! configure "$folder" -Dtests=enabled -Dtools=enabled "$@"; then
        state='configuration failed'
    elif ! meson compile -C "$folder" -j "$jobs"; then
        state='build failed'
    else
        "${launcher[@]}" meson test -C "$folder" --no-rebuild --print-errorlogs \
            --num-processes "$jobs" --timeout-multiplier "$factor" || status=$?
        state="tested $status"
    fi
    record "$name" suite "$state" "$((SECONDS - begin))" "$log"
}

# check NAME COMMAND...: passes if the command does; skipped if that exits 77 with a line "SKIP: reason".
check() {
    local name=$1 begin=$SECONDS output=build/$1.log status=0
    shift
    heading "$name"
    "$@" >"$output" 2>&1 || status=$?
    cat -- "$output"
    case $status in
    0) record "$name" check passed "$((SECONDS - begin))" '' ;;
    77) record "$name" check skipped "$((SECONDS - begin))" "$(sed -n 's/^SKIP: //p' "$output" | head -n 1)" ;;
    *) record "$name" check failed "$((SECONDS - begin))" "$(basename -- "$output")" ;;
    esac
}

# The sanitizers' run-time options. Later settings win, so the caller's own are kept.
#
# An exit status of their own, since many programs here are *expected* to exit 1: a report must not pass for that. meson
# shows 99 as an error rather than a failure.
sanitizer_environment() {
    local common=halt_on_error=1:print_stacktrace=1:exitcode=99
    export ASAN_OPTIONS=$common:detect_stack_use_after_return=1:${ASAN_OPTIONS-}
    export LSAN_OPTIONS=exitcode=99:${LSAN_OPTIONS-}
    export UBSAN_OPTIONS=$common:${UBSAN_OPTIONS-}
    export TSAN_OPTIONS=$common:second_deadlock_stack=1:${TSAN_OPTIONS-}
    if ! leak_check_works; then
        note 'LeakSanitizer cannot run here (it needs ptrace); leaks are not looked for'
        ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
    fi
}

# LeakSanitizer stops its own process with ptrace, which containers and debuggers may refuse. Found out by trying.
leak_check_works() {
    local folder=build/probe
    mkdir -p -- "$folder"
    echo 'int main() { return 0; }' >"$folder/leak_check.cpp"
    g++ -fsanitize=address -o "$folder/leak_check" "$folder/leak_check.cpp" && "$folder/leak_check" >/dev/null 2>&1
}

# The sanitizers of gcc 12 and clang 14 reserve fixed addresses, and die at random at start where the kernel randomises
# mappings over more than 28 bits. Where that can be switched off for one command, it is.
choose_launcher() {
    launcher=(env)
    local bits=/proc/sys/vm/mmap_rnd_bits
    if [ -r "$bits" ] && [ "$(cat "$bits")" -gt 28 ] && setarch "$(uname -m)" -R true 2>/dev/null; then
        launcher=(setarch "$(uname -m)" -R)
    fi
}

# Names, NUL-terminated, every file of this tree that git knows or would add: a new file is checked before its first
# commit. An unpacked release has no git, and no files but its own.
source_files() {
    if git -c safe.directory="$PWD" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard
    else
        find . \( -path ./build -o -path './subprojects/*/*' \) -prune -o -type f -printf '%P\0'
    fi
}

is_shell_script() {
    case $1 in
    *.sh | *.bash) return 0 ;;
    *) head -c 64 -- "$1" | head -n 1 | grep -qaE '^#! ?/(usr/)?bin/(env )?(ba|da)?sh\b' ;;
    esac
}

run_shellcheck() {
    local file scripts=()
    while IFS= read -r -d '' file; do
        # git also lists a file that was deleted and not yet committed.
        if [ -f "$file" ] && is_shell_script "$file"; then
            scripts+=("$file")
        fi
    done < <(source_files)
    [ ${#scripts[@]} -gt 0 ] || return 1
    echo "${#scripts[@]} scripts"
    shellcheck -x "${scripts[@]}"
}

# Version 14 only: each version lays the same code out differently.
find_clang_format() {
    local program
    for program in clang-format-14 clang-format; do
        if "$program" --version 2>/dev/null | grep -q 'version 14\.'; then
            echo "$program"
            return 0
        fi
    done
    return 1
}

run_clang_format() {
    local program file sources=()
    if ! program=$(find_clang_format); then
        echo 'SKIP: clang-format 14 is not installed'
        return 77
    fi
    while IFS= read -r -d '' file; do
        case $file in
        *.c | *.h | *.cpp | *.hpp | *.m | *.mm) if [ -f "$file" ]; then sources+=("$file"); fi ;;
        esac
    done < <(source_files)
    [ ${#sources[@]} -gt 0 ] || return 1
    echo "${#sources[@]} sources"
    "$program" --dry-run -Werror "${sources[@]}"
}

# Names, NUL-terminated, the compiled sources of ours in a compilation database; a source of two targets once. Not the
# plugins that are wrong on purpose: a third of all sources, and each a few lines.
compiled_sources() {
    python3 - "$1" <<'PYTHON'
import json
import os
import sys

root = os.getcwd()
ours = ("abi", "core", "plugins", "tests", "tools")
with open(sys.argv[1], encoding="utf-8") as database:
    files = {os.path.normpath(os.path.join(e["directory"], e["file"])) for e in json.load(database)}
wrong = os.path.join(root, "tests", "conformance", "mutants", "")
for file in sorted(files):
    if os.path.relpath(file, root).split(os.sep)[0] in ours and not file.startswith(wrong):
        sys.stdout.write(file + "\0")
PYTHON
}

run_clang_tidy() {
    local database=build/clang/compile_commands.json list=build/clang-tidy.list
    if [ ! -f "$database" ]; then
        echo "$database is missing: the clang configuration failed"
        return 1
    fi
    compiled_sources "$database" >"$list"
    [ -s "$list" ] || return 1
    echo "$(tr -cd '\0' <"$list" | wc -c) sources"
    # A file's output is kept and printed at once, so that parallel runs do not mix. "N warnings generated" counts what
    # was suppressed in headers of others.
    # shellcheck disable=SC2016 # expanded by the inner shell
    xargs -0 -n 1 -P "$jobs" sh -c '
        output=$(clang-tidy --quiet -p build/clang "$0" 2>&1) && exit 0
        printf "%s\n" "$output" | grep -vE "^[0-9]+ (warning|error)s? (generated|treated)"
        exit 1' <"$list"
}

run_suites() {
    local launcher=(env) options
    CC=gcc CXX=g++ suite gcc 1 --buildtype=debugoptimized -Dwerror=true

    choose_launcher
    (
        sanitizer_environment
        # Instrumented code draws false warnings from gcc ("may be used uninitialized" inside the standard library), so
        # warnings are left to the other builds. Not optimised: that takes a quarter of the time to compile.
        options=(-Ddebug=true -Doptimization=0 -Dwarning_level=0)
        CC=gcc CXX=g++ suite asan 3 "${options[@]}" -Db_sanitize=address,undefined
        if [ "$all" = yes ]; then
            CC=gcc CXX=g++ suite tsan 5 "${options[@]}" -Db_sanitize=thread
        fi
    )
    launcher=(env)

    if [ "$all" = yes ]; then
        # Without precompiled headers, so that every file is seen to include what it needs.
        CC=clang CXX=clang++ suite clang 1 --buildtype=debugoptimized -Dwerror=true -Db_pch=false
    fi
}

all=no
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
while [ $# -gt 0 ]; do
    case $1 in
    --all) all=yes ;;
    --jobs)
        jobs=${2-}
        shift $(($# > 1))
        ;;
    --jobs=*) jobs=${1#*=} ;;
    -h | --help)
        echo "$usage"
        exit 0
        ;;
    *)
        echo "$usage" >&2
        exit 2
        ;;
    esac
    shift
done
case $jobs in
'' | 0* | *[!0-9]*)
    echo "$usage (N is at least 1)" >&2
    exit 2
    ;;
esac

cd -- "$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
# What the caller set for SPOC's programs would change what the tests see.
for variable in "${!SPOC_@}"; do
    unset "$variable"
done

heading 'packages'
if [ "$all" = yes ]; then
    sh tools/packages.sh all || give_up 'the packages could not be installed'
else
    sh tools/packages.sh test || give_up 'the packages could not be installed'
fi
for program in meson python3; do
    command -v "$program" >/dev/null 2>&1 || give_up "$program is not installed"
done

mkdir -p build
: >"$results"
run_suites
if [ "$all" = yes ]; then
    check clang-tidy run_clang_tidy
    check clang-format run_clang_format
    check shellcheck run_shellcheck
fi

heading 'summary'
exec python3 tools/test_summary.py "$results"
