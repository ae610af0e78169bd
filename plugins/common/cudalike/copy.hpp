// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::cudalike {

std::int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, std::uint32_t* done,
                  spoc_be_error* error);
std::int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, std::uint32_t* done,
                  spoc_be_error* error);
std::int32_t peer_query(spoc_be_device src, spoc_be_device dst, std::uint32_t* flags,
                        spoc_be_error* error);

}  // namespace spoc::cudalike
