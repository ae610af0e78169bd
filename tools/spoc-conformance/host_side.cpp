// SPDX-License-Identifier: Apache-2.0
#include "host_side.hpp"

#include <algorithm>
#include <memory>

#include "check.hpp"

namespace spoc::conformance {

const char* name_of(host_end end) {
    switch (end) {
        case host_end::ordinary:
            return "ordinary";
        case host_end::page_locked:
            return "pinned";
        case host_end::registered:
            return "registered";
    }
    return "";
}

host_end usual_end(const device& dev) {
    return dev.can(SPOC_BE_CAP_PINNED) ? host_end::page_locked : host_end::ordinary;
}

host_side::host_side(device& dev, host_end end, std::size_t bytes, std::uint64_t seed)
    : memory_(make(dev, end, bytes)) {
    const byte_vector contents = pattern(bytes, seed);
    std::copy(contents.begin(), contents.end(), memory_.data + margin);
}

void host_side::expect_intact() const {
    const auto touched = [](std::byte byte) { return byte != canary; };
    require(std::none_of(memory_.data, memory_.data + margin, touched) &&
                std::none_of(memory_.data + memory_.bytes - margin, memory_.data + memory_.bytes,
                             touched),
            "The copy wrote host memory outside its range.");
}

page_locked host_side::make(device& dev, host_end end, std::size_t bytes) {
    const std::size_t room = bytes + 2 * margin;
    if (end == host_end::page_locked) {
        const page_locked memory = dev.pinned(room);
        std::fill_n(memory.data, room, canary);
        return memory;
    }
    if (end == host_end::ordinary && room > dev.pageable_max()) {
        skip("The device takes ordinary memory of at most ", dev.pageable_max(), " bytes.");
    }
    if (end == host_end::ordinary) {
        own_ = std::make_shared<byte_vector>(room, canary);
        return {nullptr, own_->data(), room};
    }
    return register_pages(dev, room);
}

/// Whole steps of the device's alignment, the range at their start.
page_locked host_side::register_pages(device& dev, std::size_t room) {
    dev.need_registration();
    const std::size_t step = dev.registration_step();
    const std::size_t whole = (room + step - 1) / step * step;
    own_ = std::make_shared<byte_vector>(whole + step, canary);
    // Alive until the registration has ended.
    dev.at_end([kept = own_] {});
    void* start = own_->data();
    std::size_t left = own_->size();
    require(std::align(step, whole, start, left) != nullptr, "The suite could not align.");
    page_locked memory = dev.registered({static_cast<std::byte*>(start), whole});
    memory.bytes = room;
    return memory;
}

}  // namespace spoc::conformance
