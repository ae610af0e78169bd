// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>

#include <spoc/backend.h>

#include "cases.hpp"
#include "check.hpp"
#include "device.hpp"

/// \file
/// What the devices say about themselves, and that each can be opened and closed.

namespace spoc::conformance {
namespace {

/// Runs a check on the description of every device, open or not.
void for_each_info(device& dev, void (*check)(const spoc_be_device_info&)) {
    const std::uint32_t count = dev.owner.device_count();
    for (std::uint32_t index = 0; index < count; ++index) {
        check(dev.owner.device_info(index));
    }
}

test_case on_infos(const char* name, void (*check)(const spoc_be_device_info&)) {
    return on_device(name, [check](device& dev) { for_each_info(dev, check); });
}

template <std::size_t N>
std::string field(const spoc_be_device_info& info, const char (&chars)[N], const char* what) {
    const auto* const end = std::find(std::begin(chars), std::end(chars), '\0');
    require(end != std::end(chars), "Device ", info.index, " has a ", what, " without an end.");
    std::string words(std::begin(chars), end);
    require_plain(words, "Device ", info.index, " has a ", what);
    return words;
}

void count_is_constant(device& dev) {
    const std::uint32_t count = dev.owner.device_count();
    require(count >= 1, "The backend opened and has no device; the reason for that is NO_DEVICE.");
    for (int round = 0; round < 3; ++round) {
        dev.buffer(100);
        const std::uint32_t again = dev.owner.device_count();
        require(again == count, "device_count said ", count, " at first and ", again, " later.");
    }
}

void indices_are_right(device& dev) {
    for (std::uint32_t index = 0; index < dev.owner.device_count(); ++index) {
        const std::uint32_t said = dev.owner.device_info(index).index;
        require(said == index, "Device ", index, " says that it is number ", said, ".");
    }
}

void check_texts(const spoc_be_device_info& info) {
    require(!field(info, info.name, "name").empty(), "Device ", info.index, " has no name.");
    field(info, info.vendor, "vendor");
    field(info, info.arch, "arch");
    field(info, info.driver, "driver");
    require(!field(info, info.framework, "framework").empty(), "Device ", info.index,
            " names no framework.");
}

void check_identity(const spoc_be_device_info& info) {
    require(info.kind <= SPOC_BE_KIND_OTHER, "Device ", info.index, " is of kind ", info.kind,
            ", which the contract does not know.");
    constexpr std::uint32_t known = SPOC_BE_DEVICE_HAS_UUID | SPOC_BE_DEVICE_HAS_PCI;
    require((info.flags & ~known) == 0, "Device ", info.index, " has flags ", info.flags,
            ", of which only 3 have a meaning.");
    const bool uuid_set = std::any_of(std::begin(info.uuid), std::end(info.uuid),
                                      [](std::uint8_t byte) { return byte != 0; });
    require((info.flags & SPOC_BE_DEVICE_HAS_UUID) == 0 || uuid_set, "Device ", info.index,
            " has a UUID of zeros.");
    constexpr std::uint32_t most_bus = 255;
    constexpr std::uint32_t most_device = 31;
    constexpr std::uint32_t most_function = 7;
    require(
        (info.flags & SPOC_BE_DEVICE_HAS_PCI) == 0 ||
            (info.pci[1] <= most_bus && info.pci[2] <= most_device && info.pci[3] <= most_function),
        "Device ", info.index, " has the PCI place ", info.pci[0], ":", info.pci[1], ":",
        info.pci[2], ".", info.pci[3], ", which there is not.");
    require(info.numa_node >= SPOC_BE_NUMA_UNKNOWN, "Device ", info.index, " has the NUMA node ",
            info.numa_node, ".");
    require(
        (info.compute_major == SPOC_BE_UNKNOWN_32) == (info.compute_minor == SPOC_BE_UNKNOWN_32),
        "Device ", info.index, " knows one half of its compute capability.");
}

/// 0 is an answer only where the header gives it a meaning.
template <typename Number>
void expect_not_zero(const spoc_be_device_info& info, Number value, const char* what) {
    require(value != 0, "Device ", info.index, " says 0 for ", what,
            ", which is no limit; what is not known is all-ones.");
}

void check_memory_limits(const spoc_be_device_info& info) {
    expect_not_zero(info, info.memory_total, "memory_total");
    expect_not_zero(info, info.max_alloc, "max_alloc");
    expect_not_zero(info, info.copy_align, "copy_align");
    require(info.copy_align == 1 || info.copy_align == SPOC_BE_UNKNOWN_32, "Device ", info.index,
            " says copy_align ", info.copy_align, "; in version 1 copies are right to the byte.");
    require(info.inline_write == 0 || info.inline_align != 0, "Device ", info.index,
            " takes ranges with CONSUME_HOST and says inline_align 0.");
    require(std::isfinite(info.timer_ns) && info.timer_ns >= 0, "Device ", info.index,
            " has a timer of ", info.timer_ns, " nanoseconds a tick.");
}

void check_launch_limits(const spoc_be_device_info& info) {
    // A device that takes no program has nothing to say about launches.
    if (info.formats == 0) {
        return;
    }
    expect_not_zero(info, info.max_block_threads, "max_block_threads");
    expect_not_zero(info, info.max_binding, "max_binding");
    expect_not_zero(info, info.arg_buffers, "arg_buffers");
    expect_not_zero(info, info.arg_bytes, "arg_bytes");
    expect_not_zero(info, info.subgroup, "subgroup");
    expect_not_zero(info, info.compute_units, "compute_units");
    for (int axis = 0; axis < 3; ++axis) {
        expect_not_zero(info, info.max_block[axis], "max_block");
        expect_not_zero(info, info.max_grid[axis], "max_grid");
    }
}

void check_masks(const spoc_be_device_info& info) {
    for (std::size_t word = 0; word < 4; ++word) {
        require((info.caps[word] & ~info.caps_known[word]) == 0, "Device ", info.index,
                " claims capabilities of word ", word, " that it does not know (bits ",
                info.caps[word] & ~info.caps_known[word], ").");
    }
}

/// Capabilities that another one is a part of.
void check_dependent_claims(const spoc_be_device_info& info) {
    const struct {
        std::uint32_t claimed;
        const char* claimed_name;
        std::uint32_t needed;
        const char* needed_name;
    } rows[] = {
        {SPOC_BE_CAP_PINNED_PORTABLE, "PINNED_PORTABLE", SPOC_BE_CAP_PINNED, "PINNED"},
        {SPOC_BE_CAP_REGISTER_READ_ONLY, "REGISTER_READ_ONLY", SPOC_BE_CAP_REGISTER, "REGISTER"},
        {SPOC_BE_CAP_RAW_POINTER_ARGS, "RAW_POINTER_ARGS", SPOC_BE_CAP_BUFFER_ADDRESS,
         "BUFFER_ADDRESS"},
    };
    const auto claims = [&info](std::uint32_t capability) {
        return (info.caps[capability / 64] >> capability % 64 & 1) != 0;
    };
    for (const auto& row : rows) {
        require(!claims(row.claimed) || claims(row.needed), "Device ", info.index, " claims ",
                row.claimed_name, " without ", row.needed_name, ".");
    }
    const bool over_host =
        claims(SPOC_BE_CAP_BUFFER_HOST_RANGE) || claims(SPOC_BE_CAP_BUFFER_HOST_PTR);
    require(!over_host || info.host_ptr_align != 0, "Device ", info.index,
            " makes buffers over host memory and says host_ptr_align 0.");
    require(!claims(SPOC_BE_CAP_REGISTER) || info.register_align != 0, "Device ", info.index,
            " registers host memory and says register_align 0.");
    require(!claims(SPOC_BE_CAP_ARG_OFFSET) || info.arg_offset_align != 0, "Device ", info.index,
            " takes argument offsets and says arg_offset_align 0.");
}

void check_reserved(const spoc_be_device_info& info) {
    require(info.reserved_0 == 0 && std::all_of(std::begin(info.reserved), std::end(info.reserved),
                                                [](std::uint64_t word) { return word == 0; }),
            "Device ", info.index, " has something in a reserved field.");
}

void check_formats(const spoc_be_device_info& info) {
    const std::uint64_t known = (std::uint64_t{2} << SPOC_BE_FORMAT_DRIVER_BINARY) - 1;
    require((info.formats & ~known) == 0, "Device ", info.index, " takes program formats (bits ",
            info.formats & ~known, ") that the contract does not name.");
}

void info_is_constant(device& dev) {
    for (std::uint32_t index = 0; index < dev.owner.device_count(); ++index) {
        const spoc_be_device_info first = dev.owner.device_info(index);
        dev.buffer(4096);
        const spoc_be_device_info second = dev.owner.device_info(index);
        expect_bytes(std::as_bytes(std::span(&first, 1)), std::as_bytes(std::span(&second, 1)),
                     text("The second description of device ", index));
    }
}

spoc_be_memory_info memory_of(device& dev) {
    auto memory = sized<spoc_be_memory_info>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, dev.be.device_memory(dev.handle, &memory, &error), "device_memory",
                  error);
    return memory;
}

void memory_is_plausible(device& dev) {
    const spoc_be_memory_info memory = memory_of(dev);
    require(memory.flags == 0, "device_memory answered with flags ", memory.flags, ".");
    const bool known = memory.free != SPOC_BE_UNKNOWN_64 && memory.total != SPOC_BE_UNKNOWN_64;
    require(!known || memory.free <= memory.total, "device_memory says that ", memory.free,
            " bytes of ", memory.total, " are free.");
    require(memory.total == SPOC_BE_UNKNOWN_64 || dev.info.memory_total == SPOC_BE_UNKNOWN_64 ||
                memory.total == dev.info.memory_total,
            "device_memory says ", memory.total, " bytes in all and device_info ",
            dev.info.memory_total, ".");
    require(memory.total != 0, "device_memory says that the device has no memory.");
    require(dev.can(SPOC_BE_CAP_MEMORY_FREE) == (memory.free != SPOC_BE_UNKNOWN_64),
            "device_memory says ", memory.free, " bytes free, and MEMORY_FREE is ",
            dev.can(SPOC_BE_CAP_MEMORY_FREE) ? "yes." : "not yes.");
}

/* ---- opening ---- */

spoc_be_device_result open_device(const backend& opened, std::uint32_t index) {
    const auto desc = sized<spoc_be_device_desc>();
    auto made = sized<spoc_be_device_result>();
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, opened.be.device_open(index, &desc, &made, &error), "device_open",
                  error);
    require(made.device != nullptr && made.default_stream != nullptr && made.flags == 0,
            "device_open answered OK for device ", index,
            " without a device, without a default stream, or with flags.");
    return made;
}

