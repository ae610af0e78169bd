// SPDX-License-Identifier: Apache-2.0
#include "copy.hpp"

#include "backend.hpp"
#include "common/request.hpp"
#include "driver_calls.hpp"
#include "memory.hpp"
#include "open_device.hpp"
#include "stream.hpp"

namespace spoc::cudalike {
namespace {

/// Has the driver move memory between two devices without a detour through the host's, where there
/// is such a way. Tried once for each pair; the copy is right either way.
void connect(spoc_be_device_s& device, const spoc_be_device_s& peer) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << peer.index;
    if ((device.peers_tried.load(std::memory_order_relaxed) & bit) == 0) {
        static_cast<void>(reach_peer(device, peer));
        device.peers_tried.fetch_or(bit, std::memory_order_relaxed);
    }
}

const char* name_of(std::uint32_t kind) noexcept {
    constexpr const char* names[] = {driver::call::copy_to_device, driver::call::copy_to_host,
                                     driver::call::copy_on_device, driver::call::copy_peer};
    return names[kind];
}

driver::result enqueue(spoc_be_stream stream, std::uint32_t kind, const spoc_be_range& range) {
    const driver::stream on = stream->handle;
    switch (kind) {
        case SPOC_BE_COPY_H2D:
            return api().copy_to_device(range.dst->address + range.dst_offset, range.host,
                                        range.bytes, on);
        case SPOC_BE_COPY_D2H:
            return api().copy_to_host(range.host, range.src->address + range.src_offset,
                                      range.bytes, on);
        case SPOC_BE_COPY_D2D:
            return api().copy_on_device(range.dst->address + range.dst_offset,
                                        range.src->address + range.src_offset, range.bytes, on);
        default:
            connect(*stream->device, *range.src->device);
            return copy_from_peer(stream, range.src->device, range.dst->address + range.dst_offset,
                                  range.src->address + range.src_offset, range.bytes);
    }
}

}  // namespace

std::int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, std::uint32_t* done,
                  spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const std::int32_t status =
            plugin::check_request(copy->flags, SPOC_BE_WAIT, copy->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (copy->kind > SPOC_BE_COPY_PEER) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The backend makes no copy of this kind (%u).", copy->kind);
    }
    return on_device(*stream->device, error, [&] {
        for (std::uint32_t i = 0; i < copy->count; ++i) {
            if (const std::int32_t status =
                    check(*stream->device, enqueue(stream, copy->kind, copy->ranges[i]),
                          name_of(copy->kind), "A copy", error, copy->ranges[i].bytes);
                status != SPOC_BE_OK) {
                return status;
            }
            *done = SPOC_BE_DONE_NOTHING;
        }
        return finish_enqueued(stream, copy->flags, done, error);
    });
}

std::int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, std::uint32_t* done,
                  spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const std::int32_t status =
            plugin::check_request(fill->flags, SPOC_BE_WAIT, fill->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    return on_device(*stream->device, error, [&] {
        const driver::address start = fill->buffer->address + fill->offset;
        const std::size_t count = fill->bytes / fill->pattern_size;
        driver::result set = driver::success;
        if (fill->pattern_size == 1) {
            set = api().set_8(start, static_cast<unsigned char>(fill->pattern), count,
                              stream->handle);
        } else if (fill->pattern_size == 2) {
            set = api().set_16(start, static_cast<unsigned short>(fill->pattern), count,
                               stream->handle);
        } else {
            set = api().set_32(start, fill->pattern, count, stream->handle);
        }
        if (const std::int32_t status =
                check(*stream->device, set, driver::call::set_32, "A fill", error, fill->bytes);
            status != SPOC_BE_OK) {
            return status;
        }
        return finish_enqueued(stream, fill->flags, done, error);
    });
}

std::int32_t peer_query(spoc_be_device src, spoc_be_device dst, std::uint32_t* flags,
                        spoc_be_error* error) {
    return on_device(*dst, error, [&] {
        int direct = 1;
        if (src != dst) {
            if (const std::int32_t status =
                    check(*dst, api().can_access_peer(&direct, dst->ordinal, src->ordinal),
                          driver::call::can_access_peer, "Asking for a way between devices", error);
                status != SPOC_BE_OK) {
                return status;
            }
        }
        *flags = SPOC_BE_PEER_COPY | SPOC_BE_PEER_EVENTS | (direct != 0 ? SPOC_BE_PEER_DIRECT : 0);
        return SPOC_BE_OK;
    });
}

}  // namespace spoc::cudalike
