// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Streams as owners; see spoc/stream.h for order, completion and threads.

#include <cstdint>
#include <utility>

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/stream.h>

namespace spoc {

/// An in-order queue of work on a device. Movable, not copyable. Its destructor does not wait: what
/// is pending goes on and keeps what it uses. A moved-from stream may only be assigned to or
/// destroyed.
class stream {
 public:
    /// Makes a stream. `flags`: `SPOC_STREAM_*`. Throws as `spoc_stream_create`.
    explicit stream(const device& where, std::uint32_t flags = 0, std::int32_t priority = 0) {
        spoc_stream_options options{};
        options.size = sizeof options;
        options.flags = flags;
        options.priority = priority;
        const spoc_stream_options* given = &options;
        detail::call(spoc_stream_create, where.get(), given, &handle_);
    }

    /// The stream on which everything runs that is given none.
    static stream default_of(const device& where) {
        stream made;
        detail::call(spoc_stream_default, where.get(), &made.handle_);
        return made;
    }

    stream(const stream&) = delete;
    stream& operator=(const stream&) = delete;
    stream(stream&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    stream& operator=(stream&& other) noexcept {
        stream taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~stream() { spoc_stream_destroy(handle_); }

    /// Waits for everything enqueued so far.
    void synchronize() const { detail::call(spoc_stream_synchronize, handle_); }

    /// Whether nothing is pending. Does not wait.
    bool idle() const {
        std::int32_t answer = 0;
        detail::call(spoc_stream_query, handle_, &answer);
        return answer != 0;
    }

    /// Starts what is held back to be batched. Does not wait.
    void flush() const { detail::call(spoc_stream_flush, handle_); }

    /// Waits and ends the stream; every later use throws `invalid_argument`.
    void close() { detail::call(spoc_stream_close, handle_); }

    device where() const {
        spoc_device found = nullptr;
        detail::call(spoc_stream_device, handle_, &found);
        return device(found);
    }

    /// The C handle; stays owned by this object.
    spoc_stream get() const noexcept { return handle_; }

 private:
    stream() noexcept = default;

    spoc_stream handle_ = nullptr;
};

/// Waits for every stream of the device.
inline void synchronize(const device& where) { detail::call(spoc_device_synchronize, where.get()); }

}  // namespace spoc
