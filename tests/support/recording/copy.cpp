// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "access.hpp"
#include "call.hpp"
#include "entries.hpp"
#include "request.hpp"
#include "work.hpp"

namespace spoc::mock {
namespace {

bool has_host_side(std::uint32_t kind) {
    return kind == SPOC_BE_COPY_H2D || kind == SPOC_BE_COPY_D2H;
}

bool writes_buffer(std::uint32_t kind) { return kind != SPOC_BE_COPY_D2H; }

bool reads_buffer(std::uint32_t kind) { return kind != SPOC_BE_COPY_H2D; }

void write_range(spoc_mock_call& record, const spoc_be_copy& copy, std::uint32_t index) {
    const spoc_be_range& range = copy.ranges[index];
    record.range = index;
    record.bytes = range.bytes;
    if (writes_buffer(copy.kind)) {
        record.dst = range.dst->number;
        record.dst_offset = range.dst_offset;
    }
    if (reads_buffer(copy.kind)) {
        record.src = range.src->number;
        record.src_offset = range.src_offset;
        record.other_device = range.src->device->info.index;
    }
    if (has_host_side(copy.kind)) {
        record.host = range.host;
        record.hostmem = range.hostmem != nullptr ? range.hostmem->number : 0;
        record.host_offset = range.host_offset;
    }
}

/// Writes the whole of a copy down. False: `status()` is the answer, or a fault is.
bool begin(call& now, spoc_be_stream stream, const spoc_be_copy& copy) {
    now.record.kind = copy.kind;
    now.record.flags = copy.flags;
    now.record.count = copy.count;
    now.record.stream = stream->number;
    write_range(now.record, copy, 0);
    const bool goes_on = now.begin();
    for (std::uint32_t i = 1; i < copy.count && !now.quiet(); ++i) {
        spoc_mock_call range = now.record;
        write_range(range, copy, i);
        now.all.log.add_range(range);
    }
    return goes_on;
}

/// False: a breach.
bool check_host(call& now, const spoc_be_copy& copy, const spoc_be_range& range) {
    spoc_be_hostmem block = range.hostmem;
    if (block != nullptr) {
        if (!now.is_alive(*block, "block")) {
            return false;
        }
        if (range.host_offset > block->bytes || range.bytes > block->bytes - range.host_offset ||
            block->start + range.host_offset != range.host) {
            now.breach("A host range is not where its block says.");
            return false;
        }
        return true;
    }
    const spoc_be_device_info& info = range.dst != nullptr && writes_buffer(copy.kind)
                                          ? range.dst->device->info
                                          : range.src->device->info;
    const bool consumes = (copy.flags & SPOC_BE_CONSUME_HOST) != 0;
    const std::uint64_t most = consumes ? info.inline_write : info.pageable_max;
    if (range.bytes > most && most != SPOC_BE_UNKNOWN_64) {
        now.breach("More ordinary host memory than the device takes is copied (" +
                   std::to_string(range.bytes) + " bytes).");
        return false;
    }
    return true;
}

/// What a range is once it is held: host addresses, and parts of buffers that may end before it.
struct movement {
    std::optional<buffer_part> dst;
    std::optional<buffer_part> src;
    void* host = nullptr;
    std::shared_ptr<std::vector<std::byte>> consumed;  ///< instead of `host`
    spoc_be_hostmem block = nullptr;  ///< that `host` lies in; its handle's memory outlives it
    std::uint64_t block_number = 0;
    std::uint64_t bytes = 0;

