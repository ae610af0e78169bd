// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include <memory>
#include <utility>

#include "session.hpp"
#include "text.hpp"

using namespace spoc::detail;

namespace {

std::int32_t create(spoc_buffer_s& buffer, plugin_error& error) {
    spoc_be_buffer_desc desc{};
    desc.size = sizeof desc;
    desc.kind = SPOC_BE_BUFFER_DEVICE;
    desc.bytes = buffer.bytes;
    spoc_be_buffer_result result{};
    result.size = sizeof result;
    const std::int32_t status =
        buffer.device->table().buffer_create(buffer.device->handle(), &desc, &result, &error);
    if (status >= 0) {
        buffer.handle = result.buffer;
        buffer.allocated = result.allocated;
        buffer.device_address = result.device_address;
    }
    return status;
}

outcome check_size(const spoc_device_s& device, std::uint64_t bytes) {
    const std::uint64_t limit = device.info().max_alloc;
    if (bytes <= limit) {
        return {};
    }
    return outcome::fail(SPOC_BACKEND_ERROR, SPOC_SUB_TOO_LARGE,
                         say("Device ", device.selector(), " allocates no buffer of this size (",
                             bytes, " bytes asked, at most ", limit, ")."))
        .figures(bytes, limit)
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

outcome make_memory(spoc_buffer_s& buffer) {
    SPOC_TRY(buffer.device->open());
    return buffer.allocate();
}

}  // namespace

outcome spoc_buffer_s::allocate() {
    plugin_error error;
    std::int32_t status = create(*this, error);
    if (status == SPOC_BE_OUT_OF_MEMORY) {
        // Only this failure can pass: give back what the library itself holds, ask once more, and
        // report the first answer.
        device->release_staging();
        plugin_error second;
        if (create(*this, second) >= 0) {
            status = SPOC_BE_OK;
        }
    }
    return status >= 0 ? outcome{} : device->failure(status, error, SPOC_SUB_DRIVER);
}

outcome spoc_buffer_s::release() {
    released = true;
    if (handle == nullptr) {
        return {};
    }
    plugin_error error;
    const std::int32_t status =
        device->table().buffer_destroy(std::exchange(handle, nullptr), &error);
    return status >= 0 ? outcome{} : device->failure(status, error, SPOC_SUB_DRIVER);
}

spoc_status spoc_buffer_create(spoc_device device, uint64_t bytes, spoc_buffer* out_buffer,
                               spoc_error* error) noexcept {
    return boundary("spoc_buffer_create", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_buffer, "out_buffer"));
        SPOC_TRY(call.enter());
        SPOC_TRY(check_size(*device, bytes));
        SPOC_TRY(device->check_current());
        auto buffer = std::make_unique<spoc_buffer_s>(device, bytes);
        // Listed before it holds memory: what could throw comes first.
        device->add(buffer.get());
        if (outcome made = bytes > 0 ? make_memory(*buffer) : outcome{}; !made.ok()) {
            device->remove(buffer.get());
            return made;
        }
        *out_buffer = buffer.release();
        return {};
    });
}

spoc_status spoc_buffer_destroy(spoc_buffer buffer, spoc_error* error) noexcept {
    return boundary("spoc_buffer_destroy", error, [&]() -> outcome {
        session call;
        const std::unique_ptr<spoc_buffer_s> owned(buffer);
        if (owned == nullptr) {
            return {};
        }
        if (call.enter().ok()) {
            owned->device->remove(buffer);
            return owned->release();
        }
        // After fork and at exit no driver can be called, and locks may be held for ever; the
        // memory ends with the process. Otherwise the runtime was shut down, or is being shut down
        // now.
        const bool can_lock = process_state() == SPOC_BE_PROCESS_RUNNING;
        return can_lock ? owned->device->release_if_live(buffer) : outcome{};
    });
}

spoc_status spoc_buffer_describe(spoc_buffer buffer, spoc_buffer_info* out_info,
                                 spoc_error* error) noexcept {
    return boundary("spoc_buffer_describe", error, [&]() -> outcome {
        SPOC_TRY(require_pointer(buffer, "buffer"));
        SPOC_TRY(require_sized(out_info, "out_info"));
        spoc_buffer_info info{};
        info.device = buffer->device;
        info.bytes = buffer->bytes;
        info.allocated = buffer->allocated;
        info.device_address = buffer->device_address;
        return write_sized(info, out_info);
    });
}
