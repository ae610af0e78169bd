// SPDX-License-Identifier: Apache-2.0
#include "load_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>

namespace spoc::bench {
namespace {

constexpr std::uint64_t default_slot_bytes = std::uint64_t{16} << 20U;
/// The slots leave the rest of the free memory to other programs and to the driver itself.
constexpr std::uint64_t memory_share = 4;

std::uint64_t largest_slot(const device_limits& limits, std::uint32_t slots) {
    constexpr auto none = std::numeric_limits<std::uint64_t>::max();
    return std::min(limits.max_alloc.value_or(none),
                    limits.memory_free.value_or(none) / memory_share / slots);
}

std::string known_or_not(const std::optional<std::uint64_t>& bytes) {
    return bytes ? std::to_string(*bytes) + " bytes" : "not known";
}

[[noreturn]] void refuse(std::uint64_t wanted, std::uint64_t limit, std::uint32_t slots,
                         const device_limits& limits) {
    throw std::runtime_error("A slot of " + std::to_string(wanted) + " bytes is too large: with " +
                             std::to_string(slots) + " slots the limit is " +
                             std::to_string(limit) +
                             " bytes (largest allocation: " + known_or_not(limits.max_alloc) +
                             "; free memory: " + known_or_not(limits.memory_free) + ").");
}

}  // namespace

load_plan plan_load(const load_wish& wish, std::uint64_t file_bytes, const device_limits& limits) {
    const std::uint64_t wanted = std::min(wish.slot_bytes.value_or(default_slot_bytes), file_bytes);
    const std::uint64_t limit = largest_slot(limits, wish.slots);
    if (limit == 0 || (wish.slot_bytes && wanted > limit)) {
        refuse(wanted, limit, wish.slots, limits);
    }
    load_plan plan{file_bytes, wanted > limit ? std::bit_floor(limit) : wanted, wish.slots};
    plan.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.slots, plan.pieces()));
    return plan;
}

}  // namespace spoc::bench
