// SPDX-License-Identifier: Apache-2.0
#include "driver_calls.hpp"

#include "backend.hpp"
#include "open_device.hpp"

namespace spoc::cudalike {

std::uint32_t what_driver_knows_of(const void* host, std::uint64_t bytes) noexcept {
    if (api().pointer_attributes == nullptr) {
        return 0;
    }
    driver::pointer_attribute which[] = {driver::memory_type, driver::is_managed,
                                         driver::range_start, driver::range_size};
    unsigned type = 0;
    unsigned managed = 0;
    driver::address start = 0;
    std::size_t size = 0;
    void* values[] = {&type, &managed, &start, &size};
    const auto asked = reinterpret_cast<driver::address>(host);
    // Memory that the driver does not know is an error to older drivers and of no type to newer
    // ones.
    if (api().pointer_attributes(4, which, values, asked) != driver::success) {
        return 0;
    }
    const bool inside = asked >= start && size >= bytes && asked - start <= size - bytes;
    if (!inside || (managed == 0 && type != driver::memory_type_host)) {
        return 0;
    }
    return managed != 0 ? SPOC_BE_HOST_MANAGED : SPOC_BE_HOST_PINNED;
}

driver::result copy_from_peer(spoc_be_stream stream, spoc_be_device source, driver::address to,
                              driver::address from, std::uint64_t bytes) noexcept {
    return api().copy_peer(to, stream->device->context, from, source->context, bytes,
                           stream->handle);
}

driver::result reach_peer(const spoc_be_device_s& device, const spoc_be_device_s& peer) noexcept {
    int can = 0;
    const driver::result asked = api().can_access_peer(&can, device.ordinal, peer.ordinal);
    if (asked != driver::success || can == 0) {
        return asked != driver::success ? asked : driver::not_supported;
    }
    const driver::result enabled = api().enable_peer_access(peer.context, 0);
    return enabled == driver::peer_access_already_enabled ? driver::success : enabled;
}

driver::result allow_shared(driver::function kernel, std::uint32_t bytes) noexcept {
    return api().function_set_attribute(kernel, driver::function_max_dynamic_shared,
                                        static_cast<int>(bytes));
}

}  // namespace spoc::cudalike
