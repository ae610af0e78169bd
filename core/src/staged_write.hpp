// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "outcome.hpp"
#include "stream.hpp"
#include "transfer.hpp"

/// \file
/// Small writes that take their bytes during the call and wait for no device.

namespace spoc::detail {

/// Fails with TOO_MUCH when one call does not stage so many bytes.
outcome check_staged_size(std::uint64_t bytes);

/// Fails with FEATURE_NOT_SUPPORTED when the device has no way to write them so.
outcome check_stages(const host_transfer& copy);

/// Writes them in the order of `stream`, in the way that the device offers. Both were checked, and
/// the rest as for `transfer`.
outcome stage(stream_state& stream, const host_transfer& copy);

}  // namespace spoc::detail
