// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include <spoc/stream.h>

#include "outcome.hpp"
#include "stream.hpp"

/// \file
/// What copies of buffers and copies of vectors ask of their arguments alike.

namespace spoc::detail {

/// Which stream a copy runs on: one that the program names, or the device's default stream and
/// then to its end.
struct order {
    spoc_stream stream;  ///< null only where `named` is false
    bool named;
};

/// Checks the stream that a program names against the device that the copy runs on.
outcome check_order(const order& wanted, const spoc_device_s& device);

stream_state& stream_of(const order& wanted, spoc_device_s& device);

/// Checks that bytes `offset` to `offset + bytes` lie in the `size` bytes of `whole`, without
/// letting the sum overflow.
outcome check_range(std::string_view whole, std::uint64_t size, std::uint64_t offset,
                    std::uint64_t bytes);

/// Checks that a host range is there, has an end, and can be written where it is a destination.
outcome check_host(void* host, std::uint64_t bytes, bool to_device);

}  // namespace spoc::detail
