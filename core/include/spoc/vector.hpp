// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Vectors as owners; see spoc/vector.h for states, implicit paths, automatic synchronisation and
/// threads.

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/owner.hpp>
#include <spoc/stream.hpp>
#include <spoc/vector.h>

namespace spoc {

/// A 16-bit float as it is stored; the library computes nothing with it.
struct float16 {
    std::uint16_t bits;
};

namespace detail {

template <typename T>
constexpr std::uint32_t element_kind() noexcept {
    if constexpr (std::is_same_v<T, float16>) {
        return SPOC_KIND_FLOAT16;
    } else if constexpr (std::is_same_v<T, float>) {
        return SPOC_KIND_FLOAT32;
    } else if constexpr (std::is_same_v<T, double>) {
        return SPOC_KIND_FLOAT64;
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        return SPOC_KIND_COMPLEX32;
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return SPOC_KIND_INT32;
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8) {
        return SPOC_KIND_INT64;
    } else if constexpr (sizeof(T) == 1 &&
                         (std::is_integral_v<T> || std::is_same_v<T, std::byte>)) {
        return SPOC_KIND_UINT8;
    } else {
        return SPOC_KIND_RECORD;
    }
}

inline void check_index(std::uint64_t index, std::uint64_t count) {
    if (index < count) {
        return;
    }
    spoc_error record{};
    record.size = sizeof record;
    record.status = SPOC_INVALID_ARGUMENT;
    record.sub_code = SPOC_SUB_BOUNDS;
    static_cast<void>(std::snprintf(
        record.message, sizeof record.message, "The vector has no element %llu; it has %llu.",
        static_cast<unsigned long long>(index), static_cast<unsigned long long>(count)));
    raise(record);
}

/// What vectors of every kind have. Movable, not copyable: it owns the vector. A moved-from one may
/// only be assigned to or destroyed.
class vector_owner {
 public:
    vector_owner(const vector_owner&) = delete;
    vector_owner& operator=(const vector_owner&) = delete;
    vector_owner(vector_owner&& other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    vector_owner& operator=(vector_owner&& other) noexcept {
        vector_owner taken(std::move(other));
        std::swap(handle, taken.handle);
        return *this;
    }
    /// Never waits: memory that enqueued work uses is left to it.
    ~vector_owner() { spoc_vector_destroy(handle); }

    /// What it is at this moment.
    spoc_vector_info info() const {
        spoc_vector_info found{};
        found.size = sizeof found;
        call(spoc_vector_describe, handle, &found);
        return found;
    }
    std::uint64_t size() const { return info().count; }
    /// `SPOC_LOCATION_*`.
    std::uint32_t location() const { return info().location; }
    /// The device that the location names; nothing for HOST.
    std::optional<device> named_device() const {
        const spoc_device named = info().device;
        return named == nullptr ? std::nullopt : std::optional<device>(named);
    }
    /// Whether the host's copy is up to date.
    bool is_on_host() const { return !needs_host_update(); }
    /// Whether the copy on the named device is.
    bool is_on_device() const {
        const std::uint32_t state = location();
        return state != SPOC_LOCATION_HOST && state != SPOC_LOCATION_STALE_DEVICE;
    }
    /// Whether both are.
    bool is_synced() const { return location() == SPOC_LOCATION_BOTH; }
    /// Whether the host's copy is newer than the device's.
    bool needs_device_update() const { return location() == SPOC_LOCATION_STALE_DEVICE; }
    /// Whether the device's copy is newer than the host's, or the only one.
    bool needs_host_update() const {
        const std::uint32_t state = location();
        return state == SPOC_LOCATION_DEVICE || state == SPOC_LOCATION_STALE_HOST;
    }
    /// Unique in the process, and the same after a move.
    std::uint64_t id() const { return info().id; }

    /// `SPOC_LINK_*` of its buffer there.
    std::uint32_t link(const device& where) const {
        std::uint32_t found = 0;
        call(spoc_vector_link, handle, where.get(), &found);
        return found;
    }
    bool has_buffer(const device& where) const { return link(where) != SPOC_LINK_NONE; }

    /// Frees the buffer there, after what only it holds was read back; throws `invalid_argument`
    /// (busy) while work in flight uses it.
    void free_buffer(const device& where) { call(spoc_vector_free_buffer, handle, where.get()); }
    /// The same on every device.
    void free_all_buffers() { call(spoc_vector_free_all_buffers, handle); }

    /// Copies bytes into the copy that is up to date on a device, from byte `offset` on; complete
    /// when it returns.
    void write_bytes(std::uint64_t offset, std::span<const std::byte> source) {
        call(spoc_vector_write_range, handle, offset, static_cast<const void*>(source.data()),
             std::uint64_t{source.size()}, spoc_stream{nullptr},
             static_cast<const spoc_owner*>(nullptr));
    }
    /// Enqueues it. `kept`, if not null, is held until the copy is proved complete; else the caller
    /// keeps the source alive and as it is.
    void write_bytes(const stream& on, std::uint64_t offset, std::span<const std::byte> source,
                     std::shared_ptr<const void> kept = nullptr) {
        lent_reference lent(std::move(kept));
        call(spoc_vector_write_range, handle, offset, static_cast<const void*>(source.data()),
             std::uint64_t{source.size()}, on.get(), lent.get());
        lent.taken();
    }
    /// Writes at most `SPOC_MOST_STAGED_BYTES` bytes into that copy without waiting for the device;
    /// the source may change when it returns. See `spoc_vector_stage`.
    void stage_bytes(std::uint64_t offset, std::span<const std::byte> source) {
        call(spoc_vector_stage, handle, offset, static_cast<const void*>(source.data()),
             std::uint64_t{source.size()}, spoc_stream{nullptr});
    }
    /// The same in the order of a stream.
    void stage_bytes(const stream& on, std::uint64_t offset, std::span<const std::byte> source) {
        call(spoc_vector_stage, handle, offset, static_cast<const void*>(source.data()),
             std::uint64_t{source.size()}, on.get());
    }
    /// Copies bytes out of that copy, from byte `offset` on.
    void read_bytes(std::uint64_t offset, std::span<std::byte> destination) const {
        call(spoc_vector_read_range, handle, offset, static_cast<void*>(destination.data()),
             std::uint64_t{destination.size()}, spoc_stream{nullptr},
             static_cast<const spoc_owner*>(nullptr));
    }
    void read_bytes(const stream& on, std::uint64_t offset, std::span<std::byte> destination,
                    std::shared_ptr<const void> kept = nullptr) const {
        lent_reference lent(std::move(kept));
        call(spoc_vector_read_range, handle, offset, static_cast<void*>(destination.data()),
             std::uint64_t{destination.size()}, on.get(), lent.get());
        lent.taken();
    }

    /// The C handle; stays owned by this object.
    spoc_vector get() const noexcept { return handle; }

 protected:
    vector_owner() noexcept = default;

    spoc_vector handle = nullptr;
};

/// `vector_owner` with elements of one type. Offsets are in elements.
template <typename T>
class typed_vector : public vector_owner {
    static_assert(std::is_trivially_copyable_v<T>, "elements are copied byte by byte");

