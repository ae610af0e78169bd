// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "host_bytes.hpp"

namespace spoc::detail {

/// A number for each byte of the address space, 0 at first: that of the last range painted over it.
/// Ranges are painted with rising numbers. Each range adds at most two borders, and those that it
/// covers go, so that painting takes the logarithm of how many there are, in the long run.
class painted_bytes {
 public:
    /// Gives `range` this number. Throws `std::bad_alloc`; then what was painted before is there no
    /// more.
    void paint(const host_bytes& range, std::uint64_t number);
    /// The highest number in `range`.
    std::uint64_t highest(const host_bytes& range) const noexcept;
    /// Numbers below `least` may be taken for 0 from now on.
    void forget_below(std::uint64_t least) noexcept;

    /// How many ranges are kept apart.
    std::size_t size() const noexcept { return pieces_.size(); }

 private:
    struct piece {
        std::uintptr_t end;
        std::uint64_t number;
    };
    using pieces = std::map<std::uintptr_t, piece>;

    /// The first piece that ends behind `at`.
    pieces::const_iterator first_behind(std::uintptr_t at) const noexcept;
    /// Has no piece lie on both sides of `at`.
    void divide(std::uintptr_t at);

    pieces pieces_;  ///< by their first byte; they do not overlap
};

}  // namespace spoc::detail
