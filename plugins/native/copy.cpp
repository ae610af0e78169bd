// SPDX-License-Identifier: Apache-2.0
#include "copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "common/request.hpp"
#include "memory.hpp"
#include "stream.hpp"

namespace spoc::native {
namespace {

void visit_buffers(const spoc_be_copy& copy, void (*visit)(spoc_be_buffer)) {
    for (uint32_t i = 0; i < copy.count; ++i) {
        if (copy.kind != SPOC_BE_COPY_D2H) {
            visit(copy.ranges[i].dst);
        }
        if (copy.kind != SPOC_BE_COPY_H2D) {
            visit(copy.ranges[i].src);
        }
    }
}

void visit_buffers(const spoc_be_fill& fill, void (*visit)(spoc_be_buffer)) { visit(fill.buffer); }

void copy_range(uint32_t kind, const spoc_be_range& range) {
    void* dst = kind == SPOC_BE_COPY_D2H ? range.host : range.dst->bytes + range.dst_offset;
    const void* src = kind == SPOC_BE_COPY_H2D ? range.host : range.src->bytes + range.src_offset;
    std::memcpy(dst, src, range.bytes);
}

/// Repeats the `have` bytes at `start` until there are `want`.
void repeat(std::byte* start, std::size_t have, std::size_t want) {
    while (have < want) {
        const std::size_t step = std::min(have, want - have);
        std::memcpy(start + have, start, step);
        have += step;
    }
}

void repeat_pattern(std::byte* start, std::size_t bytes, const spoc_be_fill& fill) {
    // A source of this size stays in the nearest cache, so that memory is only written.
    constexpr std::size_t block = 4096;
    const std::size_t first = std::min(bytes, block);
    std::memcpy(start, &fill.pattern, fill.pattern_size);
    repeat(start, fill.pattern_size, first);
    for (std::size_t at = first; at < bytes; at += block) {
        std::memcpy(start + at, start, std::min(block, bytes - at));
    }
}

/// Whether the pattern is one byte repeated.
bool is_uniform(const spoc_be_fill& fill) {
    const uint32_t repeated = (fill.pattern & 0xFFU) * 0x01010101U;
    return std::memcmp(&fill.pattern, &repeated, fill.pattern_size) == 0;
}

}  // namespace

int32_t copy(spoc_be_stream stream, const spoc_be_copy* copy, uint32_t* done,
             spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const int32_t status = plugin::check_request(
            copy->flags, SPOC_BE_WAIT | SPOC_BE_CONSUME_HOST, copy->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    if (copy->kind > SPOC_BE_COPY_D2D) {
        return plugin::fail(error, {.status = SPOC_BE_UNSUPPORTED},
                            "The backend makes no copy of this kind (%u).", copy->kind);
    }
    const stream_work work(stream);
    const buffers_kept<spoc_be_copy, visit_buffers> kept(*copy);
    std::for_each_n(copy->ranges, copy->count,
                    [kind = copy->kind](const spoc_be_range& range) { copy_range(kind, range); });
    return SPOC_BE_OK;
}

int32_t fill(spoc_be_stream stream, const spoc_be_fill* fill, uint32_t* done,
             spoc_be_error* error) {
    *done = SPOC_BE_DONE_ALL;
    if (const int32_t status = plugin::check_request(fill->flags, SPOC_BE_WAIT, fill->ext, error);
        status != SPOC_BE_OK) {
        return status;
    }
    const stream_work work(stream);
    const buffers_kept<spoc_be_fill, visit_buffers> kept(*fill);
    std::byte* start = fill->buffer->bytes + fill->offset;
    if (is_uniform(*fill)) {
        std::memset(start, static_cast<int>(fill->pattern & 0xFFU), fill->bytes);
    } else {
        repeat_pattern(start, fill->bytes, *fill);
    }
    return SPOC_BE_OK;
}

}  // namespace spoc::native
