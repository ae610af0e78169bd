// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>

#include <spoc/copy.h>

#include "buffer.hpp"
#include "device.hpp"
#include "session.hpp"
#include "text.hpp"

using namespace spoc::detail;

namespace {

/// Checks that bytes `offset` to `offset + bytes` lie in a buffer, without letting the sum
/// overflow.
outcome check_range(const spoc_buffer_s& buffer, std::string_view name, std::uint64_t offset,
                    std::uint64_t bytes) {
    if (offset <= buffer.bytes && bytes <= buffer.bytes - offset) {
        return {};
    }
    return outcome::invalid(
               SPOC_SUB_BOUNDS,
               say("The range of the ", name, " reaches beyond its buffer (", bytes,
                   " bytes at offset ", offset, ", the buffer has ", buffer.bytes, ")."))
        .figures(bytes, offset > buffer.bytes ? 0 : buffer.bytes - offset);
}

outcome check_usable(const spoc_buffer_s& buffer) {
    return buffer.usable() ? outcome{}
                           : outcome::fail(SPOC_UNAVAILABLE, SPOC_SUB_SHUT_DOWN,
                                           "The buffer belongs to a runtime that was shut down.");
}

/// What a call of `copy` or `fill` came to, once nothing of it is in flight any more: the caller of
/// the library may free its memory as soon as this returns.
outcome finish(spoc_device_s& device, std::int32_t status, const plugin_error& error,
               std::uint32_t done) {
    plugin_error late;
    std::int32_t waited = SPOC_BE_OK;
    if (done != SPOC_BE_DONE_ALL) {
        waited = device.table().stream_sync(device.default_stream(), SPOC_BE_FOREVER, &late);
    }
    if (status < 0) {
        return device.failure(status, error, SPOC_SUB_COPY_FAILED);
    }
    return waited >= 0 ? outcome{} : device.failure(waited, late, SPOC_SUB_SYNC_FAILED);
}

/// Calls the plugin's `copy` for one range, complete on return. The default stream's mutex is held.
outcome copy_range(spoc_device_s& device, std::uint32_t kind, const spoc_be_range& range) {
    spoc_be_copy request{};
    request.size = sizeof request;
    request.kind = kind;
    request.flags = SPOC_BE_WAIT;
    request.count = 1;
    request.ranges = &range;
    std::uint32_t done = SPOC_BE_DONE_ALL;
    plugin_error error;
    const std::int32_t status =
        device.table().copy(device.default_stream(), &request, &done, &error);
    return finish(device, status, error, done);
}

/// A copy between host memory and a buffer, on its way through pieces that the device takes.
struct host_copy {
    spoc_buffer_s& buffer;
    std::uint64_t offset;
    std::byte* host;  ///< only read when `to_device`
    std::uint64_t bytes;
    bool to_device;

    spoc_device_s& device() const noexcept { return *buffer.device; }
    std::uint32_t kind() const noexcept { return to_device ? SPOC_BE_COPY_H2D : SPOC_BE_COPY_D2H; }

