#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the distribution packages that this tree needs.
#
#   tools/packages.sh demo    to build and run the programs
#   tools/packages.sh test    the same, and what the test suite uses
#   tools/packages.sh all     the same, and the second compiler and the linters
#
# Debian 12 and Ubuntu 24.04, or later ones, as root or through sudo. A machine that has everything is left alone, and
# nothing is asked of the network then. Where nothing can be installed, the packages are printed and the exit status is
# still 0: the same software may be there under other names, and `meson setup` is the judge of that.
set -eu

demo_packages='meson ninja-build pkg-config g++ libspdlog-dev libfmt-dev nlohmann-json3-dev libcli11-dev libssl-dev'

# The sanitizers' run-time libraries are dependencies of g++ itself.
test_packages='catch2 python3 python3-jsonschema binutils util-linux coreutils libcap2-bin scdoc glslang-tools'

# clang-format 14 by its number: each version lays the same code out differently, and both distributions have 14.
# clang's own sanitizer run-time library is added by wanted_packages.
all_packages='clang clang-tidy clang-format-14 git shellcheck'

say() {
    printf 'packages: %s\n' "$*"
}

is_installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# The package `clang` only depends on a numbered one, whose number the run-time library's name carries too. Prints
# nothing while neither dpkg nor apt knows `clang`, as on an image without package lists.
clang_runtime_package() {
    if is_installed clang; then
        dpkg-query -W -f 'Depends: ${Depends}\n' clang
    else
        apt-cache show --no-all-versions clang 2>/dev/null || true
    fi | sed -n 's/^Depends: .*clang-\([0-9][0-9]*\).*$/libclang-rt-\1-dev/p' | head -n 1
}

wanted_packages() {
    case $1 in
    demo) echo "$demo_packages" ;;
    test) echo "$demo_packages $test_packages" ;;
    all) echo "$demo_packages $test_packages $all_packages $(clang_runtime_package)" ;;
    esac
}

missing_packages() {
    for package in $(wanted_packages "$1"); do
        is_installed "$package" || printf '%s ' "$package"
    done
}

has_candidate() {
    apt-cache policy "$1" 2>/dev/null | grep -q '^ *Candidate: [^(]'
}

# Splits the words given into those that apt can install (known) and the rest (unknown).
sort_by_candidate() {
    known=
    unknown=
    for package in "$@"; do
        if has_candidate "$package"; then
            known="$known $package"
        else
            unknown="$unknown $package"
        fi
    done
}

may_become_root() {
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null 2>&1 || return 1
    # Without a terminal nobody can type a password, and sudo would fail half-way.
    [ -t 0 ] || sudo -n true 2>/dev/null
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

apt_get() {
    # A fresh image is often still running its own unattended upgrade: wait for its lock.
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

refresh_lists() {
    say 'refreshing the package lists'
    # Not fatal: the lists that are there may be good enough, and the installation says so if they are not.
    apt_get update || say 'the package lists could not be refreshed; going on with those that are here'
}

# Copies to standard output the entries of a deb822 source file that offer "main" without "universe", with "universe"
# alone.
universe_of_deb822() {
    awk 'BEGIN { RS = ""; ORS = "\n\n"; FS = OFS = "\n" }
         /(^|\n)Components:[^\n]* main/ && !/(^|\n)Components:[^\n]* universe/ && !/(^|\n)Enabled: *no/ {
             for (i = 1; i <= NF; i++) if ($i ~ /^Components:/) $i = "Components: universe"
             print
         }' "$1"
}

# The same for a file of one-line entries.
universe_of_list() {
    sed -nE '/^deb .* universe( |$)/d
             s/^(deb +(\[[^]]*\] +)?[^ ]+ +[^ ]+ )(.* )?main( .*)?$/\1universe/p' "$1"
}

# Writes $2 to a new source file $1 unless $2 is empty.
add_sources() {
    [ -n "$2" ] || return 0
    say "enabling Ubuntu's universe component in $1 (delete that file to undo it)"
    printf '%s\n' "$2" | as_root tee "$1" >/dev/null
    as_root chmod 644 "$1"
}

# A bootstrapped Ubuntu has "main" only, and half of what is needed here is in "universe". The administrator's own files
# stay as they are; only the distribution's entries are looked at, since other archives have no such component.
enable_universe() {
    apt_dir=/etc/apt
    if [ -f "$apt_dir/sources.list" ]; then
        add_sources "$apt_dir/sources.list.d/universe-for-spoc.list" "$(universe_of_list "$apt_dir/sources.list")"
    fi
    if [ -f "$apt_dir/sources.list.d/ubuntu.sources" ]; then
        add_sources "$apt_dir/sources.list.d/universe-for-spoc.sources" \
            "$(universe_of_deb822 "$apt_dir/sources.list.d/ubuntu.sources")"
    fi
}

lacks_universe() {
    # shellcheck source=/dev/null
    [ "$(. /etc/os-release && echo "${ID-}")" = ubuntu ] && ! apt-cache policy | grep -q 'c=universe'
}

install_missing() {
    refresh_lists
    # Now that apt has lists, it also knows which run-time library goes with clang.
    # shellcheck disable=SC2046 # one word a package
    sort_by_candidate $(missing_packages "$1")
    if [ -n "$unknown" ] && lacks_universe; then
        enable_universe
        refresh_lists
        # shellcheck disable=SC2046 # one word a package
        sort_by_candidate $(missing_packages "$1")
    fi
    if [ -n "$unknown" ]; then
        say "not in this distribution:$unknown (going on; meson may find or fetch the same software)"
    fi
    [ -n "$known" ] || return 0
    say "installing:$known"
    # shellcheck disable=SC2086 # one word a package
    apt_get install -y --no-install-recommends $known
}

main() {
    case ${1-} in
    demo | test | all) ;;
    *)
        echo 'usage: tools/packages.sh demo|test|all' >&2
        exit 2
        ;;
    esac

    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        say "no package manager known here; needed, by their Debian names: $(wanted_packages "$1")"
        return 0
    fi

    missing=$(missing_packages "$1")
    if [ -z "$missing" ]; then
        say "everything for '$1' is installed"
    elif may_become_root; then
        install_missing "$1"
    else
        say "not root, and sudo cannot be used; to be installed: $missing"
    fi
}

main "$@"
