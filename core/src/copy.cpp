// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>

#include <spoc/copy.h>

#include "buffer.hpp"
#include "copy_arguments.hpp"
#include "device.hpp"
#include "lent_memory.hpp"
#include "session.hpp"
#include "staged_write.hpp"
#include "stream.hpp"
#include "text.hpp"
#include "transfer.hpp"

using namespace spoc::detail;

namespace {

outcome copy_host(session& call, const order& wanted, spoc_buffer buffer, std::uint64_t offset,
                  void* host, std::uint64_t bytes, bool to_device, const spoc_owner* owner) {
    const std::string_view name = to_device ? "destination" : "source";
    SPOC_TRY(require_pointer(buffer, name));
    SPOC_TRY(check_order(wanted, *buffer->device));
    SPOC_TRY(check_range(name, buffer->bytes, offset, bytes));
    SPOC_TRY(check_host(host, bytes, to_device));
    SPOC_TRY(buffer->check_not_freed());
    SPOC_TRY(call.enter());
    SPOC_TRY(buffer->memory->check_usable());
    const std::shared_ptr<lent_memory> lent = lent_memory::of(owner);
    if (bytes > 0) {
        SPOC_TRY(buffer->device->open());
        const host_transfer copy{buffer->memory, offset, static_cast<std::byte*>(host), bytes,
                                 to_device};
        ledger::position at = 0;
        SPOC_TRY(transfer(stream_of(wanted, *buffer->device), copy, {!wanted.named, lent}, at));
    }
    if (lent != nullptr) {
        lent->take();
    }
    return {};
}

outcome stage_into(session& call, spoc_stream stream, spoc_buffer buffer, std::uint64_t offset,
                   std::byte* source, std::uint64_t bytes) {
    SPOC_TRY(require_pointer(buffer, "destination"));
    SPOC_TRY(check_order({stream, true}, *buffer->device));
    SPOC_TRY(check_staged_size(bytes));
    SPOC_TRY(check_range("destination", buffer->bytes, offset, bytes));
    SPOC_TRY(check_host(source, bytes, true));
    SPOC_TRY(buffer->check_not_freed());
    SPOC_TRY(call.enter());
    SPOC_TRY(buffer->memory->check_usable());
    if (bytes == 0) {
        return {};
    }
    const host_transfer copy{buffer->memory, offset, source, bytes, true};
    SPOC_TRY(check_stages(copy));
    SPOC_TRY(buffer->device->open());
    return stage(*stream->state, copy);
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
    SPOC_TRY(source.open());
    SPOC_TRY(destination.open());
    std::uint32_t ways = 0;
    SPOC_TRY(destination.peer_ways_from(source, ways));
    if ((ways & SPOC_BE_PEER_COPY) != 0) {
        return {};
    }
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("The driver does not copy from device ", source.selector(), " to ",
                             destination.selector(), "."))
        .about(destination.backend(), static_cast<std::int32_t>(destination.id()));
}

/// Ranges of a copy between two buffers.
struct buffer_ranges {
    std::uint64_t source_offset;
    std::uint64_t destination_offset;
    std::uint64_t bytes;
};

outcome copy_buffers(session& call, const order& wanted, spoc_buffer source,
                     spoc_buffer destination, const buffer_ranges& ranges) {
    SPOC_TRY(require_pointer(source, "source"));
    SPOC_TRY(require_pointer(destination, "destination"));
    SPOC_TRY(check_range("source", source->bytes, ranges.source_offset, ranges.bytes));
    SPOC_TRY(
        check_range("destination", destination->bytes, ranges.destination_offset, ranges.bytes));
    SPOC_TRY(check_pair(*source, *destination));
    SPOC_TRY(check_order(wanted, *destination->device));
    if (source == destination &&
        overlap(ranges.source_offset, ranges.destination_offset, ranges.bytes)) {
        return outcome::invalid(SPOC_SUB_OVERLAP,
                                "The ranges of the source and the destination overlap.");
    }
    SPOC_TRY(source->check_not_freed());
    SPOC_TRY(destination->check_not_freed());
    SPOC_TRY(call.enter());
    SPOC_TRY(source->memory->check_usable());
    SPOC_TRY(destination->memory->check_usable());
    if (ranges.bytes == 0) {
        return {};
    }
    const bool peer = source->device != destination->device;
    if (peer) {
        SPOC_TRY(check_peer(*source->device, *destination->device));
    }
    SPOC_TRY(destination->device->open());
    if (peer && !wanted.named) {
        // The copy runs on the other device's default stream.
        SPOC_TRY(source->device->default_queue()->synchronize());
    }
    const device_transfer copy{source->memory, ranges.source_offset, destination->memory,
                               ranges.destination_offset, ranges.bytes};
    ledger::position at = 0;
    return transfer(stream_of(wanted, *destination->device), copy, {!wanted.named}, at);
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

outcome fill_buffer(session& call, const order& wanted, spoc_buffer buffer, std::uint64_t offset,
                    std::uint64_t bytes, std::uint32_t pattern, std::uint32_t pattern_size) {
    SPOC_TRY(require_pointer(buffer, "buffer"));
    SPOC_TRY(check_order(wanted, *buffer->device));
    SPOC_TRY(check_range("buffer", buffer->bytes, offset, bytes));
    SPOC_TRY(check_pattern(offset, bytes, pattern_size));
    SPOC_TRY(buffer->check_not_freed());
    SPOC_TRY(call.enter());
    SPOC_TRY(buffer->memory->check_usable());
    if (bytes == 0) {
        return {};
    }
    SPOC_TRY(buffer->device->open());
    const fill_transfer fill{buffer->memory, offset, bytes, pattern, pattern_size};
    ledger::position at = 0;
    return transfer(stream_of(wanted, *buffer->device), fill, {!wanted.named}, at);
}

constexpr order default_order{nullptr, false};

/// The table has one host pointer for both directions; a copy to the device only reads through it.
void* readable(const void* source) { return const_cast<void*>(source); }

}  // namespace