 public:
    /// See `write_bytes`.
    void write_range(std::uint64_t first, std::span<const T> source) {
        write_bytes(byte_of(first), std::as_bytes(source));
    }
    void write_range(const stream& on, std::uint64_t first, std::span<const T> source,
                     std::shared_ptr<const void> kept = nullptr) {
        write_bytes(on, byte_of(first), std::as_bytes(source), std::move(kept));
    }
    /// See `stage_bytes`.
    void stage(std::uint64_t first, std::span<const T> source) {
        stage_bytes(first * sizeof(T), std::as_bytes(source));
    }
    void stage(const stream& on, std::uint64_t first, std::span<const T> source) {
        stage_bytes(on, first * sizeof(T), std::as_bytes(source));
    }
    /// See `read_bytes`.
    void read_range(std::uint64_t first, std::span<T> destination) const {
        read_bytes(byte_of(first), std::as_writable_bytes(destination));
    }
    void read_range(const stream& on, std::uint64_t first, std::span<T> destination,
                    std::shared_ptr<const void> kept = nullptr) const {
        read_bytes(on, byte_of(first), std::as_writable_bytes(destination), std::move(kept));
    }

 protected:
    static constexpr std::uint32_t kind = element_kind<T>();
    static constexpr std::uint64_t element_bytes = sizeof(T);

