// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Devices as small values.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <spoc/device.h>
#include <spoc/error.hpp>

namespace spoc {

/// Answer about a capability; `unknown` is never to be taken for `yes`.
enum class answer : std::uint32_t {
    no = SPOC_CAPABILITY_NO,
    yes = SPOC_CAPABILITY_YES,
    unknown = SPOC_CAPABILITY_UNKNOWN
};

/// A device. A view: cheap to copy, nothing to free, equal when it names the same device. Any
/// thread.
class device {
 public:
    explicit device(spoc_device handle) : handle_(handle) {
        info_.size = sizeof info_;
        detail::call(spoc_device_describe, handle_, &info_);
    }

    /// Global id, from 0.
    std::uint32_t id() const noexcept { return info_.id; }
    /// "cuda"
    std::string_view backend() const noexcept { return info_.backend; }
    /// "cuda:0"
    std::string_view selector() const noexcept { return info_.selector; }
    /// The driver's name for it.
    std::string_view name() const noexcept { return info_.properties->name; }
    /// Names, limits and capabilities; a figure that is not known is all-ones. Lives as long as the
    /// process.
    const spoc_be_device_info& properties() const noexcept { return *info_.properties; }
    /// The part of the framework's name before a '/': "CUDA" for "CUDA/PTX".
    std::string_view family() const noexcept {
        const std::string_view framework = info_.properties->framework;
        return framework.substr(0, framework.find('/'));
    }

    /// Bytes of device memory, empty when the driver does not say.
    std::optional<std::uint64_t> memory_total() const noexcept {
        return known(info_.properties->memory_total);
    }
    /// Bytes that are free at this moment, empty when the driver does not say. Opens the device.
    std::optional<std::uint64_t> memory_free() const {
        spoc_be_memory_info memory{};
        memory.size = sizeof memory;
        detail::call(spoc_device_memory, handle_, &memory);
        return known(memory.free);
    }

    /// Whether it is lost for this process; see `spoc_device_health`. Opens the device.
    bool is_lost() const {
        std::uint32_t health = SPOC_HEALTH_GOOD;
        detail::call(spoc_device_health, handle_, &health);
        return health == SPOC_HEALTH_LOST;
    }

    /// Answer about a capability (`SPOC_BE_CAP_*`).
    answer capability(std::uint32_t bit) const {
        std::uint32_t state = SPOC_CAPABILITY_UNKNOWN;
        detail::call(spoc_device_capability, handle_, bit, &state, static_cast<char*>(nullptr),
                     std::uint64_t{0});
        return static_cast<answer>(state);
    }

    /// The C handle.
    spoc_device get() const noexcept { return handle_; }

    friend bool operator==(const device& a, const device& b) noexcept {
        return a.handle_ == b.handle_;
    }
    friend std::strong_ordering operator<=>(const device& a, const device& b) noexcept {
        return a.id() <=> b.id();
    }

 private:
    static std::optional<std::uint64_t> known(std::uint64_t figure) noexcept {
        return figure == SPOC_BE_UNKNOWN_64 ? std::nullopt : std::optional(figure);
    }

    spoc_device handle_;
    spoc_device_info info_{};
};

/// Devices that fit a selector list (spoc/device.h), each once. Throws as `spoc_device_select`.
inline std::vector<device> select_devices(const std::string& selectors) {
    std::uint32_t count = 0;
    detail::call(spoc_device_select, selectors.c_str(), static_cast<spoc_device*>(nullptr), 0U,
                 &count);
    std::vector<spoc_device> handles(count);
    detail::call(spoc_device_select, selectors.c_str(), handles.data(), count, &count);
    return {handles.begin(), handles.end()};
}

/// Every device, by id. Throws as `spoc_device_count`.
inline std::vector<device> devices() {
    std::uint32_t count = 0;
    detail::call(spoc_device_count, &count);
    std::vector<device> list;
    for (std::uint32_t id = 0; id < count; ++id) {
        spoc_device handle = nullptr;
        detail::call(spoc_device_get, id, &handle);
        list.emplace_back(handle);
    }
    return list;
}

/// Device with global id `id`, or nothing.
inline std::optional<device> device_at(std::uint32_t id) {
    spoc_device handle = nullptr;
    detail::call(spoc_device_get, id, &handle);
    return handle == nullptr ? std::nullopt : std::optional<device>(handle);
}

/// The device to use when the program has no wish; see `spoc_device_best`.
inline device best_device() {
    spoc_device handle = nullptr;
    detail::call(spoc_device_best, &handle);
    return device(handle);
}

/// First device for which `wanted(device)` is true, by id, or nothing.
template <typename Predicate>
std::optional<device> find_device(Predicate wanted) {
    const auto list = devices();
    const auto found = std::find_if(list.begin(), list.end(), wanted);
    return found == list.end() ? std::nullopt : std::optional<device>(*found);
}

}  // namespace spoc
