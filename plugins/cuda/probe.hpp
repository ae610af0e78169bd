// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

namespace spoc::cudalike {

std::int32_t probe(const spoc_be_host* host, std::uint32_t level, spoc_be_probe_report* report,
                   spoc_be_error* error);
std::int32_t open(const spoc_be_host* host, const spoc_be_ext* ext, spoc_be_error* error);
std::int32_t close(spoc_be_error* error);

}  // namespace spoc::cudalike
