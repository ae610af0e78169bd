// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backends.h>

namespace spoc::detail {

/// What the probe helper writes to its descriptor, once after every stage and once at the end. Both
/// programs come from one build; the number tells records of another build apart.
struct probe_record {
    std::uint64_t magic;
    std::uint32_t bytes;     ///< of this structure
    std::uint32_t complete;  ///< 1: the last record
    spoc_backend_info info;
};

constexpr std::uint64_t probe_record_magic = 0x31425250434F5053;  // "SPOCPRB1"
constexpr int probe_descriptor = 3;

}  // namespace spoc::detail