 private:
    /// Offset of an element; past every end where the product overflows.
    static constexpr std::uint64_t byte_of(std::uint64_t element) noexcept {
        return element > UINT64_MAX / sizeof(T) ? UINT64_MAX : element * sizeof(T);
    }
};

}  // namespace detail

/// The host's copy of a vector while it is being written. Until this ends, transfers of the vector
/// throw `invalid_argument` (busy). It must end before the vector, which must not be moved.
template <typename T>
class host_writer {
 public:
    host_writer(const host_writer&) = delete;
    host_writer& operator=(const host_writer&) = delete;
    ~host_writer() { spoc_vector_end_write(handle_, nullptr); }

    std::span<T> span() const noexcept { return elements_; }
    T& operator[](std::size_t index) const noexcept { return elements_[index]; }

 private:
    template <typename>
    friend class vector;
    host_writer(spoc_vector handle, std::span<T> elements) noexcept
        : handle_(handle), elements_(elements) {}

    spoc_vector handle_;
    std::span<T> elements_;
};

/// Elements that the host and devices each may hold a copy of.
template <typename T>
class vector : public detail::typed_vector<T> {
    using base = detail::typed_vector<T>;

 public:
    /// `count` elements, contents undefined.
    explicit vector(std::uint64_t count) { create(count, nullptr); }
    /// That will be used on `hint`; no device memory is taken yet.
    vector(std::uint64_t count, const device& hint) { create(count, hint.get()); }

    /// Over memory that stays the caller's; `kept`, if not null, is held as long as it is needed.
    static vector over(std::span<T> host, std::shared_ptr<const void> kept = nullptr) {
        vector made;
        detail::lent_reference lent(std::move(kept));
        detail::call(spoc_vector_create_over, base::kind, base::element_bytes,
                     std::uint64_t{host.size()}, static_cast<void*>(host.data()), lent.get(),
                     &made.handle);
        lent.taken();
        return made;
    }

    /// All elements, up to date, to be read until the vector is next written by anything.
    std::span<const T> read() const {
        const void* data = nullptr;
        detail::call(spoc_vector_read, handle, &data);
        return {static_cast<const T*>(data), static_cast<std::size_t>(this->size())};
    }
    /// All elements, up to date, to be written.
    host_writer<T> write() { return begin_write(0); }
    /// The same where every element will be written: the old ones are not brought here first.
    host_writer<T> overwrite() { return begin_write(SPOC_WRITE_ALL); }
    /// The host's memory as it is, whatever the state.
    std::span<T> host_unsynced() const {
        void* data = nullptr;
        detail::call(spoc_vector_host_unsynced, handle, &data);
        return {static_cast<T*>(data), static_cast<std::size_t>(this->size())};
    }

    /// One element. May bring the whole vector to the host.
    T at(std::uint64_t index) const {
        detail::check_index(index, this->size());
        return read()[static_cast<std::size_t>(index)];
    }
    /// Likewise.
    void set(std::uint64_t index, const T& value) {
        detail::check_index(index, this->size());
        write()[static_cast<std::size_t>(index)] = value;
    }
    /// Writes every element on the host.
    void fill(const T& value) {
        const host_writer<T> writer = overwrite();
        for (T& element : writer.span()) {
            element = value;
        }
    }