spoc_status spoc_copy_to_device(const void* source, uint64_t bytes, spoc_buffer destination,
                                uint64_t destination_offset, spoc_error* error) noexcept {
    return boundary("spoc_copy_to_device", error, [&]() -> outcome {
        session call;
        return copy_host(call, default_order, destination, destination_offset, readable(source),
                         bytes, true, nullptr);
    });
}

spoc_status spoc_copy_to_host(spoc_buffer source, uint64_t source_offset, void* destination,
                              uint64_t bytes, spoc_error* error) noexcept {
    return boundary("spoc_copy_to_host", error, [&]() -> outcome {
        session call;
        return copy_host(call, default_order, source, source_offset, destination, bytes, false,
                         nullptr);
    });
}

spoc_status spoc_copy_on_device(spoc_buffer source, uint64_t source_offset, spoc_buffer destination,
                                uint64_t destination_offset, uint64_t bytes,
                                spoc_error* error) noexcept {
    return boundary("spoc_copy_on_device", error, [&]() -> outcome {
        session call;
        return copy_buffers(call, default_order, source, destination,
                            {source_offset, destination_offset, bytes});
    });
}

spoc_status spoc_fill(spoc_buffer buffer, uint64_t offset, uint64_t bytes, uint32_t pattern,
                      uint32_t pattern_size, spoc_error* error) noexcept {
    return boundary("spoc_fill", error, [&]() -> outcome {
        session call;
        return fill_buffer(call, default_order, buffer, offset, bytes, pattern, pattern_size);
    });
}

spoc_status spoc_enqueue_copy_to_device(spoc_stream stream, const void* source, uint64_t bytes,
                                        spoc_buffer destination, uint64_t destination_offset,
                                        const spoc_owner* owner, spoc_error* error) noexcept {
    return boundary("spoc_enqueue_copy_to_device", error, [&]() -> outcome {
        session call;
        return copy_host(call, {stream, true}, destination, destination_offset, readable(source),
                         bytes, true, owner);
    });
}

spoc_status spoc_enqueue_staged(spoc_stream stream, const void* source, uint64_t bytes,
                                spoc_buffer destination, uint64_t destination_offset,
                                spoc_error* error) noexcept {
    return boundary("spoc_enqueue_staged", error, [&]() -> outcome {
        session call;
        auto* const host = static_cast<std::byte*>(readable(source));
        return stage_into(call, stream, destination, destination_offset, host, bytes);
    });
}

spoc_status spoc_enqueue_copy_to_host(spoc_stream stream, spoc_buffer source,
                                      uint64_t source_offset, void* destination, uint64_t bytes,
                                      const spoc_owner* owner, spoc_error* error) noexcept {
    return boundary("spoc_enqueue_copy_to_host", error, [&]() -> outcome {
        session call;
        return copy_host(call, {stream, true}, source, source_offset, destination, bytes, false,
                         owner);
    });
}

spoc_status spoc_enqueue_copy_on_device(spoc_stream stream, spoc_buffer source,
                                        uint64_t source_offset, spoc_buffer destination,
                                        uint64_t destination_offset, uint64_t bytes,
                                        spoc_error* error) noexcept {
    return boundary("spoc_enqueue_copy_on_device", error, [&]() -> outcome {
        session call;
        return copy_buffers(call, {stream, true}, source, destination,
                            {source_offset, destination_offset, bytes});
    });
}

spoc_status spoc_enqueue_fill(spoc_stream stream, spoc_buffer buffer, uint64_t offset,
                              uint64_t bytes, uint32_t pattern, uint32_t pattern_size,
                              spoc_error* error) noexcept {
    return boundary("spoc_enqueue_fill", error, [&]() -> outcome {
        session call;
        return fill_buffer(call, {stream, true}, buffer, offset, bytes, pattern, pattern_size);
    });
}
