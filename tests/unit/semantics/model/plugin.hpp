// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The recording plugin and libspoc over it, for a program that is no Catch2 test.

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <spoc/spoc.h>

#include "kernels.hpp"
#include "support/recording/gate.h"

namespace spoc::model {

/// Two devices with memory of their own, and one whose memory is the host's.
inline constexpr std::size_t device_count = 3;
inline constexpr std::size_t blocking_device = 0;  ///< orders streams with its default stream
inline constexpr std::size_t staging_device = 1;   ///< reads little ordinary memory by itself
inline constexpr std::size_t host_device = 2;
inline constexpr std::uint32_t argument_step = 4;  ///< of the offsets of what launches show

/// How the devices are described to the library.
struct limits {
    std::uint64_t memory = 40 << 10;   ///< bytes of each device
    std::uint64_t largest = 24 << 10;  ///< bytes of one buffer
    std::uint64_t binding = 8 << 10;   ///< bytes that one argument shows
    std::uint64_t pageable_max = 64;   ///< of `staging_device`
    std::uint64_t inline_most = 600;   ///< bytes that `blocking_device` takes in the call
    std::uint32_t inline_align = 4;
    bool has_rings = true;               ///< other staged writes go through a ring
    bool portable_from_staging = false;  ///< whether its page-locked memory serves the others

    /// Most bytes that a device takes in the call, where the range is aligned.
    std::uint64_t inline_write(std::size_t device) const {
        return !has_rings || device == blocking_device ? inline_most : 0;
    }
};

/// Started with the process's first trial, ended with its last.
class plugin {
 public:
    explicit plugin(const limits& described) : limit(described), gate(find_gate()) {
        describe();
        ::setenv("SPOC_PLUGIN_FILES", SPOC_TEST_MOCK, 1);
        check(spoc_init(nullptr, &error_));
        for (std::uint32_t i = 0; i < device_count; ++i) {
            check(spoc_device_get(i, &devices.at(i), &error_));
            open(i);
        }
        gate.forget();
    }
    plugin(const plugin&) = delete;
    plugin& operator=(const plugin&) = delete;
    ~plugin() { spoc_shutdown(nullptr); }

    /// The first sentence about a broken contract, or nothing.
    std::string breach() const {
        char text[256] = "";
        return gate.breach_at(0, text, sizeof text) != 0 ? text : "";
    }

    const limits limit;
    const spoc_mock_gate& gate;
    std::array<spoc_device, device_count> devices{};
    std::array<std::uint64_t, device_count> default_streams{};  ///< their numbers

 private:
    static const spoc_mock_gate& find_gate() {
        void* library = ::dlopen(SPOC_TEST_MOCK, RTLD_NOW | RTLD_LOCAL);
        const void* symbol = library != nullptr ? ::dlsym(library, SPOC_BE_SYMBOL) : nullptr;
        const auto* table = static_cast<const spoc_be_table*>(symbol);
        const void* found = nullptr;
        if (table == nullptr || table->get_interface(SPOC_MOCK_GATE, sizeof(spoc_mock_gate), &found,
                                                     nullptr) != SPOC_BE_OK) {
            throw std::runtime_error("the recording plugin cannot be opened");
        }
        return *static_cast<const spoc_mock_gate*>(found);
    }

    void describe() const {
        gate.set_device_count(device_count);
        gate.describe(host_device, SPOC_BE_KIND_CPU);
        for (std::uint32_t i = 0; i < device_count; ++i) {
            gate.device(i)->memory_total = limit.memory;
            gate.device(i)->max_alloc = limit.largest;
            gate.device(i)->max_binding = limit.binding;
            gate.device(i)->inline_write = limit.inline_write(i);
            gate.device(i)->inline_align = limit.inline_align;
            gate.device(i)->arg_offset_align = argument_step;
            gate.set_capability(i, SPOC_BE_CAP_ARG_OFFSET, SPOC_MOCK_YES);
            gate.set_capability(i, SPOC_BE_CAP_LAUNCH_ENQUEUED, SPOC_MOCK_YES);
        }
        add_kernels(gate);
        gate.device(staging_device)->pageable_max = limit.pageable_max;
        gate.set_capability(staging_device, SPOC_BE_CAP_STREAM_BLOCKING, SPOC_MOCK_NO);
        gate.set_capability(staging_device, SPOC_BE_CAP_PINNED_PORTABLE,
                            limit.portable_from_staging ? SPOC_MOCK_YES : SPOC_MOCK_NO);
        // Handles are used again: what is told apart by address would be mixed up.
        gate.set(SPOC_MOCK_RECYCLES, 1);
        gate.set(SPOC_MOCK_HOLD, 1);
    }

    /// Opens a device, which says the number of its default stream.
    void open(std::uint32_t index) {
        gate.forget();
        check(spoc_device_synchronize(devices.at(index), &error_));
        spoc_mock_call call{};
        call.size = sizeof call;
        for (std::uint64_t i = 0; gate.record_at(i, &call) != 0; ++i) {
            if (call.entry == spoc_mock_entry_device_open) {
                default_streams.at(index) = call.stream;
            }
        }
    }

    void check(spoc_status status) const {
        if (status != SPOC_OK) {
            throw std::runtime_error(error_.message);
        }
    }

    spoc_error error_ = SPOC_ERROR_INIT;
};

}  // namespace spoc::model