    /// Makes the copy there up to date.
    void to_device(const device& where) {
        detail::call(spoc_vector_to_device, handle, where.get());
    }
    /// Makes the host's copy up to date; with `force` it is read back also when it already is.
    void to_host(bool force = false) {
        detail::call(spoc_vector_to_host, handle, std::int32_t{force});
    }
    /// Makes both copies up to date.
    void sync() { detail::call(spoc_vector_sync, handle); }

    /// Elements `first` to `first + count` as a vector that shares the host's memory and has its
    /// own buffers and location; see `spoc_vector_view` for what holds between the two.
    vector view(std::uint64_t first, std::uint64_t count) const {
        return make_view(first, count, nullptr);
    }
    /// That will be used on `hint`; no device memory is taken yet.
    vector view(std::uint64_t first, std::uint64_t count, const device& hint) const {
        return make_view(first, count, hint.get());
    }
    /// Brings to the host what views have newer on devices, so that this vector can be used again.
    void gather() { detail::call(spoc_vector_gather, handle); }

    /// A vector with host storage of its own that holds the same.
    vector copy() const {
        vector made;
        detail::call(spoc_vector_copy, handle, &made.handle);
        return made;
    }

    /// The vector's own switch for bringing old host copies up to date without being asked to.
    void set_auto_sync(bool on) {
        detail::call(spoc_vector_set_auto_sync, handle, std::int32_t{on});
    }

 protected:
    using base::handle;

    /// No vector yet: for those that make it in another way.
    vector() noexcept = default;

 private:
    vector make_view(std::uint64_t first, std::uint64_t count, spoc_device hint) const {
        vector made;
        detail::call(spoc_vector_view, handle, first, count, hint, &made.handle);
        return made;
    }
    void create(std::uint64_t count, spoc_device hint) {
        detail::call(spoc_vector_create, base::kind, base::element_bytes, count, hint, &handle);
    }
    host_writer<T> begin_write(std::uint32_t flags) {
        void* data = nullptr;
        const std::size_t count = static_cast<std::size_t>(this->size());
        detail::call(spoc_vector_begin_write, handle, flags, &data);
        return {handle, std::span<T>(static_cast<T*>(data), count)};
    }
};

/// Copies elements of the host's copies; see `spoc_vector_blit`.
template <typename T>
void blit(const vector<T>& source, std::uint64_t source_first, vector<T>& destination,
          std::uint64_t destination_first, std::uint64_t count) {
    detail::call(spoc_vector_blit, source.get(), source_first, destination.get(), destination_first,
                 count);
}

/// Views that cover a vector, one for each device and meant for it, as equal in length as can be:
/// the first ones have one element more. No devices: no views.
template <typename T>
std::vector<vector<T>> partition(const vector<T>& whole, std::span<const device> devices) {
    std::vector<vector<T>> parts;
    parts.reserve(devices.size());
    const std::uint64_t count = whole.size();
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const std::uint64_t more = i < count % devices.size() ? 1 : 0;
        const std::uint64_t length = count / devices.size() + more;
        parts.push_back(whole.view(first, length, devices[i]));
        first += length;
    }
    return parts;
}

/// Elements that live on one device alone.
template <typename T>
class device_vector : public detail::typed_vector<T> {
 public:
    /// Takes the memory; contents are undefined. Throws as `spoc_vector_create_device_only`.
    device_vector(const device& where, std::uint64_t count) {
        using base = detail::typed_vector<T>;
        detail::call(spoc_vector_create_device_only, where.get(), base::kind, base::element_bytes,
                     count, &this->handle);
    }
};

/// Sets the process's switch for bringing old host copies up to date without being asked to.
inline void set_auto_sync(bool on) noexcept { spoc_set_auto_sync(std::int32_t{on}); }

}  // namespace spoc
