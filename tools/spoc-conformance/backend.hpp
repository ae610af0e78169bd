// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <spoc/backend.h>

#include "host.hpp"
#include "test_case.hpp"

namespace spoc::conformance {

/// A request or answer record, zeroed, with its size set.
template <typename Record>
Record sized() {
    Record record{};
    record.size = sizeof(Record);
    return record;
}

/// What `error` says, for a message of ours: "message (origin, native_domain native_code)".
std::string error_text(const spoc_be_error& error);

/// Fails unless `got` is `wanted`, naming `entry` and quoting `error`. When the call failed as
/// wanted, checks the record too: its status, size, and texts that end.
void expect_status(std::int32_t wanted, std::int32_t got, const char* entry,
                   const spoc_be_error& error);

/// The same for a query, or a wait that may run out of time: OK and NOT_READY are answers. Returns
/// which of them it was.
std::int32_t expect_ready_or_not(std::int32_t got, const char* entry, const spoc_be_error& error);

/// Fails unless what `entry` said in `*done` when it answered OK is one of the three values, and
/// DONE_ALL where `flags` have WAIT.
void check_done(std::uint32_t done, std::uint32_t flags, const char* entry);

/// The plugin loaded and opened, as a host does it: enumerating probe, then `open`. One at a time
/// in a process.
class backend {
 public:
    /// Throws `skipped` when the plugin says that the backend cannot be used here, `failure` when
    /// it does not keep the contract.
    explicit backend(const subject& subject, host& given = host::make());
    backend(const backend&) = delete;
    backend& operator=(const backend&) = delete;

    /// Calls `close`, and fails when it fails or when the plugin still holds blocks of the host's.
    void close();

    std::uint32_t device_count() const;
    spoc_be_device_info device_info(std::uint32_t index) const;

    const spoc_be_table be;
    host& services;
};

}  // namespace spoc::conformance
