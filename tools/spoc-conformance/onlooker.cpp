// SPDX-License-Identifier: Apache-2.0
#include "onlooker.hpp"

#include <cstring>

#include "check.hpp"

namespace spoc::conformance {

onlooker::onlooker(device& dev, std::uint64_t most) : dev_(dev), stream_(dev.stream()) {
    // Page-locked memory where there is any: copies of ordinary memory may wait for the device.
    if (dev.can(SPOC_BE_CAP_PINNED)) {
        memory_ = dev.pinned(most);
    } else {
        require(most <= dev.pageable_max(), "The device has no page-locked memory and takes only ",
                dev.pageable_max(), " bytes of ordinary memory.");
        ordinary_.resize(most);
        memory_ = {nullptr, ordinary_.data(), most};
    }
}

byte_vector onlooker::read(spoc_be_buffer buffer, std::uint64_t offset, std::uint64_t bytes) {
    const spoc_be_range range = with_pinned(to_host(buffer, offset, nullptr, bytes), memory_, 0);
    dev_.copy(stream_, SPOC_BE_COPY_D2H, {&range, 1}, SPOC_BE_WAIT);
    return {memory_.data, memory_.data + bytes};
}

std::uint32_t onlooker::read_word(spoc_be_buffer buffer, std::uint64_t offset) {
    std::uint32_t word = 0;
    const byte_vector bytes = read(buffer, offset, sizeof word);
    std::memcpy(&word, bytes.data(), sizeof word);
    return word;
}

void onlooker::write(spoc_be_buffer buffer, std::uint64_t offset,
                     std::span<const std::byte> bytes) {
    std::memcpy(memory_.data, bytes.data(), bytes.size());
    const spoc_be_range range =
        with_pinned(to_device(buffer, offset, nullptr, bytes.size()), memory_, 0);
    dev_.copy(stream_, SPOC_BE_COPY_H2D, {&range, 1}, SPOC_BE_WAIT);
}

}  // namespace spoc::conformance
