// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <spoc/backend.h>

#include "device.hpp"

namespace spoc::conformance {

/// Reads and writes buffers over a stream of its own that is ordered against no other: what it
/// sees is there for everybody.
class onlooker {
 public:
    /// For reads and writes of up to `most` bytes.
    explicit onlooker(device& dev, std::uint64_t most = 65536);

    byte_vector read(spoc_be_buffer buffer, std::uint64_t offset, std::uint64_t bytes);
    std::uint32_t read_word(spoc_be_buffer buffer, std::uint64_t offset = 0);
    void write(spoc_be_buffer buffer, std::uint64_t offset, std::span<const std::byte> bytes);

    spoc_be_stream stream() const { return stream_; }

 private:
    device& dev_;
    spoc_be_stream stream_;
    byte_vector ordinary_;
    page_locked memory_;
};

}  // namespace spoc::conformance
