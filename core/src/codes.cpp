// SPDX-License-Identifier: Apache-2.0
#include "codes.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <spoc/device.h>

namespace spoc::detail {
namespace {

struct reason_row {
    std::uint32_t reason;
    const char* name;
    std::uint32_t state;
    std::uint32_t sub_code;
    const char* hint;
};

#define ROW(name, state, sub, hint) \
    { SPOC_BE_REASON_##name, #name, SPOC_STATE_##state, SPOC_SUB_##sub, hint }
constexpr reason_row reasons[] = {
    ROW(NONE, READY, NONE, ""),
    ROW(NOT_INSTALLED, ABSENT, LIBRARY_NOT_FOUND,
        "install the package that brings this plugin, or set SPOC_PLUGIN_PATH to its directory"),
    ROW(DISABLED_BY_USER, DISABLED, DISABLED,
        "unset the SPOC_DISABLE_... variable, or change SPOC_BACKENDS"),
    ROW(DISABLED_BY_ADMIN, DISABLED, DISABLED, "ask the administrator of this machine"),
    ROW(FILE_UNREADABLE, FAULTY, INIT_FAILED,
        "check that the file exists and that this user may read it"),
    ROW(SHADOWED, SHADOWED, DISABLED, "remove one of the two files, or reorder SPOC_PLUGIN_PATH"),
    ROW(IGNORED_SECURE, ABSENT, LIBRARY_NOT_FOUND,
        "privileged programs do not take plugins from the environment; install the plugin"),
    ROW(UNSAFE_PERMISSIONS, FAULTY, INIT_FAILED,
        "take away write permission for others from the file and its directory"),
    ROW(NOT_ELF, FAULTY, INIT_FAILED,
        "this is no shared library; remove the file or install the plugin again"),
    ROW(WRONG_ARCH, FAULTY, INIT_FAILED,
        "install the plugin built for this machine's architecture"),
    ROW(MISSING_DEPENDENCY, FAULTY, LIBRARY_NOT_FOUND,
        "install the library that the message names"),
    ROW(UNRESOLVED_SYMBOL, FAULTY, INIT_FAILED,
        "install matching versions of the plugin and of the library that lacks the symbol"),
    ROW(NO_ENTRY, FAULTY, ABI_MISMATCH,
        "this library is no SPOC plugin; remove it from the plugin directory"),
    ROW(BAD_MAGIC, FAULTY, ABI_MISMATCH,
        "the plugin is damaged or no SPOC plugin; install it again"),
    ROW(ABI_TOO_OLD, FAULTY, ABI_MISMATCH, "install a newer version of the plugin"),
    ROW(ABI_TOO_NEW, FAULTY, ABI_MISMATCH, "install a newer version of libspoc"),
    ROW(MISSING_REQUIRED_ENTRY, FAULTY, ABI_MISMATCH, "report this to the plugin's author"),
    ROW(INCONSISTENT, FAULTY, ABI_MISMATCH, "report this to the plugin's author"),
    ROW(WRONG_FLAVOUR, FAULTY, INIT_FAILED,
        "use a plugin built with the same sanitizers as libspoc"),
    ROW(DRIVER_NOT_FOUND, UNUSABLE, LIBRARY_NOT_FOUND, "install the vendor's driver package"),
    ROW(DRIVER_STUB, UNUSABLE, LIBRARY_NOT_FOUND,
        "install the real driver; the library found is only for linking"),
    ROW(DRIVER_TOO_OLD, UNUSABLE, INIT_FAILED, "install a newer driver"),
    ROW(DRIVER_MISSING_SYMBOL, UNUSABLE, INIT_FAILED, "install a newer driver"),
    ROW(KERNEL_MODULE_MISSING, UNUSABLE, INIT_FAILED,
        "load the driver's kernel module, or restart after the driver's update"),
    ROW(NO_PERMISSION, UNUSABLE, INIT_FAILED,
        "add the user to the group that owns the device node (often render or video)"),
    ROW(NO_DEVICE, UNUSABLE, NO_DEVICE,
        "the driver works and sees no device; check the hardware and the driver's visibility "
        "variables"),
    ROW(DEVICE_UNSUPPORTED, UNUSABLE, NO_DEVICE, "the device lacks what this backend needs"),
    ROW(DRIVER_INIT_FAILED, UNUSABLE, INIT_FAILED,
        "see the driver's message; a restart after a driver update often helps"),
    ROW(PROBE_CRASHED, FAULTY, INIT_FAILED,
        "the plugin or its driver crashed while it was probed; report it with the output of "
        "spoc-info --redact --verbose"),
    ROW(PROBE_TIMEOUT, FAULTY, INIT_FAILED,
        "the plugin or its driver hangs; try a longer time-out or restart the machine"),
    ROW(PLATFORM_UNSUPPORTED, ABSENT, LIBRARY_NOT_FOUND, ""),
    ROW(SIGNATURE_REFUSED, FAULTY, INIT_FAILED,
        "sign the plugin, or allow unsigned libraries for this program"),
    ROW(FORKED_CHILD, UNUSABLE, FORKED,
        "use SPOC after fork only when it was not used before, or call exec in the child"),
    ROW(EXITING, UNUSABLE, EXITING, ""),
    ROW(INTERNAL, FAULTY, INIT_FAILED, "report this to the plugin's author"),
};
#undef ROW

const reason_row* find(std::uint32_t reason) noexcept {
    const auto* row =
        std::find_if(std::begin(reasons), std::end(reasons),
                     [reason](const reason_row& candidate) { return candidate.reason == reason; });
    return row == std::end(reasons) ? nullptr : row;
}

struct name_row {
    std::uint32_t number;
    const char* name;
};

template <std::size_t N>
const char* name_in(const name_row (&rows)[N], std::uint32_t number,
                    const char* otherwise) noexcept {
    const auto* row = std::find_if(std::begin(rows), std::end(rows),
                                   [number](const name_row& r) { return r.number == number; });
    return row == std::end(rows) ? otherwise : row->name;
}

constexpr name_row sub_codes[] = {
    {SPOC_SUB_NONE, "none"},
    {SPOC_SUB_BOUNDS, "bounds"},
    {SPOC_SUB_LENGTH, "length"},
    {SPOC_SUB_NULL, "null"},
    {SPOC_SUB_DEVICE, "device"},
    {SPOC_SUB_OVERLAP, "overlap"},
    {SPOC_SUB_BUSY, "busy"},
    {SPOC_SUB_NAME, "name"},
    {SPOC_SUB_VALUE, "value"},
    {SPOC_SUB_DESTROYED, "destroyed"},
    {SPOC_SUB_FREED, "freed"},
    {SPOC_SUB_LOCATION, "location"},
    {SPOC_SUB_STALE_HOST, "stale_host"},
    {SPOC_SUB_DEVICE_ONLY, "device_only"},
    {SPOC_SUB_KIND, "kind"},
    {SPOC_SUB_DUPLICATE, "duplicate"},
    {SPOC_SUB_TOO_MUCH, "too_much"},
    {SPOC_SUB_ARITY, "arity"},
    {SPOC_SUB_TYPE, "type"},
    {SPOC_SUB_LINK, "link"},
    {SPOC_SUB_OOM, "oom"},
    {SPOC_SUB_TOO_LARGE, "too_large"},
    {SPOC_SUB_COPY_FAILED, "copy_failed"},
    {SPOC_SUB_LAUNCH_FAILED, "launch_failed"},
    {SPOC_SUB_COMPILE_FAILED, "compile_failed"},
    {SPOC_SUB_MODULE_LOAD_FAILED, "module_load_failed"},
    {SPOC_SUB_SYNC_FAILED, "sync_failed"},
    {SPOC_SUB_CONTEXT, "context"},
    {SPOC_SUB_DEVICE_LOST, "device_lost"},
    {SPOC_SUB_HOST_MEMORY, "host_memory"},
    {SPOC_SUB_DRIVER, "driver"},
    {SPOC_SUB_UNREGISTER_FAILED, "unregister_failed"},
    {SPOC_SUB_LIBRARY_NOT_FOUND, "library_not_found"},
    {SPOC_SUB_INIT_FAILED, "init_failed"},
    {SPOC_SUB_DISABLED, "disabled"},
    {SPOC_SUB_ABI_MISMATCH, "abi_mismatch"},
    {SPOC_SUB_NO_DEVICE, "no_device"},
    {SPOC_SUB_FORKED, "forked"},
    {SPOC_SUB_EXITING, "exiting"},
    {SPOC_SUB_SHUT_DOWN, "shut_down"},
    {SPOC_SUB_NOT_INITIALISED, "not_initialised"},
    {SPOC_SUB_SOURCE_LANG, "source_lang"},
    {SPOC_SUB_NOT_CPU_DEVICE, "not_cpu_device"},
    {SPOC_SUB_UNSUPPORTED, "unsupported"},
    {SPOC_SUB_MISALIGNED, "misaligned"},
    {SPOC_SUB_HOST_TOO_LARGE, "host_too_large"},
};

constexpr name_row states[] = {
    {SPOC_STATE_READY, "ready"},       {SPOC_STATE_UNUSABLE, "unusable"},
    {SPOC_STATE_ABSENT, "absent"},     {SPOC_STATE_DISABLED, "disabled"},
    {SPOC_STATE_SHADOWED, "shadowed"}, {SPOC_STATE_FAULTY, "faulty"},
};

constexpr name_row stages[] = {
    {SPOC_STAGE_NONE, "none"},       {SPOC_STAGE_FILE, "file"},
    {SPOC_STAGE_LOADED, "loaded"},   {SPOC_STAGE_TABLE, "table"},
    {SPOC_STAGE_PASSIVE, "passive"}, {SPOC_STAGE_ENUMERATED, "enumerated"},
    {SPOC_STAGE_OPENED, "opened"},
};

constexpr name_row sources[] = {
    {SPOC_SEARCH_APPLICATION, "application"}, {SPOC_SEARCH_FILES, "SPOC_PLUGIN_FILES"},
    {SPOC_SEARCH_PATH, "SPOC_PLUGIN_PATH"},   {SPOC_SEARCH_LIBRARY, "library"},
    {SPOC_SEARCH_CONFIGURED, "configured"},
};

constexpr name_row verdicts[] = {
    {SPOC_PLACE_SEARCHED, "searched"},
    {SPOC_PLACE_MISSING, "missing"},
    {SPOC_PLACE_UNREADABLE, "unreadable"},
    {SPOC_PLACE_REFUSED, "refused"},
    {SPOC_PLACE_IGNORED_SECURE, "ignored_secure"},
    {SPOC_PLACE_REPEATED, "repeated"},
};

constexpr name_row kinds[] = {
    {SPOC_BE_KIND_UNKNOWN, "unknown"},       {SPOC_BE_KIND_CPU, "cpu"},
    {SPOC_BE_KIND_INTEGRATED, "integrated"}, {SPOC_BE_KIND_DISCRETE, "discrete"},
    {SPOC_BE_KIND_VIRTUAL, "virtual"},       {SPOC_BE_KIND_OTHER, "other"},
};

constexpr name_row capabilities[] = {
    {SPOC_BE_CAP_BUFFER_HOST_RANGE, "buffer_host_range"},
    {SPOC_BE_CAP_BUFFER_HOST_PTR, "buffer_host_ptr"},
    {SPOC_BE_CAP_BUFFER_UNIFIED, "buffer_unified"},
    {SPOC_BE_CAP_UNIFIED_CONCURRENT, "unified_concurrent"},
    {SPOC_BE_CAP_BUFFER_ADDRESS, "buffer_address"},
    {SPOC_BE_CAP_BUFFER_TRACKED, "buffer_tracked"},
    {SPOC_BE_CAP_MEMORY_FREE, "memory_free"},
    {SPOC_BE_CAP_SHARED_MEMORY, "shared_memory"},
    {SPOC_BE_CAP_PINNED, "pinned"},
    {SPOC_BE_CAP_PINNED_PORTABLE, "pinned_portable"},
    {SPOC_BE_CAP_REGISTER, "register"},
    {SPOC_BE_CAP_REGISTER_READ_ONLY, "register_read_only"},
    {SPOC_BE_CAP_REGISTER_HAZARD, "register_hazard"},
    {SPOC_BE_CAP_HOST_QUERY, "host_query"},
    {SPOC_BE_CAP_COPY_ENQUEUED, "copy_enqueued"},
    {SPOC_BE_CAP_COPY_BATCH, "copy_batch"},
    {SPOC_BE_CAP_COPY_OVERLAP, "copy_overlap"},
    {SPOC_BE_CAP_PEER_COPY, "peer_copy"},
    {SPOC_BE_CAP_STREAM_BLOCKING, "stream_blocking"},
    {SPOC_BE_CAP_STREAM_CONCURRENT, "stream_concurrent"},
    {SPOC_BE_CAP_STREAM_DEFERRED, "stream_deferred"},
    {SPOC_BE_CAP_EVENT_WAIT_DEVICE, "event_wait_device"},
    {SPOC_BE_CAP_EVENT_TIMING, "event_timing"},
    {SPOC_BE_CAP_TIMED_WAIT, "timed_wait"},
    {SPOC_BE_CAP_LAUNCH_ENQUEUED, "launch_enqueued"},
    {SPOC_BE_CAP_FREE_BLOCK, "free_block"},
    {SPOC_BE_CAP_SPEC_CONSTANTS, "spec_constants"},
    {SPOC_BE_CAP_DYNAMIC_SHARED, "dynamic_shared"},
    {SPOC_BE_CAP_LOCAL_ARGS, "local_args"},
    {SPOC_BE_CAP_RAW_POINTER_ARGS, "raw_pointer_args"},
    {SPOC_BE_CAP_ARG_OFFSET, "arg_offset"},
    {SPOC_BE_CAP_REFLECTION, "reflection"},
    {SPOC_BE_CAP_PROGRAM_BINARY, "program_binary"},
    {SPOC_BE_CAP_FP64, "fp64"},
    {SPOC_BE_CAP_FP16, "fp16"},
    {SPOC_BE_CAP_INT64, "int64"},
    {SPOC_BE_CAP_ATOMICS32, "atomics32"},
    {SPOC_BE_CAP_ATOMICS64, "atomics64"},
    {SPOC_BE_CAP_SUBGROUPS, "subgroups"},
};

}  // namespace

std::uint32_t state_of_reason(std::uint32_t reason) noexcept {
    const reason_row* row = find(reason);
    return row == nullptr ? SPOC_STATE_FAULTY : row->state;
}

std::uint32_t sub_code_of_reason(std::uint32_t reason) noexcept {
    const reason_row* row = find(reason);
    return row == nullptr ? SPOC_SUB_INIT_FAILED : row->sub_code;
}

bool is_probe_reason(std::uint32_t reason) noexcept {
    return (reason >= SPOC_BE_REASON_DRIVER_NOT_FOUND &&
            reason <= SPOC_BE_REASON_DRIVER_INIT_FAILED) ||
           reason == SPOC_BE_REASON_PLATFORM_UNSUPPORTED || reason == SPOC_BE_REASON_INTERNAL;
}

}  // namespace spoc::detail

using namespace spoc::detail;

const char* spoc_status_name(spoc_status status) noexcept {
    static constexpr const char* names[] = {
        "ok",          "invalid_argument",     "feature_not_supported", "backend_error",
        "unavailable", "host_pointer_refused", "internal_error"};
    const std::int64_t position = -static_cast<std::int64_t>(status);
    return position >= 0 && position < static_cast<std::int64_t>(std::size(names)) ? names[position]
                                                                                   : "unknown";
}

const char* spoc_sub_code_name(uint32_t sub_code) noexcept {
    return name_in(sub_codes, sub_code, "unknown");
}

const char* spoc_reason_name(uint32_t reason) noexcept {
    const reason_row* row = find(reason);
    return row == nullptr ? "UNKNOWN" : row->name;
}

const char* spoc_reason_hint(uint32_t reason) noexcept {
    const reason_row* row = find(reason);
    return row == nullptr ? "" : row->hint;
}

const char* spoc_state_name(uint32_t state) noexcept { return name_in(states, state, "unknown"); }
const char* spoc_stage_name(uint32_t stage) noexcept { return name_in(stages, stage, "unknown"); }
const char* spoc_search_source_name(uint32_t source) noexcept {
    return name_in(sources, source, "unknown");
}
const char* spoc_place_verdict_name(uint32_t verdict) noexcept {
    return name_in(verdicts, verdict, "unknown");
}
const char* spoc_device_kind_name(uint32_t kind) noexcept {
    return name_in(kinds, kind, "unknown");
}

const char* spoc_capability_at(uint32_t index, uint32_t* out_capability) noexcept {
    if (index >= std::size(capabilities)) {
        return nullptr;
    }
    if (out_capability != nullptr) {
        *out_capability = capabilities[index].number;
    }
    return capabilities[index].name;
}

int32_t spoc_capability_find(const char* name, uint32_t* out_capability) noexcept {
    if (name == nullptr) {
        return 0;
    }
    for (const name_row& row : capabilities) {
        if (std::string_view(row.name) == name) {
            if (out_capability != nullptr) {
                *out_capability = row.number;
            }
            return 1;
        }
    }
    return 0;
}
