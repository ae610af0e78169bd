# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Completes the words of SPOC's programs in bash. It is installed under the name of each.
#
# Plain bash: nothing of the bash-completion package is used, so that it makes no difference whether that is loaded or how
# old it is. No program is run, since a driver that hangs must not hang the shell; the names below are those of
# spoc-info(1), and tests/integration/manners_test.py compares them.

_spoc_backends='cuda hip ocl vk metal native'
_spoc_capabilities='buffer_host_range buffer_host_ptr buffer_unified unified_concurrent buffer_address buffer_tracked
    memory_free shared_memory pinned pinned_portable register register_read_only register_hazard host_query
    copy_enqueued copy_batch copy_overlap peer_copy stream_blocking stream_concurrent stream_deferred event_wait_device
    event_timing timed_wait launch_enqueued free_block spec_constants dynamic_shared local_args raw_pointer_args
    arg_offset reflection program_binary fp64 fp16 int64 atomics32 atomics64 subgroups'

# Sets what the functions below look at, in variables of their caller:
#   words   the words before the cursor's, as they were typed
#   word    the cursor's, up to the cursor
#   option  the option whose value `value` is, if it is one's: "--color=al" and "--color al" are the same
# readline breaks words at "=" and ":" as well, and which of them is a matter of settings; so the line is read afresh.
_spoc_read_line() {
    local line=${COMP_LINE:0:COMP_POINT}
    word=${line##*[[:space:]]}
    read -ra words <<<"${line%"$word"}"
    option=${words[${#words[@]} - 1]}
    value=$word
    if [[ $word == --*=* ]]; then
        option=${word%%=*}
        value=${word#*=}
    fi
}

# _spoc_offer TYPED CANDIDATE...: answers with the candidates that begin with `value`. TYPED is what readline will put
# the answer in place of, which may be the end of the word only.
_spoc_offer() {
    local typed=$1 kept=${value%"$1"} candidate
    shift
    [[ $value == *"$typed" ]] || kept=
    for candidate in "$@"; do
        if [[ $candidate == "$value"* ]]; then
            # Where readline does not break words at "=", the option stands before the answer.
            [[ $typed == --*=* ]] && candidate=$option=$candidate
            COMPREPLY+=("${candidate#"$kept"}")
        fi
    done
}

# Leaves the answer to readline, which knows best how to quote the names of files.
_spoc_offer_files() {
    # Outside of a completion, as in a test, there is nothing to change.
    compopt -o default 2>/dev/null || :
}

# _spoc_requirements: words for --require, with capabilities once a colon was typed.
_spoc_requirements() {
    local name capability
    for name in any $_spoc_backends; do
        echo "$name"
        [[ $value == "$name:"* ]] || continue
        for capability in $_spoc_capabilities; do
            echo "$name:$capability"
        done
    done
}

# shellcheck disable=SC2046,SC2086 # lists of words without blanks or patterns
_spoc_info() {
    local words word option value
    COMPREPLY=()
    _spoc_read_line
    case $option in
    --backend) _spoc_offer "$2" $_spoc_backends ;;
    --device) _spoc_offer "$2" $_spoc_backends ;;
    --require) _spoc_offer "$2" $(_spoc_requirements) ;;
    --color) _spoc_offer "$2" auto always never ;;
    --timeout) ;;
    *)
        _spoc_offer "$2" -h --help --json --verbose --backend --device --require --selftest --paths --env --redact \
            --schema --timeout --no-isolate --strict --color --version
        ;;
    esac
}

# Those of spoc-bench list that "run" takes.
_spoc_benchmarks='cuda.copy cuda.launch cuda.peer cuda.rate
    disp.call disp.copy disp.event disp.launch disp.ledger disp.pinned'

# shellcheck disable=SC2086 # lists of words without blanks or patterns
_spoc_bench() {
    local words word option value
    COMPREPLY=()
    _spoc_read_line
    case ${words[1]-} in
    '') _spoc_offer "$2" list load run -h --help --version ;;
    run)
        case $option in
        --device) _spoc_offer "$2" $_spoc_backends ;;
        *)
            case $word in
            -*) _spoc_offer "$2" -h --help --device --json ;;
            *) _spoc_offer "$2" $_spoc_benchmarks ;;
            esac
            ;;
        esac
        ;;
    list) _spoc_offer "$2" -h --help ;;
    load)
        case $option in
        --device) _spoc_offer "$2" $_spoc_backends ;;
        --slot-size) _spoc_offer "$2" 1M 4M 16M 64M ;;
        --slots) _spoc_offer "$2" 2 4 8 16 ;;
        *)
            case $word in
            -*) _spoc_offer "$2" -h --help --device --slot-size --slots --json ;;
            *) _spoc_offer_files ;;
            esac
            ;;
        esac
        ;;
    esac
}

# Groups of cases, as patterns for --only.
_spoc_groups=('file/*' 'negotiation/*' 'request/*' 'record/*' 'probe/*' 'absence/*' 'device/*' 'honesty/*' 'buffer/*'
    'host_buffer/*' 'pinned/*' 'copy/*' 'peer/*' 'fill/*' 'stream/*' 'event/*' 'program/*' 'launch/*' 'thread/*'
    'lifecycle/*' 'process/*')

# Reasons that --absence takes.
_spoc_reasons='DRIVER_NOT_FOUND DRIVER_STUB DRIVER_TOO_OLD DRIVER_MISSING_SYMBOL KERNEL_MODULE_MISSING NO_PERMISSION
    NO_DEVICE DEVICE_UNSUPPORTED DRIVER_INIT_FAILED'

# shellcheck disable=SC2086 # lists of words without blanks or patterns
_spoc_conformance() {
    local words word option value reason
    COMPREPLY=()
    _spoc_read_line
    case $option in
    --absence)
        if [[ $value == *=* ]]; then
            _spoc_offer_files
        else
            for reason in $_spoc_reasons; do
                _spoc_offer "$2" "$reason="
            done
        fi
        ;;
    --only | --exclude) _spoc_offer "$2" "${_spoc_groups[@]}" ;;
    --device | --timeout) ;;
    --expect) _spoc_offer_files ;;
    *)
        _spoc_offer "$2" -h --help --list --only --exclude --device --expect --absence --json --verbose \
            --timeout --no-isolate --version
        [[ $word == -* ]] || _spoc_offer_files
        ;;
    esac
}

complete -F _spoc_info spoc-info
complete -F _spoc_bench spoc-bench
complete -F _spoc_conformance spoc-conformance
