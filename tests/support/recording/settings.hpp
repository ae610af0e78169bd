// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <spoc/backend.h>

#include "gate.h"

namespace spoc::mock {

/// The switches of gate.h.
class settings {
 public:
    settings() { reset(); }

    void reset();
    void set(std::uint32_t setting, std::uint64_t value) noexcept { values_.at(setting) = value; }
    std::uint64_t get(std::uint32_t setting) const noexcept {
        return values_.at(setting).load(std::memory_order_relaxed);
    }

    /// Takes what the host's configuration sets.
    void configure(const spoc_be_host& host);

 private:
    std::array<std::atomic<std::uint64_t>, SPOC_MOCK_SETTING_COUNT> values_;
};

/// What devices there are and what they say of themselves.
class description {
 public:
    description() { reset(); }

    void reset();
    void set_count(std::uint32_t count);
    /// Takes what the host's configuration says of every device.
    void configure(const spoc_be_host& host);

    std::uint32_t peer(std::uint32_t src, std::uint32_t dst, std::uint32_t otherwise) const;

    // Elements stay where they are, since tests hold on to them.
    std::array<spoc_be_device_info, 16> devices{};
    std::uint32_t count = 1;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> peers;
    spoc_be_probe_report report{};
};

/// One of `SPOC_BE_KIND_*` as gate.h says. `minimal`: without what needs an optional entry.
spoc_be_device_info describe(std::uint32_t kind, bool minimal);

void set_capability(spoc_be_device_info& info, std::uint32_t capability, std::uint32_t answer);

/// Whether the answer is "yes".
bool offers(const spoc_be_device_info& info, std::uint32_t capability);

/// Set by the file that holds the table.
extern const bool is_minimal;

}  // namespace spoc::mock
