// SPDX-License-Identifier: Apache-2.0
#include "transfer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "device.hpp"
#include "host_memory.hpp"
#include "pinned_registry.hpp"
#include "session.hpp"
#include "slot_pool.hpp"
#include "text.hpp"

namespace spoc::detail {
namespace {

/// A part of a host copy that is handed over in one way.
struct part {
    spoc_be_range range;
    std::shared_ptr<host_range> within;  ///< that `range` names, or null
    bool staged;  ///< through slots, since the device does not reach this host memory
};

spoc_be_range range_of(const host_transfer& copy, const std::byte* at, std::uint64_t bytes) {
    const auto done = static_cast<std::uint64_t>(at - copy.host);
    spoc_be_range range{};
    (copy.to_device ? range.dst : range.src) = copy.memory->handle();
    (copy.to_device ? range.dst_offset : range.src_offset) = copy.offset + done;
    range.host = copy.host + done;
    range.bytes = bytes;
    return range;
}

spoc_be_range range_within(const host_transfer& copy, const std::byte* at, std::uint64_t bytes,
                           const host_range& within) {
    spoc_be_range range = range_of(copy, at, bytes);
    range.hostmem = within.handle();
    range.host_offset = static_cast<std::uint64_t>(at - within.start());
    return range;
}

outcome reaches_nothing(const spoc_device_s& device) {
    return outcome::fail(SPOC_FEATURE_NOT_SUPPORTED, SPOC_SUB_NONE,
                         say("Device ", device.selector(),
                             " reaches no ordinary host memory and has no page-locked memory."))
        .about(device.backend(), static_cast<std::int32_t>(device.id()));
}

/// Ordinary memory, as the device asks for it through `pageable_max`.
outcome plan_ordinary(const host_transfer& copy, const host_piece& piece, std::vector<part>& out) {
    const spoc_device_s& device = copy.memory->device();
    const std::uint64_t limit = device.info().pageable_max;
    if (piece.bytes <= limit) {
        out.push_back({range_of(copy, piece.start, piece.bytes), nullptr, false});
        return {};
    }
    if (device.offers(SPOC_BE_CAP_PINNED) && device.table().pinned_alloc != nullptr) {
        out.push_back({range_of(copy, piece.start, piece.bytes), nullptr, true});
        return {};
    }
    if (limit == 0) {
        return reaches_nothing(device);
    }
    for (std::uint64_t done = 0; done < piece.bytes; done += limit) {
        const std::uint64_t bytes = std::min(limit, piece.bytes - done);
        out.push_back({range_of(copy, piece.start + done, bytes), nullptr, false});
    }
    return {};
}

outcome plan(const host_transfer& copy, const std::vector<host_piece>& pieces,
             std::vector<part>& out) {
    for (const host_piece& piece : pieces) {
        if (piece.within != nullptr && piece.within->serves(copy.memory->device())) {
            out.push_back(
                {range_within(copy, piece.start, piece.bytes, *piece.within), piece.within, false});
        } else {
            SPOC_TRY(plan_ordinary(copy, piece, out));
        }
    }
    return {};
}

/// What every part of a transfer needs.
work_needs common_needs(const std::shared_ptr<device_memory>& memory) {
    work_needs needs;
    needs.uses.add(memory);
    return needs;
}

/// Of a part whose host memory the device itself reads or writes.
work_needs direct_needs(const host_transfer& copy, const transfer_terms& terms) {
    work_needs needs = common_needs(copy.memory);
    needs.uses.add(terms.lent);
    needs.host = {copy.host, copy.bytes};
    needs.writes_host = !copy.to_device;
    return needs;
}

std::uint32_t kind_of(const host_transfer& copy) {
    return copy.to_device ? SPOC_BE_COPY_H2D : SPOC_BE_COPY_D2H;
}

/// What a copy is called in traces.
const char* name_of(std::uint32_t kind) noexcept {
    switch (kind) {
        case SPOC_BE_COPY_H2D:
            return "copy H2D";
        case SPOC_BE_COPY_D2H:
            return "copy D2H";
        case SPOC_BE_COPY_D2D:
            return "copy D2D";
        default:
            return "copy peer";
    }
}

std::uint64_t bytes_of(const spoc_be_range* ranges, std::size_t count) noexcept {
    return std::accumulate(
        ranges, ranges + count, std::uint64_t{0},
        [](std::uint64_t sum, const spoc_be_range& one) { return sum + one.bytes; });
}

/// Calls the plugin's `copy`; with `wait` it waits also where the plugin forgets to.
outcome copy_ranges(stream_state& stream, std::uint32_t kind, const spoc_be_range* ranges,
                    std::size_t count, work_needs&& needs, bool wait, ledger::position& out_at) {
    spoc_be_copy request{};
    request.size = sizeof request;
    request.kind = kind;
    request.flags = wait ? SPOC_BE_WAIT : 0;
    request.count = static_cast<std::uint32_t>(count);
    request.ranges = ranges;
    needs.span = stream.traced(name_of(kind), bytes_of(ranges, count));
    SPOC_TRY(stream.enqueue(
        std::move(needs), SPOC_SUB_COPY_FAILED,
        [&](spoc_be_stream on, std::uint32_t* done, spoc_be_error* error) {
            return stream.device().table().copy(on, &request, done, error);
        },
        out_at));
    if (wait && out_at != 0) {
        out_at = 0;
        return stream.synchronize();
    }
    return {};
}

/// One piece of a staged part, whose slot is taken.
outcome copy_through(stream_state& stream, const host_transfer& copy, spoc_be_range range,
                     const staging_slot& slot, const transfer_terms& terms,
                     ledger::position& out_at) {
    void* const host = range.host;
    range.host = slot.start;
    range.hostmem = slot.memory;
    if (copy.to_device) {
        std::memcpy(slot.start, host, range.bytes);
    }
    // To the host it waits: the bytes have to be in place before anything that follows on the
    // stream may read them.
    SPOC_TRY(copy_ranges(stream, kind_of(copy), &range, 1, common_needs(copy.memory),
                         terms.wait || !copy.to_device, out_at));
    if (!copy.to_device) {
        std::memcpy(host, slot.start, range.bytes);
    }
    return {};
}

/// Takes a part through slots. The program's own memory is not touched after the return.
outcome copy_staged(stream_state& stream, const host_transfer& copy, const spoc_be_range& whole,
                    const transfer_terms& terms, ledger::position& out_at) {
    slot_pool& pool = stream.device().slots();
    for (std::uint64_t done = 0; done < whole.bytes;) {
        staging_slot* slot = nullptr;
        SPOC_TRY(pool.take(slot));
        spoc_be_range range = whole;
        range.bytes = std::min(slot->bytes, whole.bytes - done);
        range.host = static_cast<std::byte*>(whole.host) + done;
        (copy.to_device ? range.dst_offset : range.src_offset) += done;
        ledger::position at = 0;
        outcome copied = copy_through(stream, copy, range, *slot, terms, at);
        pool.put_back(*slot, at != 0 ? &stream : nullptr);
        SPOC_TRY(std::move(copied));
        out_at = std::max(out_at, at);
        done += range.bytes;
    }
    return {};
}

/// The parts from `next` on that are not staged, handed over in one call. `next` becomes the first
/// one after them.
outcome copy_directly(stream_state& stream, const host_transfer& copy,
                      const std::vector<part>& parts, std::size_t& next,
                      const transfer_terms& terms, ledger::position& out_at) {
    std::vector<spoc_be_range> ranges;
    work_needs needs = direct_needs(copy, terms);
    for (; next < parts.size() && !parts[next].staged; ++next) {
        ranges.push_back(parts[next].range);
        needs.uses.add(parts[next].within);
    }
    ledger::position at = 0;
    SPOC_TRY(copy_ranges(stream, kind_of(copy), ranges.data(), ranges.size(), std::move(needs),
                         terms.wait, at));
    out_at = std::max(out_at, at);
    return {};
}

outcome copy_parts(stream_state& stream, const host_transfer& copy, const std::vector<part>& parts,
                   const transfer_terms& terms, ledger::position& out_at) {
    for (std::size_t next = 0; next < parts.size();) {
        if (parts[next].staged) {
            SPOC_TRY(copy_staged(stream, copy, parts[next].range, terms, out_at));
            ++next;
        } else {
            SPOC_TRY(copy_directly(stream, copy, parts, next, terms, out_at));
        }
    }
    return {};
}

/// Staging reads host memory in the call, not when the copy's turn comes: what writes that memory
/// and may be in front of the copy is waited for.
outcome settle_source(stream_state& stream, const host_transfer& copy) {
    const host_bytes source(copy.host, copy.bytes);
    if (!ledger::is_written(source)) {
        return {};
    }
    SPOC_TRY(
        stream.device().settle([&source](const stream_state& one) { return one.writes(source); }));
    // Another device's work is in front only where this stream waits for it.
    return ledger::is_written(source) ? stream.synchronize() : outcome{};
}

/// A copy whose host range is divided by borders of page-locked memory, or staged.
outcome transfer_divided(stream_state& stream, const host_transfer& copy,
                         const transfer_terms& terms, ledger::position& out_at) {
    std::vector<part> parts;
    SPOC_TRY(plan(copy, divide(copy.host, copy.bytes), parts));
    const bool stages =
        std::any_of(parts.begin(), parts.end(), [](const part& one) { return one.staged; });
    if (copy.to_device && stages) {
        SPOC_TRY(settle_source(stream, copy));
    }
    ledger::position at = 0;
    outcome copied = copy_parts(stream, copy, parts, terms, at);
    if (copied.ok()) {
        out_at = at;
    } else if (at != 0) {
        // Parts before the one that failed are in flight, and the caller takes its memory back.
        static_cast<void>(stream.synchronize());
    }
    return copied;
}

}  // namespace

outcome check_writable(std::byte* start, std::uint64_t bytes) {
    const auto is_read_only = [](const std::shared_ptr<host_range>& range) {
        return range != nullptr && range->is_read_only();
    };
    std::shared_ptr<host_range> within;
    bool refused = false;
    if (is_undivided({start, bytes}, within)) {
        refused = is_read_only(within);
    } else {
        const std::vector<host_piece> pieces = divide(start, bytes);
        refused = std::any_of(pieces.begin(), pieces.end(),
                              [&](const host_piece& piece) { return is_read_only(piece.within); });
    }
    return refused
               ? outcome::invalid(SPOC_SUB_VALUE, "The destination was registered as read-only.")
               : outcome{};
}

outcome transfer(stream_state& stream, const host_transfer& copy, const transfer_terms& terms,
                 ledger::position& out_at) {
    out_at = 0;
    // Nearly every copy lies in one range or in none. It takes no memory of the library's.
    std::shared_ptr<host_range> within;
    if (!is_undivided({copy.host, copy.bytes}, within)) {
        return transfer_divided(stream, copy, terms, out_at);
    }
    const spoc_device_s& device = copy.memory->device();
    const bool locked = within != nullptr && within->serves(device);
    if (!locked && copy.bytes > device.info().pageable_max) {
        return transfer_divided(stream, copy, terms, out_at);
    }
    const spoc_be_range range = locked ? range_within(copy, copy.host, copy.bytes, *within)
                                       : range_of(copy, copy.host, copy.bytes);
    work_needs needs = direct_needs(copy, terms);
    needs.uses.add(locked ? std::move(within) : nullptr);
    return copy_ranges(stream, kind_of(copy), &range, 1, std::move(needs), terms.wait, out_at);
}

outcome transfer(stream_state& stream, const device_transfer& copy, const transfer_terms& terms,
                 ledger::position& out_at) {
    spoc_be_range range{};
    range.src = copy.source->handle();
    range.src_offset = copy.source_offset;
    range.dst = copy.destination->handle();
    range.dst_offset = copy.destination_offset;
    range.bytes = copy.bytes;
    work_needs needs = common_needs(copy.destination);
    needs.uses.add(copy.source);
    const bool peer = &copy.source->device() != &copy.destination->device();
    return copy_ranges(stream, peer ? SPOC_BE_COPY_PEER : SPOC_BE_COPY_D2D, &range, 1,
                       std::move(needs), terms.wait, out_at);
}

outcome transfer(stream_state& stream, const fill_transfer& fill, const transfer_terms& terms,
                 ledger::position& out_at) {
    spoc_be_fill request{};
    request.size = sizeof request;
    request.flags = terms.wait ? SPOC_BE_WAIT : 0;
    request.buffer = fill.memory->handle();
    request.offset = fill.offset;
    request.bytes = fill.bytes;
    request.pattern = fill.pattern;
    request.pattern_size = fill.pattern_size;
    work_needs needs = common_needs(fill.memory);
    needs.span = stream.traced("fill", fill.bytes);
    SPOC_TRY(stream.enqueue(
        std::move(needs), SPOC_SUB_COPY_FAILED,
        [&](spoc_be_stream on, std::uint32_t* done, spoc_be_error* error) {
            return stream.device().table().fill(on, &request, done, error);
        },
        out_at));
    if (terms.wait && out_at != 0) {
        out_at = 0;
        return stream.synchronize();
    }
    return {};
}

}  // namespace spoc::detail
