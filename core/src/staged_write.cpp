// SPDX-License-Identifier: Apache-2.0
#include "staged_write.hpp"

#include <cstring>
#include <utility>

#include <spoc/vector.h>

#include "device.hpp"
#include "session.hpp"
#include "staging_ring.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

static_assert(SPOC_MOST_STAGED_BYTES == staging_ring::most_bytes);

/// The ways to write, the best first.
enum class way { at_once, by_driver, by_ring, none };

/// Whether the plugin itself takes the bytes during the call.
bool is_taken_by_driver(const spoc_be_device_info& info, const host_transfer& copy) {
    const std::uint64_t step = info.inline_align == SPOC_BE_UNKNOWN_32 ? 0 : info.inline_align;
    const bool is_aligned =
        step == 1 || (step > 1 && copy.offset % step == 0 && copy.bytes % step == 0);
    return info.inline_write != SPOC_BE_UNKNOWN_64 && copy.bytes <= info.inline_write && is_aligned;
}

way way_of(const host_transfer& copy) {
    const spoc_device_s& device = copy.memory->device();
    if (copy.memory->is_host_storage() || device.offers(SPOC_BE_CAP_BUFFER_HOST_RANGE)) {
        return way::at_once;
    }
    if (is_taken_by_driver(device.info(), copy)) {
        return way::by_driver;
    }
    if (!device.offers(SPOC_BE_CAP_COPY_ENQUEUED)) {
        return way::at_once;
    }
    return device.offers(SPOC_BE_CAP_PINNED) && device.table().pinned_alloc != nullptr
               ? way::by_ring
               : way::none;
}

outcome enqueue(stream_state& stream, const spoc_be_range& range, std::uint32_t flags,
                work_needs&& needs, ledger::position& out_at) {
    spoc_be_copy request{};
    request.size = sizeof request;
    request.kind = SPOC_BE_COPY_H2D;
    request.flags = flags;
    request.count = 1;
    request.ranges = &range;
    needs.span = stream.traced("staged write", range.bytes);
    return stream.enqueue(
        std::move(needs), SPOC_SUB_COPY_FAILED,
        [&](spoc_be_stream on, std::uint32_t* done, spoc_be_error* error) {
            return stream.device().table().copy(on, &request, done, error);
        },
        out_at);
}

spoc_be_range range_of(const host_transfer& copy) {
    spoc_be_range range{};
    range.dst = copy.memory->handle();
    range.dst_offset = copy.offset;
    range.host = copy.host;
    range.bytes = copy.bytes;
    return range;
}

outcome write_by_driver(stream_state& stream, const host_transfer& copy) {
    work_needs needs;
    needs.uses.add(copy.memory);
    ledger::position at = 0;
    return enqueue(stream, range_of(copy), SPOC_BE_CONSUME_HOST, std::move(needs), at);
}

outcome write_by_ring(stream_state& stream, const host_transfer& copy) {
    staging_ring::piece piece(stream.device().ring());
    SPOC_TRY(piece.take(stream, copy.bytes));
    std::memcpy(piece.start(), copy.host, copy.bytes);
    spoc_be_range range = range_of(copy);
    range.host = piece.start();
    range.hostmem = piece.block();
    range.host_offset = piece.block_offset();
    work_needs needs;
    needs.uses.add(copy.memory);
    needs.uses.add(piece.need());
    ledger::position at = 0;
    SPOC_TRY(enqueue(stream, range, 0, std::move(needs), at));
    piece.enqueued(at);
    return {};
}

}  // namespace

outcome check_staged_size(std::uint64_t bytes) {
    return bytes <= SPOC_MOST_STAGED_BYTES
               ? outcome{}
               : outcome::invalid(SPOC_SUB_TOO_MUCH,
                                  say("One call stages at most ", SPOC_MOST_STAGED_BYTES,
                                      " bytes, not ", bytes, "."))
                     .figures(bytes, SPOC_MOST_STAGED_BYTES);
}

outcome check_stages(const host_transfer& copy) {
    const spoc_device_s& device = copy.memory->device();
    return way_of(copy) != way::none
               ? outcome{}
               : outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                               say("Device ", device.selector(),
                                   " has no page-locked memory to stage a write in."))
                     .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

outcome stage(stream_state& stream, const host_transfer& copy) {
    ledger::position at = 0;
    switch (way_of(copy)) {
        case way::by_driver:
            return write_by_driver(stream, copy);
        case way::by_ring:
            return write_by_ring(stream, copy);
        case way::at_once:
        case way::none:
            break;
    }
    return transfer(stream, copy, {.wait = true}, at);
}

}  // namespace spoc::detail