    void run(state& all) const {
        if (block != nullptr && (!block->alive || block->number != block_number)) {
            all.log.breach("Held work uses page-locked memory that was let go.");
            return;
        }
        const void* from = consumed != nullptr ? consumed->data() : host;
        if (src) {
            from = src->bytes(all);
        }
        void* to = dst ? dst->bytes(all) : host;
        if (from != nullptr && to != nullptr) {
            std::memmove(to, from, bytes);
        }
    }
};

/// None: the call failed.
std::optional<movement> prepare(call& now, spoc_be_device device, const spoc_be_copy& copy,
                                const spoc_be_range& range) {
    movement made;
    made.bytes = range.bytes;
    if (writes_buffer(copy.kind)) {
        made.dst = part_of(now, range.dst, range.dst_offset, range.bytes, device);
        if (!made.dst) {
            return std::nullopt;
        }
    }
    if (reads_buffer(copy.kind)) {
        const bool is_peer = copy.kind == SPOC_BE_COPY_PEER;
        if (is_peer && range.src->device == device) {
            now.breach("Both ends of a PEER copy are on one device.");
            return std::nullopt;
        }
        made.src = part_of(now, range.src, range.src_offset, range.bytes,
                           is_peer ? range.src->device : device);
        if (!made.src) {
            return std::nullopt;
        }
    }
    if (has_host_side(copy.kind)) {
        if (!check_host(now, copy, range)) {
            return std::nullopt;
        }
        made.host = range.host;
        made.block = range.hostmem;
        made.block_number = range.hostmem != nullptr ? range.hostmem->number : 0;
        if ((copy.flags & SPOC_BE_CONSUME_HOST) != 0) {
            const auto* first = static_cast<const std::byte*>(range.host);
            made.consumed = std::make_shared<std::vector<std::byte>>(first, first + range.bytes);
        }
    }
    if (copy.kind == SPOC_BE_COPY_D2D && range.dst == range.src &&
        range.dst_offset < range.src_offset + range.bytes &&
        range.src_offset < range.dst_offset + range.bytes) {
        now.breach("Source and destination of a copy overlap.");
        return std::nullopt;
    }
    return made;
}

std::vector<operation::use> uses_of(const spoc_be_copy& copy, std::uint32_t count) {
    std::vector<operation::use> uses;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (writes_buffer(copy.kind)) {
            uses.push_back({copy.ranges[i].dst->number, true});
        }
        if (reads_buffer(copy.kind)) {
            uses.push_back({copy.ranges[i].src->number, false});
        }
    }
    return uses;
}

/// Whether a copy has to be complete when the entry returns.
bool is_complete_on_return(call& now, const spoc_be_copy& copy) {
    if ((copy.flags & SPOC_BE_WAIT) != 0) {
        return true;
    }
    if (!has_host_side(copy.kind) || (copy.flags & SPOC_BE_CONSUME_HOST) != 0) {
        return false;
    }
    if (!now.offers(SPOC_BE_CAP_COPY_ENQUEUED)) {
        return true;
    }
    const bool any_pageable =
        std::any_of(copy.ranges, copy.ranges + copy.count,
                    [](const spoc_be_range& range) { return range.hostmem == nullptr; });
    return any_pageable && now.all.set.get(SPOC_MOCK_PAGEABLE_LATE) == 0;
}

/// Enqueues the first `count` ranges and says how far they are. False: the call failed.
bool enqueue_ranges(call& now, spoc_be_stream stream, const spoc_be_copy& copy, std::uint32_t count,
                    std::uint32_t* done) {
    std::vector<movement> movements;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto made = prepare(now, stream->device, copy, copy.ranges[i]);
        if (!made) {
            return false;
        }
        movements.push_back(std::move(*made));
    }
    operation work;
    work.uses = uses_of(copy, count);
    work.run = [movements = std::move(movements), &all = now.all] {
        for (const movement& one : movements) {
            one.run(all);
        }
    };
    const bool complete = is_complete_on_return(now, copy);
    if (!enqueue(now, stream, std::move(work), complete)) {
        return false;
    }
    const bool pending = !now.quiet() && !has_run(stream, now.all.sequence);
    say_done(now, stream, complete, pending, (copy.flags & SPOC_BE_CONSUME_HOST) != 0, done);
    return true;
}

/// A copy that fails as it was told, with its first ranges on their way.
std::int32_t fail_in_part(call& now, spoc_be_stream stream, const spoc_be_copy& copy,
                          std::uint32_t* done) {
    const spoc_mock_fault& told = now.told()->told;
    const std::int32_t status = now.status();
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(told.ranges, copy.count));
    if (count > 0 && told.status != SPOC_BE_DEVICE_LOST) {
        enqueue_ranges(now, stream, copy, count, done);
        now.answer(status);
    }
    if ((told.flags & SPOC_MOCK_FAULT_DONE) != 0) {
        *done = told.done;
        stream->unproved = *done == SPOC_BE_DONE_ALL ? stream->unproved : now.all.sequence;
    }
    now.record.done = *done;
    return now.status();
}

}  // namespace

