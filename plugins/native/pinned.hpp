// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <spoc/backend.h>

#include "pages.hpp"

/// What the host may hand to copies as page-locked memory. Ordinary pages: the device is the host,
/// and locking them would make nothing faster.
struct spoc_be_hostmem_s {
    explicit spoc_be_hostmem_s(spoc::native::pages&& own_memory) noexcept
        : memory(std::move(own_memory)) {}

    const spoc::native::pages memory;
};

namespace spoc::native {

int32_t pinned_alloc(spoc_be_device device, const spoc_be_hostmem_desc* desc,
                     spoc_be_hostmem_result* result, spoc_be_error* error);
int32_t pinned_free(spoc_be_hostmem hostmem, spoc_be_error* error);

}  // namespace spoc::native
