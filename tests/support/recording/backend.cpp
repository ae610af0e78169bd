// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "call.hpp"
#include "common/entry.hpp"
#include "common/record.hpp"
#include "entries.hpp"
#include "request.hpp"

namespace spoc::mock {
namespace {

constexpr spoc_native_kernels native_kernels = {sizeof(spoc_native_kernels), 0,
                                                plugin::entry<add_native_kernel>};

}  // namespace

std::int32_t probe(const spoc_be_host*, std::uint32_t level, spoc_be_probe_report* report,
                   spoc_be_error* error) {
    const lifecycle_call alone;
    call now(spoc_mock_entry_probe, nullptr, error);
    now.record.kind = level;
    now.all.held_open = now.all.held_open || level != SPOC_BE_PROBE_PASSIVE;
    const bool goes_on = now.begin();
    alone.check(now);
    if (!goes_on) {
        return now.status();
    }
    spoc_be_probe_report found = now.all.described.report;
    found.level = level;
    if (level == SPOC_BE_PROBE_ENUMERATE && found.device_count == SPOC_BE_UNKNOWN_32) {
        found.device_count = now.all.described.count;
    }
    plugin::write_record(report, found);
    if (found.reason == SPOC_BE_REASON_NONE) {
        return now.status();
    }
    return now.fail({.status = SPOC_BE_UNAVAILABLE, .reason = found.reason}, found.message);
}

std::int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error) {
    const lifecycle_call alone;
    call now(spoc_mock_entry_open, nullptr, error);
    now.all.held_open = true;
    const bool goes_on = now.begin();
    alone.check(now);
    if (!goes_on || !takes_extensions(now, ext)) {
        return now.status();
    }
    if (!now.all.open) {
        now.all.set.configure(*host);
        now.all.described.configure(*host);
        now.all.open = true;
    }
    return now.status();
}

std::int32_t close(spoc_be_error* error) {
    const lifecycle_call alone;
    call now(spoc_mock_entry_close, nullptr, error);
    now.begin_ending();
    alone.check(now);
    now.all.left_at_close = now.all.objects_alive();
    if (now.all.devices.alive() != 0) {
        now.breach("The backend is closed before every device was.");
    }
    now.all.open = false;
    now.all.held_open = false;
    return now.status();
}

void quiesce(std::uint32_t reason) {
    // Under EXIT no lock may be taken that a suspended thread may hold, so that this is the one
    // call that is not written down.
    if (reason == SPOC_BE_QUIESCE_SHUTDOWN) {
        call now(spoc_mock_entry_quiesce, nullptr, nullptr);
        now.record.kind = reason;
        now.begin_ending();
    }
}

std::int32_t get_interface(const char* name, std::uint32_t min_size, const void** out,
                           spoc_be_error* error) {
    if (std::strcmp(name, SPOC_MOCK_GATE) == 0 && min_size <= sizeof(spoc_mock_gate)) {
        *out = &the_gate();
        return SPOC_BE_OK;
    }
    call now(spoc_mock_entry_get_interface, nullptr, error);
    if (!now.begin()) {
        return now.status();
    }
    if (std::strcmp(name, SPOC_NATIVE_KERNELS_INTERFACE) == 0 &&
        min_size <= sizeof native_kernels && !is_minimal) {
        *out = &native_kernels;
        return now.status();
    }
    return now.refuse("There is no interface of the name and size (\"" + std::string(name) +
                      "\", " + std::to_string(min_size) + " bytes).");
}

}  // namespace spoc::mock
