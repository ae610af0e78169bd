// SPDX-License-Identifier: Apache-2.0

/// \file
/// What launches do with vectors.

#include <utility>

#include "buffer.hpp"
#include "device.hpp"
#include "session.hpp"
#include "text.hpp"
#include "vector.hpp"

using namespace spoc::detail;

outcome spoc_vector_s::check_launch(spoc_device device) const {
    SPOC_TRY(check_transferable());
    if (is_device_only() && device != location_.device) {
        return outcome::invalid(SPOC_SUB_DEVICE_ONLY, say("Vector ", id_, " lives on device ",
                                                          location_.device->selector(), " alone."));
    }
    // Kernels count elements in 32 bits.
    if (count_ == 0 || count_ > SPOC_MOST_DEVICE_ELEMENTS) {
        return outcome::invalid(SPOC_SUB_LENGTH,
                                say("A vector in a launch has 1 to ", SPOC_MOST_DEVICE_ELEMENTS,
                                    " elements, not ", count_, " (vector ", id_, ")."))
            .figures(count_, SPOC_MOST_DEVICE_ELEMENTS);
    }
    return {};
}

const std::byte* spoc_vector_s::storage_of(spoc_device device) const noexcept {
    const memory_pointer* const memory = look_at(device);
    const bool shared = memory == nullptr ? device->offers(SPOC_BE_CAP_BUFFER_HOST_RANGE)
                                          : (*memory)->shares_host();
    return host_ != nullptr && shared ? host_->start() : nullptr;
}

outcome spoc_vector_s::prepare(session& call, spoc_device device, const launch_use& use,
                               launch_place& out) {
    SPOC_TRY(freshen_parents(call, true));
    out.before = location_;
    SPOC_TRY(make_memory(device, out.memory, out.made));
    SPOC_TRY(out.memory->check_usable());
    out.in_host_storage = out.memory->is_host_storage();
    if (out.in_host_storage) {
        // The kernel works in the host's copy itself, which another device may have made old.
        if (!location_.host_is_fresh() && !use.overwrites) {
            SPOC_TRY(read_back(call));
            location_.state = SPOC_LOCATION_BOTH;
        }
    } else if (!location_.is_fresh_on(device) && !use.overwrites) {
        return to_device(call, device);
    }
    return use.settles ? settle_sharers(*out.memory) : outcome{};
}

void spoc_vector_s::undo(spoc_device device, const launch_place& place) noexcept {
    location_ = place.before;
    if (place.made) {
        drop_memory(device);
    }
}

void spoc_vector_s::was_written(spoc_device device, bool in_host_storage) noexcept {
    if (!in_host_storage) {
        location_ = {is_device_only() ? SPOC_LOCATION_DEVICE : SPOC_LOCATION_STALE_HOST, device};
        return;
    }
    outdate_parents();
    if (location_.device != nullptr && location_.device != device) {
        // The host's copy was written, and another device has a copy of what it was.
        location_.state = SPOC_LOCATION_STALE_DEVICE;
    }
}

outcome spoc_vector_s::install(spoc_device device, spoc_buffer_s& buffer) {
    SPOC_TRY(check_transferable());
    if (buffer.device != device) {
        return outcome::invalid(SPOC_SUB_DEVICE,
                                say("The buffer is on device ", buffer.device->selector(), ", not ",
                                    device->selector(), "."));
    }
    SPOC_TRY(buffer.check_not_freed());
    if (memory_on(device) != nullptr) {
        return outcome::invalid(SPOC_SUB_DUPLICATE, say("Vector ", id_, " has a buffer on device ",
                                                        device->selector(), " already."));
    }
    SPOC_TRY(check_has_host());
    if (buffer.bytes < bytes()) {
        return outcome::invalid(SPOC_SUB_LENGTH, say("The buffer has ", buffer.bytes,
                                                     " bytes, and the vector ", bytes(), "."))
            .figures(bytes(), buffer.bytes);
    }
    memories_.reserve(memories_.size() + 1);
    memories_.push_back(std::exchange(buffer.memory, nullptr));
    buffer.counted = {};
    return {};
}
