// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Vectors in memory that the host and a device both address; see spoc/unified.h.

#include <cstdint>

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/unified.h>
#include <spoc/vector.hpp>

namespace spoc {

/// Whether the device has such memory.
inline bool unified_available(const device& where) {
    std::int32_t available = 0;
    detail::call(spoc_unified_available, where.get(), &available);
    return available != 0;
}

/// A vector in such memory. The rest is as in `vector`.
template <typename T>
class unified_vector : public vector<T> {
 public:
    /// `count` elements, contents undefined. Throws as `spoc_vector_create_unified`; `flags` are
    /// its.
    unified_vector(const device& where, std::uint64_t count, std::uint32_t flags = 0) {
        detail::call(spoc_vector_create_unified, where.get(), vector<T>::kind,
                     vector<T>::element_bytes, count, flags, &this->handle);
    }
};

}  // namespace spoc
