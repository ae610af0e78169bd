// SPDX-License-Identifier: Apache-2.0
#include "copy_arguments.hpp"

#include "device.hpp"
#include "session.hpp"
#include "text.hpp"
#include "transfer.hpp"

namespace spoc::detail {

outcome check_order(const order& wanted, const spoc_device_s& device) {
    if (!wanted.named) {
        return {};
    }
    SPOC_TRY(require_pointer(wanted.stream, "stream"));
    const spoc_device_s& other = wanted.stream->state->device();
    if (&other != &device) {
        return outcome::invalid(SPOC_SUB_DEVICE, say("The stream is on device ", other.selector(),
                                                     ", the work on ", device.selector(), "."));
    }
    return wanted.stream->state->check_not_closed();
}

stream_state& stream_of(const order& wanted, spoc_device_s& device) {
    return wanted.named ? *wanted.stream->state : *device.default_queue();
}

outcome check_range(std::string_view whole, std::uint64_t size, std::uint64_t offset,
                    std::uint64_t bytes) {
    if (offset <= size && bytes <= size - offset) {
        return {};
    }
    return outcome::invalid(SPOC_SUB_BOUNDS,
                            say("The range reaches beyond the ", whole, " (", bytes,
                                " bytes at offset ", offset, ", it has ", size, ")."))
        .figures(bytes, offset > size ? 0 : size - offset);
}

outcome check_host(void* host, std::uint64_t bytes, bool to_device) {
    SPOC_TRY(require_pointer_for(bytes, host, to_device ? "source" : "destination"));
    if (bytes > UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(host)) {
        return outcome::invalid(SPOC_SUB_BOUNDS,
                                say("The end of the host range overflows (", bytes, " bytes)."));
    }
    return to_device ? outcome{} : check_writable(static_cast<std::byte*>(host), bytes);
}

}  // namespace spoc::detail
