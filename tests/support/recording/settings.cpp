// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "common/status.hpp"

namespace spoc::mock {
namespace {

struct setting_key {
    std::uint32_t setting;
    const char* key;
    std::uint64_t first;
};

#define SPOC_MOCK_KEY(name, key, first) {SPOC_MOCK_##name, "mock." #key, (first)},
constexpr setting_key setting_keys[] = {SPOC_MOCK_SETTING_LIST(SPOC_MOCK_KEY)};
#undef SPOC_MOCK_KEY

constexpr std::uint32_t discrete_capabilities[] = {
    SPOC_BE_CAP_BUFFER_TRACKED,
    SPOC_BE_CAP_MEMORY_FREE,
    SPOC_BE_CAP_PINNED,
    SPOC_BE_CAP_PINNED_PORTABLE,
    SPOC_BE_CAP_REGISTER,
    SPOC_BE_CAP_REGISTER_READ_ONLY,
    SPOC_BE_CAP_HOST_QUERY,
    SPOC_BE_CAP_COPY_ENQUEUED,
    SPOC_BE_CAP_COPY_BATCH,
    SPOC_BE_CAP_COPY_OVERLAP,
    SPOC_BE_CAP_PEER_COPY,
    SPOC_BE_CAP_STREAM_BLOCKING,
    SPOC_BE_CAP_STREAM_CONCURRENT,
    SPOC_BE_CAP_EVENT_WAIT_DEVICE,
    SPOC_BE_CAP_EVENT_TIMING,
    SPOC_BE_CAP_TIMED_WAIT,
    SPOC_BE_CAP_LAUNCH_ENQUEUED,
    SPOC_BE_CAP_FREE_BLOCK,
    SPOC_BE_CAP_DYNAMIC_SHARED,
    SPOC_BE_CAP_LOCAL_ARGS,
    SPOC_BE_CAP_ARG_OFFSET,
    SPOC_BE_CAP_REFLECTION,
    SPOC_BE_CAP_PROGRAM_BINARY,
    SPOC_BE_CAP_FP64,
    SPOC_BE_CAP_INT64,
};

constexpr std::uint32_t minimal_capabilities[] = {
    SPOC_BE_CAP_COPY_ENQUEUED, SPOC_BE_CAP_STREAM_CONCURRENT, SPOC_BE_CAP_EVENT_WAIT_DEVICE,
    SPOC_BE_CAP_TIMED_WAIT};

void describe_limits(spoc_be_device_info& info) {
    info.memory_total = std::uint64_t{1} << 30;
    info.max_alloc = std::uint64_t{1} << 28;
    info.max_binding = info.max_alloc;
    info.max_pinned = SPOC_BE_NO_LIMIT;
    info.pageable_max = SPOC_BE_NO_LIMIT;
    info.inline_write = 65536;
    info.shared_per_block = 49152;
    info.arg_bytes = 4096;
    info.timer_ns = 1;
    info.arg_buffers = 32;
    info.max_block_threads = 1024;
    std::fill(std::begin(info.max_block), std::end(info.max_block), 1024U);
    info.max_grid[0] = 0x7FFFFFFF;
    info.max_grid[1] = info.max_grid[2] = 65535;
    info.subgroup = 32;
    info.compute_units = 4;
    info.clock_khz = SPOC_BE_UNKNOWN_32;
    info.registers_per_block = SPOC_BE_UNKNOWN_32;
    info.queues = 4;
    info.copy_engines = 2;
    info.host_ptr_align = 1;
    info.register_align = 1;
    info.arg_offset_align = 4;
    info.inline_align = 1;
    info.copy_align = 1;
}

void describe_identity(spoc_be_device_info& info) {
    plugin::copy_text(info.name, "Mock device");
    plugin::copy_text(info.vendor, "SPOC");
    plugin::copy_text(info.arch, "mock_1");
    plugin::copy_text(info.driver, "mock 1.0");
    plugin::copy_text(info.framework, "Mock/Test");
    info.vendor_id = SPOC_BE_UNKNOWN_32;
    info.device_id = SPOC_BE_UNKNOWN_32;
    info.driver_id = SPOC_BE_UNKNOWN_32;
    info.numa_node = SPOC_BE_NUMA_UNKNOWN;
    info.compute_major = SPOC_BE_UNKNOWN_32;
    info.compute_minor = SPOC_BE_UNKNOWN_32;
}

/// Calls `take` for each element of a list such as "8,9,10".
template <typename Function>
void for_each_number(const char* text, Function take) {
    while (text != nullptr && *text != '\0') {
        char* end = nullptr;
        const std::uint64_t number = std::strtoull(text, &end, 0);
        if (end == text) {
            return;
        }
        take(number);
        text = *end == ',' ? end + 1 : end;
    }
}

std::uint32_t kind_of(std::string_view text) {
    constexpr std::pair<std::string_view, std::uint32_t> kinds[] = {
        {"cpu", SPOC_BE_KIND_CPU},
        {"integrated", SPOC_BE_KIND_INTEGRATED},
        {"discrete", SPOC_BE_KIND_DISCRETE}};
    const auto* found = std::find_if(std::begin(kinds), std::end(kinds),
                                     [text](const auto& kind) { return kind.first == text; });
    return found == std::end(kinds) ? SPOC_BE_KIND_UNKNOWN : found->second;
}

void configure_device(spoc_be_device_info& info, const spoc_be_host& host) {
    const auto value = [&host](const char* key) { return host.config(host.ctx, key); };
    if (const char* kind = value("mock.kind")) {
        info = describe(kind_of(kind), is_minimal);
    }
    if (const char* framework = value("mock.framework")) {
        plugin::copy_text(info.framework, framework);
    }
    const auto number = [&value](const char* key, auto& member) {
        for_each_number(value(key), [&member](std::uint64_t given) {
            member = static_cast<std::remove_reference_t<decltype(member)>>(given);
        });
    };
    number("mock.memory", info.memory_total);
    number("mock.max_alloc", info.max_alloc);
    number("mock.max_binding", info.max_binding);
    number("mock.pageable_max", info.pageable_max);
    number("mock.inline_write", info.inline_write);
    number("mock.arg_offset_align", info.arg_offset_align);
    number("mock.register_align", info.register_align);
    number("mock.formats", info.formats);
    constexpr std::pair<const char*, std::uint32_t> answers[] = {
        {"mock.yes", SPOC_MOCK_YES},
        {"mock.no", SPOC_MOCK_NO},
        {"mock.unknown", SPOC_MOCK_UNKNOWN}};
    for (const auto& [key, answer] : answers) {
        for_each_number(value(key), [&info, given = answer](std::uint64_t capability) {
            set_capability(info, static_cast<std::uint32_t>(capability), given);
        });
    }
}

}  // namespace

void settings::reset() {
    for (const setting_key& one : setting_keys) {
        values_.at(one.setting) = one.first;
    }
}

void settings::configure(const spoc_be_host& host) {
    for (const setting_key& one : setting_keys) {
        for_each_number(host.config(host.ctx, one.key),
                        [&](std::uint64_t value) { set(one.setting, value); });
    }
}

void description::reset() {
    count = 0;
    set_count(1);
    peers.clear();
    report = {};
    report.size = sizeof report;
    report.device_count = SPOC_BE_UNKNOWN_32;
    std::fill(std::begin(report.driver_version), std::end(report.driver_version),
              SPOC_BE_UNKNOWN_32);
    std::fill(std::begin(report.driver_minimum), std::end(report.driver_minimum),
              SPOC_BE_UNKNOWN_32);
    plugin::copy_text(report.driver_name, "mock");
}

void description::set_count(std::uint32_t wanted) {
    wanted = std::min(wanted, static_cast<std::uint32_t>(devices.size()));
    for (; count < wanted; ++count) {
        devices.at(count) = describe(SPOC_BE_KIND_DISCRETE, is_minimal);
    }
    count = wanted;
}

void description::configure(const spoc_be_host& host) {
    for_each_number(host.config(host.ctx, "mock.devices"), [this](std::uint64_t wanted) {
        set_count(static_cast<std::uint32_t>(wanted));
    });
    for (std::uint32_t i = 0; i < count; ++i) {
        configure_device(devices.at(i), host);
    }
}

std::uint32_t description::peer(std::uint32_t src, std::uint32_t dst,
                                std::uint32_t otherwise) const {
    const auto found = peers.find({src, dst});
    return found == peers.end() ? otherwise : found->second;
}

spoc_be_device_info describe(std::uint32_t kind, bool minimal) {
    spoc_be_device_info info{};
    info.size = sizeof info;
    info.kind = kind;
    describe_identity(info);
    describe_limits(info);
    info.caps_known[0] = SPOC_BE_CAPS_KNOWN_0;
    info.caps_known[1] = SPOC_BE_CAPS_KNOWN_1;
    info.caps_known[2] = SPOC_BE_CAPS_KNOWN_2;
    if (minimal) {
        for (const std::uint32_t capability : minimal_capabilities) {
            set_capability(info, capability, SPOC_MOCK_YES);
        }
        return info;
    }
    for (const std::uint32_t capability : discrete_capabilities) {
        set_capability(info, capability, SPOC_MOCK_YES);
    }
    info.formats = std::uint64_t{1} << SPOC_BE_FORMAT_NATIVE_SYMBOL |
                   std::uint64_t{1} << SPOC_BE_FORMAT_DRIVER_BINARY;
    const bool on_host = kind == SPOC_BE_KIND_CPU || kind == SPOC_BE_KIND_INTEGRATED;
    set_capability(info, SPOC_BE_CAP_SHARED_MEMORY, on_host ? SPOC_MOCK_YES : SPOC_MOCK_NO);
    if (kind == SPOC_BE_KIND_CPU) {
        set_capability(info, SPOC_BE_CAP_BUFFER_HOST_RANGE, SPOC_MOCK_YES);
    } else if (kind == SPOC_BE_KIND_INTEGRATED) {
        set_capability(info, SPOC_BE_CAP_BUFFER_HOST_PTR, SPOC_MOCK_YES);
        set_capability(info, SPOC_BE_CAP_BUFFER_UNIFIED, SPOC_MOCK_YES);
    }
    return info;
}

void set_capability(spoc_be_device_info& info, std::uint32_t capability, std::uint32_t answer) {
    const std::uint64_t bit = std::uint64_t{1} << (capability % 64);
    std::uint64_t& yes = info.caps[capability / 64 % 4];
    std::uint64_t& known = info.caps_known[capability / 64 % 4];
    yes = answer == SPOC_MOCK_YES ? yes | bit : yes & ~bit;
    known = answer == SPOC_MOCK_UNKNOWN ? known & ~bit : known | bit;
}

bool offers(const spoc_be_device_info& info, std::uint32_t capability) {
    const std::uint64_t bit = std::uint64_t{1} << (capability % 64);
    return (info.caps[capability / 64] & info.caps_known[capability / 64] & bit) != 0;
}

}  // namespace spoc::mock
