// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Page-locked host memory as owners; see spoc/host_memory.h.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <spoc/device.hpp>
#include <spoc/error.hpp>
#include <spoc/host_memory.h>
#include <spoc/owner.hpp>

namespace spoc {
namespace detail {

/// What both kinds of ranges share. Movable, not copyable. The destructor does not wait: a range
/// that work in flight touches is released when that work is proved complete.
class host_memory_handle {
 public:
    host_memory_handle(const host_memory_handle&) = delete;
    host_memory_handle& operator=(const host_memory_handle&) = delete;
    host_memory_handle(host_memory_handle&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)) {}
    host_memory_handle& operator=(host_memory_handle&& other) noexcept {
        host_memory_handle taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~host_memory_handle() { spoc_host_memory_destroy(handle_); }

    /// Frees or unregisters now; throws `invalid_argument` (busy) while work in flight touches the
    /// range, or a vector lies over allocated memory. Releasing again does nothing.
    void release() { call(spoc_host_memory_release, handle_); }

    /// Whether it was not released, and the runtime was not shut down.
    bool is_live() const noexcept {
        spoc_host_memory_info found{};
        found.size = sizeof found;
        return spoc_host_memory_describe(handle_, &found, nullptr) == SPOC_OK;
    }

    /// The C handle; stays owned by this object.
    spoc_host_memory get() const noexcept { return handle_; }

 protected:
    host_memory_handle() noexcept = default;

    /// Throws `invalid_argument` (freed) once released.
    std::span<std::byte> range() const {
        spoc_host_memory_info found{};
        found.size = sizeof found;
        call(spoc_host_memory_describe, handle_, &found);
        return {static_cast<std::byte*>(found.start), static_cast<std::size_t>(found.bytes)};
    }

    /// Where the function that makes the range puts its handle.
    spoc_host_memory* place() noexcept { return &handle_; }

 private:
    spoc_host_memory handle_ = nullptr;
};

}  // namespace detail

/// `count` page-locked elements for copies from and to a device; contents undefined.
template <typename T>
class pinned_buffer : public detail::host_memory_handle {
    static_assert(std::is_trivially_copyable_v<T>, "bytes are what moves to a device");

 public:
    /// Throws as `spoc_host_memory_allocate`.
    pinned_buffer(const device& where, std::uint64_t count) {
        const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / sizeof(T);
        // A size that overflows is more than any driver gives, and is refused as such.
        const std::uint64_t bytes =
            count > most ? std::numeric_limits<std::uint64_t>::max() : count * sizeof(T);
        detail::call(spoc_host_memory_allocate, where.get(), bytes, place());
        elements_ = {reinterpret_cast<T*>(range().data()), static_cast<std::size_t>(count)};
    }

    /// Frees now, as for every page-locked range; `elements` throws from then on.
    void release() {
        host_memory_handle::release();
        elements_ = {};
    }

    /// The elements. Throws `invalid_argument` (freed) once released. A span that was kept dangles
    /// from then on.
    std::span<T> elements() const {
        if (elements_.empty()) {
            static_cast<void>(range());
        }
        return elements_;
    }
    /// Null and 0 once released.
    T* data() const noexcept { return elements_.data(); }
    std::size_t size() const noexcept { return elements_.size(); }
    T& operator[](std::size_t index) const noexcept { return elements_[index]; }

 private:
    std::span<T> elements_;
};

/// A registration of memory that the program owns.
class host_registration : public detail::host_memory_handle {
 public:
    /// Registers `range`, which stays mapped and in place until the registration is released;
    /// `kept`, if not null, is held until then. Throws as `spoc_host_memory_register`.
    host_registration(const device& where, std::span<std::byte> range,
                      std::shared_ptr<const void> kept = nullptr)
        : host_registration(where, range.data(), range.size(), 0, std::move(kept)) {}

    /// The same for a mapping that may only be read.
    host_registration(const device& where, std::span<const std::byte> range,
                      std::shared_ptr<const void> kept = nullptr)
        : host_registration(where, const_cast<std::byte*>(range.data()), range.size(),
                            SPOC_HOST_MEMORY_READ_ONLY, std::move(kept)) {}

 private:
    host_registration(const device& where, std::byte* start, std::uint64_t bytes,
                      std::uint32_t flags, std::shared_ptr<const void> kept) {
        detail::lent_reference lent(std::move(kept));
        detail::call(spoc_host_memory_register, where.get(), static_cast<void*>(start), bytes,
                     flags, lent.get(), place());
        lent.taken();
    }
};

/// Whether a device allocates page-locked memory.
inline bool has_pinned_memory(const device& where) {
    std::int32_t answer = 0;
    detail::call(spoc_host_memory_available, where.get(), &answer);
    return answer != 0;
}

}  // namespace spoc
