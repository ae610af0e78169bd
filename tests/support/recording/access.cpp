// SPDX-License-Identifier: Apache-2.0
#include "access.hpp"

#include <string>

namespace spoc::mock {

std::byte* buffer_part::bytes(state& all) const {
    const auto memory = watched_.lock();
    if (memory == nullptr) {
        all.log.breach("Held work uses a buffer that was destroyed (number " +
                       std::to_string(number_) + ").");
        return nullptr;
    }
    return memory->bytes + offset_;
}

std::optional<buffer_part> part_of(call& now, spoc_be_buffer buffer, std::uint64_t offset,
                                   std::uint64_t bytes, spoc_be_device device) {
    if (!now.is_alive(*buffer, "buffer")) {
        return std::nullopt;
    }
    if (bytes == 0 || offset > buffer->bytes || bytes > buffer->bytes - offset) {
        now.breach("A range that is empty or beyond its buffer is used (offset " +
                   std::to_string(offset) + ", " + std::to_string(bytes) + " of " +
                   std::to_string(buffer->bytes) + " bytes).");
        return std::nullopt;
    }
    if (buffer->device != device) {
        now.breach("A buffer of another device is used.");
        return std::nullopt;
    }
    if (buffer->host_writes) {
        now.breach("A buffer is used that the host is writing.");
        return std::nullopt;
    }
    return buffer_part(*buffer, offset, now.all.set.get(SPOC_MOCK_KEEPS_BUFFERS) != 0);
}

}  // namespace spoc::mock
