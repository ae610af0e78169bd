// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "buffer.hpp"
#include "ledger.hpp"
#include "outcome.hpp"
#include "stream.hpp"
#include "usable.hpp"

/// \file
/// Moving bytes: what every copy of the library, of buffers and of vectors, comes down to. The
/// arguments were checked: ranges lie in their memory, which is there, and is on the stream's
/// device.

namespace spoc::detail {

/// A copy between host memory and device memory. `memory` is the caller's: a pointer of its own
/// would have to be counted.
struct host_transfer {
    const std::shared_ptr<device_memory>& memory;
    std::uint64_t offset;  ///< in `memory`
    std::byte* host;       ///< only read when `to_device`
    std::uint64_t bytes;   ///< not 0
    bool to_device;
};

/// A copy within a device, or between two devices of a backend.
struct device_transfer {
    std::shared_ptr<device_memory> source;
    std::uint64_t source_offset;
    std::shared_ptr<device_memory> destination;
    std::uint64_t destination_offset;
    std::uint64_t bytes;  ///< not 0
};

/// A fill with a repeated pattern.
struct fill_transfer {
    std::shared_ptr<device_memory> memory;
    std::uint64_t offset;
    std::uint64_t bytes;  ///< not 0
    std::uint32_t pattern;
    std::uint32_t pattern_size;
};

/// On which terms a transfer runs.
struct transfer_terms {
    /// Complete when the call returns; else it is only enqueued.
    bool wait = false;
    /// Host memory that the program lent, or null: kept for as long as the device may touch it.
    std::shared_ptr<usable> lent{};
};

/// Fails with VALUE when a part of these bytes was registered as read-only.
outcome check_writable(std::byte* start, std::uint64_t bytes);

/// Divides the host range at the borders of page-locked memory, hands the parts to the device as
/// it takes them, and takes the rest through staging slots. `out_at` receives the position of the
/// last part that is pending, 0 when nothing is. When it fails, nothing of it is in flight.
outcome transfer(stream_state& stream, const host_transfer& copy, const transfer_terms& terms,
                 ledger::position& out_at);

/// Between two devices the caller has ordered the source's work before.
outcome transfer(stream_state& stream, const device_transfer& copy, const transfer_terms& terms,
                 ledger::position& out_at);

outcome transfer(stream_state& stream, const fill_transfer& fill, const transfer_terms& terms,
                 ledger::position& out_at);

}  // namespace spoc::detail