    spoc_be_range range(std::uint64_t done, std::uint64_t piece) const noexcept {
        spoc_be_range result{};
        (to_device ? result.dst : result.src) = buffer.handle;
        (to_device ? result.dst_offset : result.src_offset) = offset + done;
        result.host = host + done;
        result.bytes = piece;
        return result;
    }
};

/// Hands host memory to the device as it is, in pieces of at most `limit` bytes.
outcome copy_directly(const host_copy& copy, std::uint64_t limit) {
    for (std::uint64_t done = 0; done < copy.bytes;) {
        const std::uint64_t piece = std::min(limit, copy.bytes - done);
        SPOC_TRY(copy_range(copy.device(), copy.kind(), copy.range(done, piece)));
        done += piece;
    }
    return {};
}

/// Goes through the device's page-locked staging memory, piece by piece.
outcome copy_through_staging(const host_copy& copy) {
    spoc_be_hostmem_result slot{};
    SPOC_TRY(copy.device().staging(slot));
    for (std::uint64_t done = 0; done < copy.bytes;) {
        const std::uint64_t piece = std::min(slot.bytes, copy.bytes - done);
        spoc_be_range range = copy.range(done, piece);
        range.host = slot.host;
        range.hostmem = slot.hostmem;
        if (copy.to_device) {
            std::memcpy(slot.host, copy.host + done, piece);
        }
        SPOC_TRY(copy_range(copy.device(), copy.kind(), range));
        if (!copy.to_device) {
            std::memcpy(copy.host + done, slot.host, piece);
        }
        done += piece;
    }
    return {};
}

/// Chooses the way that the device asks for through `pageable_max`.
outcome run(const host_copy& copy) {
    const std::uint64_t limit = copy.device().info().pageable_max;
    SPOC_TRY(copy.device().open());
    const std::lock_guard lock(copy.device().default_stream_mutex());
    if (copy.bytes <= limit) {
        return copy_directly(copy, copy.bytes);
    }
    if (copy.device().table().pinned_alloc != nullptr && copy.device().offers(SPOC_BE_CAP_PINNED)) {
        return copy_through_staging(copy);
    }
    if (limit > 0) {
        return copy_directly(copy, limit);
    }
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("Device ", copy.device().selector(),
                             " reaches no ordinary host memory and has no page-locked memory."))
        .about(copy.device().backend(), static_cast<std::int32_t>(copy.device().id()));
}

outcome copy_host(session& call, spoc_buffer buffer, std::string_view name, std::uint64_t offset,
                  std::byte* host, std::uint64_t bytes, bool to_device) {
    SPOC_TRY(require_pointer(buffer, name));
    SPOC_TRY(require_pointer_for(bytes, host, to_device ? "source" : "destination"));
    SPOC_TRY(check_range(*buffer, name, offset, bytes));
    SPOC_TRY(call.enter());
    SPOC_TRY(check_usable(*buffer));
    return bytes == 0 ? outcome{} : run({*buffer, offset, host, bytes, to_device});
}

/// Ranges of one buffer overlap when each begins before the other ends. Both were checked to lie in
/// the buffer.
bool overlap(std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
    return bytes > 0 && a < b + bytes && b < a + bytes;
}

outcome check_pair(const spoc_buffer_s& source, const spoc_buffer_s& destination) {
    if (source.device->backend() == destination.device->backend()) {
        return {};
    }
    return outcome::invalid(
        SPOC_SUB_DEVICE,
        say("The source is on device ", source.device->selector(), ", the destination on ",
            destination.device->selector(), ", which is of another backend."));
}

outcome check_peer(spoc_device_s& source, spoc_device_s& destination) {
    const spoc_be_table& table = destination.table();
    std::uint32_t ways = 0;
    if (destination.offers(SPOC_BE_CAP_PEER_COPY) && table.peer_query != nullptr) {
        plugin_error error;
        if (const std::int32_t status =
                table.peer_query(source.handle(), destination.handle(), &ways, &error);
            status < 0) {
            return destination.failure(status, error, SPOC_SUB_COPY_FAILED);
        }
    }
    if ((ways & SPOC_BE_PEER_COPY) != 0) {
        return {};
    }
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("The driver does not copy from device ", source.selector(), " to ",
                             destination.selector(), "."))
        .about(destination.backend(), static_cast<std::int32_t>(destination.id()));
}

/// Waits until what was enqueued on the source's default stream is done, since the copy runs on
/// another device's.
outcome finish_default_stream(spoc_device_s& device) {
    const std::lock_guard lock(device.default_stream_mutex());
    plugin_error error;
    const std::int32_t status =
        device.table().stream_sync(device.default_stream(), SPOC_BE_FOREVER, &error);
    return status >= 0 ? outcome{} : device.failure(status, error, SPOC_SUB_SYNC_FAILED);
}

outcome run_on_device(const spoc_be_range& range, spoc_device_s& source,
                      spoc_device_s& destination) {
    const bool peer = &source != &destination;
    if (peer) {
        SPOC_TRY(source.open());
        SPOC_TRY(destination.open());
        SPOC_TRY(check_peer(source, destination));
    }
    if (range.bytes == 0) {
        return {};
    }
    if (peer) {
        SPOC_TRY(finish_default_stream(source));
    }
    SPOC_TRY(destination.open());
    const std::lock_guard lock(destination.default_stream_mutex());
    return copy_range(destination, peer ? SPOC_BE_COPY_PEER : SPOC_BE_COPY_D2D, range);
}

