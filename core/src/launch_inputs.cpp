// SPDX-License-Identifier: Apache-2.0

/// \file
/// Whether a kernel left alone what it was said only to read. A debugging aid: it reads those bytes
/// back before and after the launch, and waits for both.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "device.hpp"
#include "launch.hpp"
#include "log.hpp"
#include "session.hpp"
#include "text.hpp"
#include "transfer.hpp"

namespace spoc::detail {
namespace {

/// FNV-1a: every byte counts, and so does its place.
struct checksum {
    std::uint64_t sum = 0xCBF29CE484222325;

    void add(std::span<const std::byte> bytes) noexcept {
        for (const std::byte one : bytes) {
            sum = (sum ^ static_cast<std::uint64_t>(one)) * 0x100000001B3;
        }
    }
};

/// Reads `bytes` bytes back in pieces, in the order of `stream`.
outcome read_checksum(stream_state& stream, const std::shared_ptr<device_memory>& memory,
                      std::uint64_t offset, std::uint64_t bytes, std::uint64_t& out) {
    constexpr std::uint64_t most = std::uint64_t{1} << 20U;
    std::vector<std::byte> piece(std::min(bytes, most));
    checksum whole;
    for (std::uint64_t done = 0; done < bytes;) {
        const std::uint64_t count = std::min(bytes - done, most);
        const host_transfer copy{memory, offset + done, piece.data(), count, false};
        ledger::position at = 0;
        SPOC_TRY(transfer(stream, copy, {.wait = true}, at));
        whole.add(std::span(piece).first(count));
        done += count;
    }
    out = whole.sum;
    return {};
}

}  // namespace

outcome launch::watch_inputs(std::vector<watched_input>& out) const {
    for (const argument& one : arguments_.all()) {
        if (one.is_input()) {
            out.push_back({&one, one.place.memory, 0});
            SPOC_TRY(checksum_of(out.back(), out.back().before));
        }
    }
    return {};
}

outcome launch::checksum_of(const watched_input& input, std::uint64_t& out) const {
    return read_checksum(queue(), input.memory, input.what->given->offset, input.what->shown, out);
}

void launch::warn_of_written(const argument& one) const {
    const std::string what =
        one.is_vector() ? say(" (vector ", one.given->vector->describe().id, ")") : " (a buffer)";
    write_log(SPOC_BE_LOG_WARN, "core",
              say("SPOC_DEBUG=validate: the kernel of the launch with tag ", options_.tag,
                  " on device ", device_.selector(), " wrote argument ", one.given->index, what,
                  ", which it was said only to read"));
}

outcome launch::enqueue_watched(std::shared_ptr<kernel_state>&& kernel) {
    std::vector<watched_input> inputs;
    SPOC_TRY(watch_inputs(inputs));
    SPOC_TRY(enqueue(std::move(kernel)));
    for (const watched_input& one : inputs) {
        std::uint64_t after = 0;
        SPOC_TRY(checksum_of(one, after));
        if (after != one.before) {
            warn_of_written(*one.what);
        }
    }
    return {};
}

}  // namespace spoc::detail
