// SPDX-License-Identifier: Apache-2.0

/// \file
/// What the plugin has alive and what the library counts, compared with the reference.

#include <array>

#include <spoc/stats.h>

#include "trial.hpp"

namespace spoc::model {
namespace {

struct figure {
    const char* name;
    std::uint64_t account::*wanted;
    std::uint64_t spoc_stats::*told;
};
constexpr std::array figures = {
    figure{"buffers", &account::buffers, &spoc_stats::buffers},
    figure{"bytes", &account::bytes, &spoc_stats::bytes},
    figure{"allocations", &account::allocations, &spoc_stats::allocations},
    figure{"retries", &account::retries, &spoc_stats::retries},
    figure{"frees", &account::frees, &spoc_stats::frees},
    figure{"freed_bytes", &account::freed_bytes, &spoc_stats::freed_bytes},
    figure{"auto_frees", &account::auto_frees, &spoc_stats::auto_frees},
    figure{"auto_bytes", &account::auto_bytes, &spoc_stats::auto_bytes},
    figure{"pinned", &account::pinned, &spoc_stats::pinned},
    figure{"pinned_bytes", &account::pinned_bytes, &spoc_stats::pinned_bytes},
    figure{"registered", &account::registered, &spoc_stats::registered},
    figure{"registered_bytes", &account::registered_bytes, &spoc_stats::registered_bytes},
    figure{"ring_bytes", &account::ring_bytes, &spoc_stats::ring_bytes}};

}  // namespace

void trial::compare_account(spoc_device device, const account& wanted) {
    spoc_stats told{};
    told.size = sizeof told;
    spoc_stats_get(device, &told, nullptr);
    for (const figure& one : figures) {
        expect(told.*one.told == wanted.*one.wanted,
               std::string("the account of ") + (device != nullptr ? "a device" : "the process") +
                   " has " + std::to_string(told.*one.told) + ' ' + one.name + " instead of " +
                   std::to_string(wanted.*one.wanted));
    }
    expect(told.peak_bytes >= told.bytes, "the peak is below what is held");
}

void trial::compare_accounts() {
    account whole;
    for (std::size_t i = 0; i < device_count; ++i) {
        const account& one = counts_.accounts.at(i);
        compare_account(over_.devices.at(i), one);
        for (const figure& each : figures) {
            whole.*each.wanted += one.*each.wanted;
        }
    }
    compare_account(nullptr, whole);
}

void trial::compare_alive() {
    expect(gate_.alive(SPOC_MOCK_BUFFERS) == counts_.buffers, "buffers are left or missing");
    expect(gate_.alive(SPOC_MOCK_STREAMS) == counts_.streams, "streams are left or missing");
    expect(gate_.alive(SPOC_MOCK_KERNELS) == counts_.kernels, "kernels are left or missing");
    std::uint64_t rings = 0;
    std::uint64_t marks = 0;
    for (std::size_t i = 0; i < device_count; ++i) {
        rings += counts_.accounts.at(i).ring_bytes != 0 ? 1 : 0;
        marks += rings_.at(i).marks_made();
    }
    // The library may have two staging slots, with an event each.
    const std::uint64_t blocks = gate_.alive(SPOC_MOCK_HOSTMEMS) - counts_.blocks - rings;
    const std::uint64_t events = gate_.alive(SPOC_MOCK_EVENTS) - counts_.events - marks;
    expect(blocks <= 2, "page-locked blocks are left or missing");
    expect(events <= blocks, "events are left or missing");
    for (std::size_t i = 0; i < device_count; ++i) {
        spoc_be_memory_info info{};
        info.size = sizeof info;
        spoc_device_memory(over_.devices.at(i), &info, nullptr);
        expect(info.total - info.free == counts_.bytes.at(i), "device memory is lost or missing");
    }
}

}  // namespace spoc::model
