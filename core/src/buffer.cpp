// SPDX-License-Identifier: Apache-2.0
#include "buffer.hpp"

#include <utility>

#include "session.hpp"
#include "stream.hpp"
#include "text.hpp"

namespace spoc::detail {

outcome device_memory::allocate() {
    begin();
    if (bytes_ == 0) {
        return {};
    }
    plugin_error error;
    std::int32_t status = create(error);
    if (status == SPOC_BE_OUT_OF_MEMORY) {
        // Only this failure can pass: give back what the library itself holds, ask once more, and
        // report the first answer.
        device().accounts().retried();
        device().give_back();
        plugin_error second;
        if (create(second) >= 0) {
            status = SPOC_BE_OK;
        }
    }
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
}

std::int32_t device_memory::create(plugin_error& error) {
    spoc_be_buffer_desc desc{};
    desc.size = sizeof desc;
    desc.kind = static_cast<std::uint32_t>(kind_);
    desc.bytes = bytes_;
    desc.host = over_ == nullptr ? nullptr : over_->start();
    spoc_be_buffer_result result{};
    result.size = sizeof result;
    const std::int32_t status =
        device().table().buffer_create(device().handle(), &desc, &result, &error);
    if (status >= 0) {
        handle_ = result.buffer;
        allocated_ = result.allocated;
        device_address_ = result.device_address;
        device().accounts().allocated(bytes_);
        host_address_ = result.host_address;
    }
    return status;
}

outcome device_memory::end() {
    ended_.store(true);
    if (handle_ == nullptr) {
        return {};
    }
    // The plugin's object is gone also when its end fails.
    device().accounts().freed(bytes_, by_program_.load());
    plugin_error error;
    const std::int32_t status =
        device().table().buffer_destroy(std::exchange(handle_, nullptr), &error);
    return status >= 0 ? outcome{} : device().failure(status, error, SPOC_SUB_DRIVER);
}

bool device_memory::is_guarded() const noexcept {
    return kind_ == memory_kind::unified && !device().offers(SPOC_BE_CAP_UNIFIED_CONCURRENT);
}

outcome device_memory::host_access(std::uint32_t operation) {
    SPOC_TRY(device().default_queue()->mark(
        SPOC_SUB_COPY_FAILED, [&](spoc_be_stream on, spoc_be_error* error) {
            return device().table().buffer_host_access(on, handle_, operation, 0, bytes_, error);
        }));
    host_is_writing_ = operation == SPOC_BE_HOST_BEGIN_WRITE;
    return {};
}

outcome device_memory::check_usable() const {
    return ended_.load() ? outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                                         "The buffer belongs to a runtime that was shut down.")
                         : outcome{};
}

outcome check_buffer_size(const spoc_device_s& device, std::uint64_t bytes) {
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

}  // namespace spoc::detail

using namespace spoc::detail;

outcome spoc_buffer_s::check_not_freed() const {
    return memory != nullptr ? outcome{}
                             : outcome::invalid(SPOC_SUB_FREED, "The buffer was freed.");
}

spoc_status spoc_buffer_create(spoc_device device, uint64_t bytes, spoc_buffer* out_buffer,
                               spoc_error* error) noexcept {
    return boundary("spoc_buffer_create", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(device, "device"));
        SPOC_TRY(require_pointer(out_buffer, "out_buffer"));
        SPOC_TRY(call.enter());
        SPOC_TRY(check_buffer_size(*device, bytes));
        SPOC_TRY(device->check_current());
        if (bytes > 0) {
            SPOC_TRY(device->open());
        }
        auto buffer = std::make_unique<spoc_buffer_s>(device, bytes);
        SPOC_TRY(buffer->memory->allocate());
        *out_buffer = buffer.release();
        return {};
    });
}

spoc_status spoc_buffer_free(spoc_buffer buffer, spoc_error* error) noexcept {
    return boundary("spoc_buffer_free", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(buffer, "buffer"));
        if (buffer->memory != nullptr && buffer->memory->in_use()) {
            return outcome::invalid(SPOC_SUB_BUSY, "Work that was enqueued may use the buffer.");
        }
        SPOC_TRY(call.enter());
        const auto memory = std::exchange(buffer->memory, nullptr);
        buffer->counted = {};
        return memory == nullptr ? outcome{} : memory->release();
    });
}

spoc_status spoc_buffer_destroy(spoc_buffer buffer, spoc_error* error) noexcept {
    return boundary("spoc_buffer_destroy", error, [&]() -> outcome {
        const call_guard guard;
        const std::unique_ptr<spoc_buffer_s> owned(buffer);
        if (owned == nullptr || owned->memory == nullptr || owned->memory->in_use()) {
            return {};
        }
        return owned->memory->drop();
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
        if (buffer->memory != nullptr) {
            info.allocated = buffer->memory->allocated();
            info.device_address = buffer->memory->device_address();
        }
        return write_sized(info, out_info);
    });
}
