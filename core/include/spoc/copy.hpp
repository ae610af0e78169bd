// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Byte-ranged copies over spans; see spoc/copy.h. Those without a stream are complete when they
/// return. Offsets are in bytes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <spoc/buffer.hpp>
#include <spoc/copy.h>
#include <spoc/error.hpp>
#include <spoc/owner.hpp>
#include <spoc/stream.hpp>

namespace spoc {

/// Copies all of `source` into `destination`, from byte `destination_offset` on.
inline void copy_to_device(std::span<const std::byte> source, const buffer& destination,
                           std::uint64_t destination_offset = 0) {
    detail::call(spoc_copy_to_device, static_cast<const void*>(source.data()),
                 std::uint64_t{source.size()}, destination.get(), destination_offset);
}

/// Fills all of `destination` from `source`, from byte `source_offset` on.
inline void copy_to_host(const buffer& source, std::uint64_t source_offset,
                         std::span<std::byte> destination) {
    detail::call(spoc_copy_to_host, source.get(), source_offset,
                 static_cast<void*>(destination.data()), std::uint64_t{destination.size()});
}

/// Copies `bytes` bytes between buffers of one device, or of two where the driver copies between
/// them.
inline void copy_on_device(const buffer& source, std::uint64_t source_offset,
                           const buffer& destination, std::uint64_t destination_offset,
                           std::uint64_t bytes) {
    detail::call(spoc_copy_on_device, source.get(), source_offset, destination.get(),
                 destination_offset, bytes);
}

/// Fills `bytes` bytes with a pattern of 1, 2 or 4 bytes, chosen by its type.
template <typename Pattern>
requires(std::is_unsigned_v<Pattern> &&
         sizeof(Pattern) <= 4) void fill(const buffer& destination, std::uint64_t offset,
                                         std::uint64_t bytes, Pattern pattern) {
    detail::call(spoc_fill, destination.get(), offset, bytes, std::uint32_t{pattern},
                 std::uint32_t{sizeof(Pattern)});
}

/* ---- On a stream: see spoc/copy.h. `kept`, if not null, is held until the copy is proved
 * complete; else the caller keeps the host memory alive and as it is. ---- */

inline void copy_to_device(const stream& on, std::span<const std::byte> source,
                           const buffer& destination, std::uint64_t destination_offset = 0,
                           std::shared_ptr<const void> kept = nullptr) {
    detail::lent_reference lent(std::move(kept));
    detail::call(spoc_enqueue_copy_to_device, on.get(), static_cast<const void*>(source.data()),
                 std::uint64_t{source.size()}, destination.get(), destination_offset, lent.get());
    lent.taken();
}

/// Writes at most `SPOC_MOST_STAGED_BYTES` bytes; the source may change when it returns.
inline void stage(const stream& on, std::span<const std::byte> source, const buffer& destination,
                  std::uint64_t destination_offset = 0) {
    detail::call(spoc_enqueue_staged, on.get(), static_cast<const void*>(source.data()),
                 std::uint64_t{source.size()}, destination.get(), destination_offset);
}

inline void copy_to_host(const stream& on, const buffer& source, std::uint64_t source_offset,
                         std::span<std::byte> destination,
                         std::shared_ptr<const void> kept = nullptr) {
    detail::lent_reference lent(std::move(kept));
    detail::call(spoc_enqueue_copy_to_host, on.get(), source.get(), source_offset,
                 static_cast<void*>(destination.data()), std::uint64_t{destination.size()},
                 lent.get());
    lent.taken();
}

inline void copy_on_device(const stream& on, const buffer& source, std::uint64_t source_offset,
                           const buffer& destination, std::uint64_t destination_offset,
                           std::uint64_t bytes) {
    detail::call(spoc_enqueue_copy_on_device, on.get(), source.get(), source_offset,
                 destination.get(), destination_offset, bytes);
}

template <typename Pattern>
requires(std::is_unsigned_v<Pattern> &&
         sizeof(Pattern) <= 4) void fill(const stream& on, const buffer& destination,
                                         std::uint64_t offset, std::uint64_t bytes,
                                         Pattern pattern) {
    detail::call(spoc_enqueue_fill, on.get(), destination.get(), offset, bytes,
                 std::uint32_t{pattern}, std::uint32_t{sizeof(Pattern)});
}

}  // namespace spoc
