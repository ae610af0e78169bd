#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Builds SPOC and shows it at work: lists this machine's devices, then loads a real file into every usable one of them
# and verifies what comes back.
#
#   tools/demo.sh [FILE]
#
# Without FILE it loads the largest program or library that the build made. The exit status is 0 only if every step
# worked, and 1 if one did not.
set -eu

step() {
    printf '\n== %s\n' "$*"
}

fail() {
    printf '%s\n' "tools/demo.sh: $*" >&2
    exit 1
}

configure() {
    if [ -f build/demo/build.ninja ]; then
        meson setup --reconfigure build/demo "$@" && return 0
        # Most often meson itself was upgraded since, and refuses the folder that the older one wrote.
        echo 'build/demo cannot be reused; starting it afresh'
    fi
    rm -rf build/demo
    meson setup build/demo "$@"
}

largest_built_file() {
    find "$PWD/build/demo" -type f \
        \( -name '*.so' -o -name '*.so.*' -o -name '*.dylib' -o -path '*/tools/*' -perm -u+x \) \
        ! -path '*.p/*' -exec ls -S {} + | head -n 1
}

case ${1-} in
-h | --help)
    echo 'usage: tools/demo.sh [FILE]'
    exit 0
    ;;
-*)
    echo 'usage: tools/demo.sh [FILE]' >&2
    exit 2
    ;;
esac

file=${1-}
if [ -n "$file" ]; then
    if ! [ -f "$file" ] || ! [ -r "$file" ]; then
        fail "$file is not a file that can be read"
    fi
    # The caller's folder is left below.
    file=$(CDPATH='' cd -- "$(dirname -- "$file")" && pwd)/$(basename -- "$file")
fi
cd -- "$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)"

step 'Installing what the build needs'
sh tools/packages.sh demo || fail 'the packages could not be installed'
command -v meson >/dev/null 2>&1 || fail 'meson is not installed'

step 'Configuring build/demo'
configure --buildtype=release -Dtools=enabled -Dtests=disabled || fail 'the configuration failed'

step 'Building'
# No more than is shown here: what else there is takes longer to build than all of this.
meson compile -C build/demo spoc-info spoc-bench spoc-probe spoc-native || fail 'the build failed'

step 'Devices of this machine: spoc-info'
build/demo/tools/spoc-info/spoc-info || fail "spoc-info exited $?"

[ -n "$file" ] || file=$(largest_built_file)
[ -n "$file" ] || fail 'the build made no file to load'
step "Loading $file into every usable device and verifying it: spoc-bench load"
build/demo/tools/spoc-bench/spoc-bench load "$file" --device '*' || fail "spoc-bench exited $?"

step 'Done'
