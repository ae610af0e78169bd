// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "call.hpp"
#include "object.hpp"

namespace spoc::mock {

/// A part of a buffer as held work knows it. Where buffers are not kept it sees that the buffer was
/// destroyed, instead of touching memory that is somebody else's by now.
class buffer_part {
 public:
    buffer_part(const spoc_be_buffer_s& buffer, std::uint64_t offset, bool keep)
        : watched_(buffer.memory),
          kept_(keep ? buffer.memory : nullptr),
          offset_(offset),
          number_(buffer.number) {}

    /// Its first byte, or null and a breach. Under the state's mutex, or without held work.
    std::byte* bytes(state& all) const;

 private:
    std::weak_ptr<memory> watched_;
    std::shared_ptr<memory> kept_;
    std::uint64_t offset_;
    std::uint64_t number_;
};

/// Bytes `offset` to `offset + bytes` of a buffer of the device. None: a breach.
std::optional<buffer_part> part_of(call& now, spoc_be_buffer buffer, std::uint64_t offset,
                                   std::uint64_t bytes, spoc_be_device device);

}  // namespace spoc::mock
