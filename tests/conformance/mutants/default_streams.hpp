// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "handle_set.hpp"
#include "mutant.hpp"

namespace spoc::mutant {

/// The devices' default streams, once `device_open_noted` is the entry.
inline handle_set<spoc_be_stream> default_streams;

inline int32_t device_open_noted(uint32_t index, const spoc_be_device_desc* desc,
                                 spoc_be_device_result* result, spoc_be_error* error) {
    const int32_t status = original.device_open(index, desc, result, error);
    if (status == SPOC_BE_OK) {
        default_streams.set(result->default_stream, true);
    }
    return status;
}

}  // namespace spoc::mutant