void close_device(const backend& opened, spoc_be_device device) {
    auto error = sized<spoc_be_error>();
    expect_status(SPOC_BE_OK, opened.be.device_close(device, &error), "device_close", error);
}

void every_device_reopens(const subject& subject) {
    backend opened(subject);
    for (std::uint32_t index = 0; index < opened.device_count(); ++index) {
        for (int round = 0; round < 20; ++round) {
            close_device(opened, open_device(opened, index).device);
        }
    }
    opened.close();
}

void work_after_reopening(const subject& subject) {
    backend opened(subject);
    for (std::uint64_t round = 0; round < 5; ++round) {
        device dev(opened, subject.device_index);
        const byte_vector contents = pattern(3000, round);
        const spoc_be_buffer buffer = dev.buffer(contents);
        expect_bytes(contents, dev.download(buffer, 0, contents.size()),
                     text("The buffer after the device was opened ", round + 1, " times"));
        dev.finish();
    }
    opened.close();
}

void two_devices_at_once(const subject& subject) {
    backend opened(subject);
    if (opened.device_count() < 2) {
        skip("The backend has one device.");
    }
    device first(opened, 0);
    device second(opened, 1);
    require(first.handle != second.handle && first.default_stream != second.default_stream,
            "Two open devices have one handle, or one default stream.");
    const spoc_be_buffer in_first = first.buffer(pattern(5000, 1));
    const spoc_be_buffer in_second = second.buffer(pattern(5000, 2));
    expect_bytes(pattern(5000, 1), first.download(in_first, 0, 5000),
                 "The first device's buffer while the second is used");
    expect_bytes(pattern(5000, 2), second.download(in_second, 0, 5000),
                 "The second device's buffer while the first is used");
    first.finish();
    expect_bytes(pattern(5000, 2), second.download(in_second, 0, 5000),
                 "The second device's buffer after the first was closed");
    second.finish();
    opened.close();
}

}  // namespace

void add_device_cases(case_list& cases) {
    cases.push_back(on_device("device/count_is_constant", count_is_constant));
    cases.push_back(on_device("device/indices", indices_are_right));
    cases.push_back(on_infos("device/texts", check_texts));
    cases.push_back(on_infos("device/identity", check_identity));
    cases.push_back(on_infos("device/memory_limits", check_memory_limits));
    cases.push_back(on_infos("device/launch_limits", check_launch_limits));
    cases.push_back(on_infos("device/capability_masks", check_masks));
    cases.push_back(on_infos("device/dependent_claims", check_dependent_claims));
    cases.push_back(on_infos("device/formats", check_formats));
    cases.push_back(on_infos("device/reserved_fields", check_reserved));
    cases.push_back(on_device("device/info_is_constant", info_is_constant));
    cases.push_back(on_device("device/memory", memory_is_plausible));
    cases.push_back({.name = "device/reopened", .run = every_device_reopens});
    cases.push_back({.name = "device/work_after_reopening", .run = work_after_reopening});
    cases.push_back({.name = "device/two_at_once", .run = two_devices_at_once});
}

}  // namespace spoc::conformance
