// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::asynchronous {

int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, uint32_t* done, spoc_be_error* error);
int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, uint32_t* done, spoc_be_error* error);

}  // namespace spoc::asynchronous
