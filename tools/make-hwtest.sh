#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes one archive that tests SPOC on another x86-64 Linux machine, with its accelerators: programs, plugins, tests and
# the libraries that they need. Nothing has to be installed there but the drivers; glibc has to be as new as here.
#
#   tools/make-hwtest.sh [--jobs N] [--output FILE]
#
# There: tar xf spoc-hwtest.tar.gz && spoc-hwtest/run.sh (tests/hardware/run.sh says what that does).
set -eu

usage='usage: tools/make-hwtest.sh [--jobs N] [--output FILE]'
jobs=$(nproc)
output=build/spoc-hwtest.tar.gz
most_bytes=$((50 << 20))
while [ $# -gt 0 ]; do
    case $1 in
    --jobs | --output)
        if [ $# -lt 2 ]; then
            echo "$usage" >&2
            exit 2
        fi
        if [ "$1" = --jobs ]; then jobs=$2; else output=$2; fi
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
output=$(realpath -m -- "$output")
cd -- "$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"

build=build/hwtest
options=(--prefix=/spoc-hwtest --libdir=lib --buildtype=debugoptimized -Dtests=enabled -Dtools=enabled -Dcuda=enabled
    -Dman=disabled)
if [ -f "$build/build.ninja" ]; then
    meson setup --reconfigure "$build" "${options[@]}"
else
    meson setup "$build" "${options[@]}"
fi
tests=(tests/unit/semantics/semantics-test tests/hardware/hardware-test tests/hardware/overlap
    tests/unit/cuda/driver-facts tests/unit/cuda/cuda-test)
installed_targets() {
    meson introspect "$build" --targets | python3 -c '
import json, os, sys
for target in json.load(sys.stdin):
    if target["installed"]:
        print("\n".join(os.path.relpath(name, sys.argv[1]) for name in target["filename"]))' "$PWD/$build"
}
mapfile -t targets < <(installed_targets)
ninja -C "$build" -j "$jobs" "${targets[@]}" "${tests[@]}"

stage=$build/stage/spoc-hwtest
rm -rf -- "$build/stage"
mkdir -p -- "$stage/tests" "$stage/lib/fallback"
DESTDIR=$PWD/$build/stage meson install -C "$build" --no-rebuild --quiet
rm -rf -- "$stage/include" "$stage/lib/pkgconfig" "$stage/share/man"
for test in "${tests[@]}"; do
    cp -- "$build/$test" "$stage/tests/"
done
cp -- tests/unit/cuda/driver_facts.txt "$stage/tests/"
cp -- tests/hardware/run.sh "$stage/"

# libraries_of FILE...: what they need and the loader finds, but for glibc and what is ours.
libraries_of() {
    LD_LIBRARY_PATH=$stage/lib ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
        grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|libspoc)\.so'
}

while IFS= read -r library; do
    case $library in
    # Drivers bring code that needs the machine's own, so these are for a machine without.
    */libstdc++.so* | */libgcc_s.so*) cp -L -- "$library" "$stage/lib/fallback/" ;;
    *) cp -L -- "$library" "$stage/lib/" ;;
    esac
done < <(libraries_of "$stage"/bin/* "$stage"/tests/*-test "$stage"/lib/libspoc.so.*)
find "$stage" -type f \( -name '*.so*' -o -perm -u+x ! -name '*.sh' \) -exec strip --strip-unneeded {} + 2>/dev/null || true

tar -C "$build/stage" --owner=0 --group=0 -czf "$output" spoc-hwtest
bytes=$(stat -c %s -- "$output")
printf '%s: %d bytes, from %s\n' "$output" "$bytes" "$(git describe --always --dirty 2>/dev/null || echo 'no commit')"
if [ "$bytes" -gt $most_bytes ]; then
    echo "The archive has more than $most_bytes bytes." >&2
    exit 1
fi
