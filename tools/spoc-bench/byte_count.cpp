// SPDX-License-Identifier: Apache-2.0
#include "byte_count.hpp"

#include <charconv>
#include <limits>
#include <system_error>

namespace spoc::bench {
namespace {

/// Bits that a unit shifts by, empty when there is no such unit.
std::optional<unsigned> unit_shift(std::string_view unit) {
    if (unit.empty()) {
        return 0U;
    }
    if (unit.size() > 1) {
        return std::nullopt;
    }
    switch (unit.front()) {
        case 'k':
        case 'K':
            return 10U;
        case 'm':
        case 'M':
            return 20U;
        case 'g':
        case 'G':
            return 30U;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<std::uint64_t> parse_byte_count(std::string_view text) {
    const char* const end = text.data() + text.size();
    std::uint64_t count = 0;
    const auto number = std::from_chars(text.data(), end, count);
    if (number.ec != std::errc() || count == 0) {
        return std::nullopt;
    }
    const auto shift = unit_shift({number.ptr, static_cast<std::size_t>(end - number.ptr)});
    if (!shift || count > (std::numeric_limits<std::uint64_t>::max() >> *shift)) {
        return std::nullopt;
    }
    return count << *shift;
}

}  // namespace spoc::bench