outcome run_fill(const spoc_be_fill& request, spoc_device_s& device) {
    SPOC_TRY(device.open());
    const std::lock_guard lock(device.default_stream_mutex());
    std::uint32_t done = SPOC_BE_DONE_ALL;
    plugin_error error;
    const std::int32_t status =
        device.table().fill(device.default_stream(), &request, &done, &error);
    return finish(device, status, error, done);
}

outcome check_pattern(std::uint64_t offset, std::uint64_t bytes, std::uint32_t pattern_size) {
    if (pattern_size != 1 && pattern_size != 2 && pattern_size != 4) {
        return outcome::invalid(SPOC_SUB_VALUE, say("The pattern has no size that exists (",
                                                    pattern_size, " bytes; 1, 2 or 4)."));
    }
    if (offset % pattern_size != 0 || bytes % pattern_size != 0) {
        return outcome::invalid(SPOC_SUB_LENGTH, say("Offset ", offset, " and length ", bytes,
                                                     " are no multiples of the pattern's size (",
                                                     pattern_size, " bytes)."));
    }
    return {};
}

}  // namespace

spoc_status spoc_copy_to_device(const void* source, uint64_t bytes, spoc_buffer destination,
                                uint64_t destination_offset, spoc_error* error) noexcept {
    return boundary("spoc_copy_to_device", error, [&]() -> outcome {
        session call;
        // The table has one host pointer for both directions; a copy to the device only reads
        // through it.
        auto* host = static_cast<std::byte*>(const_cast<void*>(source));
        return copy_host(call, destination, "destination", destination_offset, host, bytes, true);
    });
}

spoc_status spoc_copy_to_host(spoc_buffer source, uint64_t source_offset, void* destination,
                              uint64_t bytes, spoc_error* error) noexcept {
    return boundary("spoc_copy_to_host", error, [&]() -> outcome {
        session call;
        return copy_host(call, source, "source", source_offset,
                         static_cast<std::byte*>(destination), bytes, false);
    });
}

spoc_status spoc_copy_on_device(spoc_buffer source, uint64_t source_offset, spoc_buffer destination,
                                uint64_t destination_offset, uint64_t bytes,
                                spoc_error* error) noexcept {
    return boundary("spoc_copy_on_device", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(source, "source"));
        SPOC_TRY(require_pointer(destination, "destination"));
        SPOC_TRY(check_range(*source, "source", source_offset, bytes));
        SPOC_TRY(check_range(*destination, "destination", destination_offset, bytes));
        SPOC_TRY(check_pair(*source, *destination));
        if (source == destination && overlap(source_offset, destination_offset, bytes)) {
            return outcome::invalid(SPOC_SUB_OVERLAP,
                                    "The ranges of the source and the destination overlap.");
        }
        SPOC_TRY(call.enter());
        SPOC_TRY(check_usable(*source));
        SPOC_TRY(check_usable(*destination));
        spoc_be_range range{};
        range.src = source->handle;
        range.src_offset = source_offset;
        range.dst = destination->handle;
        range.dst_offset = destination_offset;
        range.bytes = bytes;
        return run_on_device(range, *source->device, *destination->device);
    });
}

spoc_status spoc_fill(spoc_buffer buffer, uint64_t offset, uint64_t bytes, uint32_t pattern,
                      uint32_t pattern_size, spoc_error* error) noexcept {
    return boundary("spoc_fill", error, [&]() -> outcome {
        session call;
        SPOC_TRY(require_pointer(buffer, "buffer"));
        SPOC_TRY(check_range(*buffer, "fill", offset, bytes));
        SPOC_TRY(check_pattern(offset, bytes, pattern_size));
        SPOC_TRY(call.enter());
        SPOC_TRY(check_usable(*buffer));
        spoc_be_fill request{};
        request.size = sizeof request;
        request.flags = SPOC_BE_WAIT;
        request.buffer = buffer->handle;
        request.offset = offset;
        request.bytes = bytes;
        request.pattern = pattern;
        request.pattern_size = pattern_size;
        return bytes == 0 ? outcome{} : run_fill(request, *buffer->device);
    });
}
