// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace spoc::detail {

/// So many elements, of which up to `Few` take no memory.
template <typename T, std::size_t Few>
class short_array {
 public:
    explicit short_array(std::size_t count)
        : many_(count > Few ? count : 0),
          all_(count > Few ? std::span<T>(many_) : std::span<T>(few_).first(count)) {}
    short_array(const short_array&) = delete;
    short_array& operator=(const short_array&) = delete;

    std::span<T> all() noexcept { return all_; }
    std::span<const T> all() const noexcept { return all_; }
    T& operator[](std::size_t index) noexcept { return all_[index]; }
    std::size_t size() const noexcept { return all_.size(); }

 private:
    std::array<T, Few> few_{};
    std::vector<T> many_;
    std::span<T> all_;
};

}  // namespace spoc::detail