std::int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, std::uint32_t* done,
                  spoc_be_error* error) {
    const exclusive on_stream(*stream);
    call now(spoc_mock_entry_copy, stream->device, error);
    *done = SPOC_BE_DONE_ALL;
    now.record.done = *done;
    if (!begin(now, stream, *copy)) {
        return now.told() && !now.is_lost() ? fail_in_part(now, stream, *copy, done) : now.status();
    }
    if (!now.is_alive(*stream, "stream") || !on_stream.holds(now) ||
        !takes(now, copy->flags, SPOC_BE_WAIT | SPOC_BE_CONSUME_HOST, copy->ext)) {
        return now.status();
    }
    if (copy->kind > SPOC_BE_COPY_PEER) {
        return now.refuse("The mock does not know that kind of copy.");
    }
    if (copy->kind == SPOC_BE_COPY_PEER && !has(now, SPOC_BE_CAP_PEER_COPY)) {
        return now.status();
    }
    if (copy->kind != SPOC_BE_COPY_H2D && (copy->flags & SPOC_BE_CONSUME_HOST) != 0) {
        return now.breach("CONSUME_HOST is set on a copy that is not H2D.");
    }
    if (!now.quiet()) {
        submit(now.all, stream);
    }
    if (tell_late_failure(now, stream)) {
        enqueue_ranges(now, stream, *copy, copy->count, done);
    }
    return now.status();
}

std::int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, std::uint32_t* done,
                  spoc_be_error* error) {
    const exclusive on_stream(*stream);
    call now(spoc_mock_entry_fill, stream->device, error);
    *done = SPOC_BE_DONE_ALL;
    now.record.done = *done;
    now.record.flags = fill->flags;
    now.record.stream = stream->number;
    now.record.dst = fill->buffer->number;
    now.record.dst_offset = fill->offset;
    now.record.bytes = fill->bytes;
    now.record.pattern = fill->pattern;
    if (!now.begin()) {
        if (now.told() && (now.told()->told.flags & SPOC_MOCK_FAULT_DONE) != 0) {
            now.record.done = *done = now.told()->told.done;
        }
        return now.status();
    }
    if (!now.is_alive(*stream, "stream") || !on_stream.holds(now) ||
        !takes(now, fill->flags, SPOC_BE_WAIT, fill->ext)) {
        return now.status();
    }
    const auto part = part_of(now, fill->buffer, fill->offset, fill->bytes, stream->device);
    const std::uint32_t width = fill->pattern_size;
    if (!part) {
        return now.status();
    }
    if ((width != 1 && width != 2 && width != 4) || fill->offset % width != 0 ||
        fill->bytes % width != 0) {
        return now.breach("A fill does not fit its pattern.");
    }
    if (!now.quiet()) {
        submit(now.all, stream);
    }
    if (!tell_late_failure(now, stream)) {
        return now.status();
    }
    operation work;
    work.uses = {{fill->buffer->number, true}};
    work.run = [part, bytes = fill->bytes, pattern = fill->pattern, width, &all = now.all] {
        std::byte* to = part->bytes(all);
        for (std::uint64_t i = 0; to != nullptr && i < bytes; ++i) {
            to[i] = static_cast<std::byte>(pattern >> (8 * (i % width)));
        }
    };
    const bool complete = (fill->flags & SPOC_BE_WAIT) != 0;
    if (enqueue(now, stream, std::move(work), complete)) {
        const bool pending = !now.quiet() && !has_run(stream, now.all.sequence);
        say_done(now, stream, complete, pending, false, done);
    }
    return now.status();
}

std::int32_t peer_query(spoc_be_device src, spoc_be_device dst, std::uint32_t* flags,
                        spoc_be_error* error) {
    call now(spoc_mock_entry_peer_query, src, error);
    now.record.other_device = dst->info.index;
    if (!now.begin() || !has(now, SPOC_BE_CAP_PEER_COPY)) {
        return now.status();
    }
    *flags = now.all.described.peer(src->info.index, dst->info.index,
                                    static_cast<std::uint32_t>(now.all.set.get(SPOC_MOCK_PEER)));
    return now.status();
}

}  // namespace spoc::mock
