// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace spoc::plugin {

/// Writes an output record as far as its caller's `size` reaches, and leaves `size` as the caller
/// set it. Request records need no such care: what version 1.0 of the contract names is there in
/// every host.
template <typename Record>
void write_record(Record* out, const Record& value) noexcept {
    static_assert(std::is_trivially_copyable_v<Record> && offsetof(Record, size) == 0);
    const uint32_t size = out->size;
    std::memcpy(out, &value, std::min<std::size_t>(size, sizeof(Record)));
    out->size = size;
}

}  // namespace spoc::plugin
