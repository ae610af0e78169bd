// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A copy of the recording plugin for one test. gate.h says what it does; this is its gate in C++.

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <spoc/backend.h>

#include "gate.h"
#include "support/catch.hpp"
#include "unit/core/support/temporary_folder.hpp"

namespace spoc::test {

/// Number of an entry by its name.
inline std::uint32_t entry_number(std::string_view name) {
#define SPOC_MOCK_COMPARE(number, entry, required) \
    if (name == #entry) {                          \
        return number;                             \
    }
    SPOC_BE_ENTRY_LIST(SPOC_MOCK_COMPARE)
#undef SPOC_MOCK_COMPARE
    throw std::invalid_argument("no entry of that name: " + std::string(name));
}

/// The plugin from a file of its own, so that nothing has touched its state yet. At the end of its
/// scope, when the backend has to be closed again, it checks that nothing is left and that the host
/// kept to the contract, and resets the plugin.
class recording {
 public:
    /// `name`: "mock", or "mockmin" for the one without optional entries.
    explicit recording(const std::string& name = "mock")
        : file_(folder_.write("libspoc-" + name + ".so",
                              read_file(name == "mock" ? SPOC_TEST_MOCK : SPOC_TEST_MOCKMIN))),
          table(load(file_)),
          gate(find_gate(table)) {}
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;
    ~recording() {
        gate.set_hook(nullptr, nullptr);
        CHECK(breaches() == std::vector<std::string>{});
        for (std::uint32_t kind = SPOC_MOCK_DEVICES; kind <= SPOC_MOCK_KERNELS; ++kind) {
            CAPTURE(kind);
            CHECK(gate.alive(kind) == 0);
        }
        CHECK(gate.held_open() == 0);
        gate.reset();
    }

    const std::string& file() const noexcept { return file_; }

    /* ---- configuration ---- */

    /// To be changed until the backend is opened.
    spoc_be_device_info& device(std::uint32_t index = 0) { return *gate.device(index); }
    void set_devices(std::uint32_t count) { gate.set_device_count(count); }
    void set_capability(std::uint32_t capability, std::uint32_t answer, std::uint32_t index = 0) {
        gate.set_capability(index, capability, answer);
    }
    void set(std::uint32_t setting, std::uint64_t value) { gate.set(setting, value); }
    void hold(bool on = true) { set(SPOC_MOCK_HOLD, on ? 1 : 0); }
    /// `SPOC_MOCK_WAIT_*`.
    void on_wait(std::uint64_t policy) { set(SPOC_MOCK_ON_WAIT, policy); }

    /* ---- work ---- */

    std::uint64_t pending(std::uint64_t stream = 0) const { return gate.pending(stream); }
    std::uint64_t release(std::uint64_t most = SPOC_BE_FOREVER, std::uint64_t stream = 0) const {
        return gate.release(stream, most);
    }

    /* ---- faults ---- */

    /// A fault to be filled in and given to `fail`.
    static spoc_mock_fault fault(std::string_view entry, std::int32_t status = SPOC_BE_DRIVER) {
        spoc_mock_fault told{};
        told.size = sizeof told;
        told.entry = entry_number(entry);
        told.status = status;
        return told;
    }
    void fail(const spoc_mock_fault& told) const { gate.fail(&told); }
    /// The first `skip` calls work, the `times` after them fail.
    void fail(std::string_view entry, std::int32_t status = SPOC_BE_DRIVER, std::uint64_t skip = 0,
              std::uint64_t times = 1) const {
        spoc_mock_fault told = fault(entry, status);
        told.skip = skip;
        told.times = times;
        fail(told);
    }

    /* ---- what happened ---- */

    std::uint64_t count(std::string_view entry) const { return gate.calls(entry_number(entry)); }

    /// Every record, in order; further ranges of a copy are records of their own.
    std::vector<spoc_mock_call> records() const {
        std::vector<spoc_mock_call> all;
        spoc_mock_call one{};
        one.size = sizeof one;
        while (gate.record_at(all.size(), &one) != 0) {
            all.push_back(one);
        }
        return all;
    }

    /// The records of one entry, in order.
    std::vector<spoc_mock_call> calls(std::string_view entry) const {
        std::vector<spoc_mock_call> found = records();
        const std::uint32_t number = entry_number(entry);
        std::erase_if(found, [number](const spoc_mock_call& one) { return one.entry != number; });
        return found;
    }

    /// The arguments of a launch.
    std::vector<spoc_mock_arg> args(const spoc_mock_call& launch) const {
        std::vector<spoc_mock_arg> found(gate.args(launch.number, nullptr, 0));
        gate.args(launch.number, found.data(), static_cast<std::uint32_t>(found.size()));
        return found;
    }

    /// Where the host broke the contract.
    std::vector<std::string> breaches() const {
        std::vector<std::string> all;
        char text[256];
        while (gate.breach_at(all.size(), text, sizeof text) != 0) {
            all.emplace_back(text);
        }
        return all;
    }

    void forget() const { gate.forget(); }

 private:
    static const spoc_be_table& load(const std::string& file) {
        // The host opens the same file, and gets the same module.
        void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        const void* table = library != nullptr ? ::dlsym(library, SPOC_BE_SYMBOL) : nullptr;
        if (table == nullptr) {
            throw std::runtime_error(::dlerror());
        }
        return *static_cast<const spoc_be_table*>(table);
    }

    static const spoc_mock_gate& find_gate(const spoc_be_table& table) {
        const void* found = nullptr;
        if (table.get_interface(SPOC_MOCK_GATE, sizeof(spoc_mock_gate), &found, nullptr) !=
            SPOC_BE_OK) {
            throw std::runtime_error("not the recording plugin");
        }
        return *static_cast<const spoc_mock_gate*>(found);
    }

    temporary_folder folder_;
    std::string file_;

 public:
    const spoc_be_table& table;
    const spoc_mock_gate& gate;
};

}  // namespace spoc::test
