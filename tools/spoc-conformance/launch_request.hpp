// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <spoc/backend.h>

#include "device.hpp"
#include "kernels.hpp"

namespace spoc::conformance {

/// A launch in the making. Scalars stay the caller's until the launch returned.
class launch_request {
 public:
    launch_request(const ready_kernel& kernel, const extent& grid);

    /// The next argument: a buffer, `bytes` of it from `offset` on (0: to its end).
    launch_request& shows(spoc_be_buffer buffer, std::uint32_t access, std::uint64_t offset = 0,
                          std::uint64_t bytes = 0);
    /// The next argument: a scalar, at `value` when the launch is made.
    template <typename Value>
    launch_request& takes(const Value& value) {
        return scalar(&value, sizeof value);
    }
    /// The same for bytes that lie anywhere.
    launch_request& takes_bytes(std::span<const std::byte> value) {
        return scalar(value.data(), value.size());
    }
    /// The next argument: so much memory of each block's own.
    launch_request& local(std::uint64_t bytes);
    launch_request& shared(std::uint32_t bytes);

    /// The request as it is; it points into this object.
    spoc_be_launch request(std::uint32_t flags = 0) const;

    /// Launches, and checks what `*done` says: one of the three values, and DONE_ALL with WAIT.
    /// Returns it. May be called by several threads at once.
    std::uint32_t run(const device& dev, spoc_be_stream stream, std::uint32_t flags = 0) const;

 private:
    launch_request& scalar(const void* data, std::uint64_t bytes);
    spoc_be_arg& next(std::uint32_t kind);

    spoc_be_launch launch_;
    std::vector<spoc_be_arg> args_;
};

/// `scale` along x, all of both buffers.
launch_request scale_request(const ready_kernel& scale, spoc_be_buffer in, spoc_be_buffer out,
                             const std::uint32_t& factor, const std::uint32_t& count);

/// `spin` by one block.
launch_request spin_request(const ready_kernel& spin, spoc_be_buffer out, const std::uint32_t& seed,
                            const std::uint32_t& rounds);

}  // namespace spoc::conformance
