// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <spoc/backend.h>

#include "mutants/mutant.hpp"

/// \file
/// Plugins that are right, with limits that the right ones of this tree do not have. They are made
/// in the same way as those that are wrong, and refuse what a host must not ask them.

namespace spoc::mutant {

/// The description of a device, with `change` applied to what the original says.
template <typename Change>
int32_t describe_changed(uint32_t index, spoc_be_device_info* info, spoc_be_error* error,
                         Change change) {
    spoc_be_device_info whole{};
    whole.size = sizeof whole;
    const int32_t status = original.device_info(index, &whole, error);
    if (status != SPOC_BE_OK) {
        return status;
    }
    change(whole);
    const uint32_t size = info->size;
    std::memcpy(info, &whole, std::min<size_t>(size, sizeof whole));
    info->size = size;
    return SPOC_BE_OK;
}

/// Fills a record of whatever size, and returns `status`.
inline int32_t refuse(spoc_be_error* error, int32_t status, uint64_t asked, uint64_t limit,
                      const char* message) {
    if (error != nullptr) {
        spoc_be_error whole{};
        whole.size = error->size;
        whole.status = status;
        whole.asked = asked;
        whole.limit = limit;
        static_cast<void>(std::snprintf(whole.message, sizeof whole.message, "%s", message));
        std::memcpy(error, &whole, std::min<size_t>(error->size, sizeof whole));
    }
    return status;
}

}  // namespace spoc::mutant
