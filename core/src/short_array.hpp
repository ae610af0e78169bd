// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace spoc::detail {

/// So many elements, of which up to `Few` take no memory. Room for more of them costs nothing:
/// only as many as there are begin and end.
template <typename T, std::size_t Few>
class short_array {
 public:
    explicit short_array(std::size_t count)
        : all_(count > Few ? std::allocator<T>().allocate(count) : reinterpret_cast<T*>(few_),
               count) {
        static_assert(std::is_nothrow_default_constructible_v<T>);
        if constexpr (std::is_trivially_default_constructible_v<T>) {
            std::uninitialized_value_construct(all_.begin(), all_.end());
        } else {
            // To value-initialise what sets its members itself is to write it twice.
            std::uninitialized_default_construct(all_.begin(), all_.end());
        }
    }
    short_array(const short_array&) = delete;
    short_array& operator=(const short_array&) = delete;
    ~short_array() {
        std::destroy(all_.begin(), all_.end());
        if (all_.size() > Few) {
            std::allocator<T>().deallocate(all_.data(), all_.size());
        }
    }

    std::span<T> all() noexcept { return all_; }
    std::span<const T> all() const noexcept { return all_; }
    T& operator[](std::size_t index) noexcept { return all_[index]; }
    std::size_t size() const noexcept { return all_.size(); }

 private:
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
    alignas(T) std::byte few_[Few * sizeof(T)];
    const std::span<T> all_;
};

}  // namespace spoc::detail
