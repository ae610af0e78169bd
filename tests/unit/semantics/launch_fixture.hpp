// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Kernels on two devices of the recording plugin, and a cache of compiled programs of the test's
/// own.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "vector_fixture.hpp"

namespace spoc::test {

/* ---- Kernels ---- */

inline spoc_be_param parameter(std::uint32_t index, std::uint32_t kind, std::uint32_t access,
                               std::uint32_t element, std::uint32_t size) {
    spoc_be_param made{};
    made.index = index;
    made.kind = kind;
    made.access = access;
    made.element = element;
    made.bytes = size;
    made.set = made.binding = made.offset = SPOC_BE_UNKNOWN_32;
    return made;
}
inline spoc_be_param buffer_of(std::uint32_t index, std::uint32_t access,
                               std::uint32_t element = SPOC_ELEMENT_I32, std::uint32_t size = 4) {
    return parameter(index, SPOC_PARAMETER_BUFFER, access, element, size);
}
inline spoc_be_param scalar_of(std::uint32_t index, std::uint32_t element = SPOC_ELEMENT_I32,
                               std::uint32_t size = 4) {
    return parameter(index, SPOC_PARAMETER_SCALAR, SPOC_ACCESS_IN, element, size);
}

/// A kernel of the plugin's: its parameters and its function.
struct test_kernel {
    test_kernel(std::vector<spoc_be_param> all, spoc_native_function run)
        : parameters(std::move(all)),
          description{SPOC_NATIVE_KERNEL_MAGIC, sizeof(spoc_native_kernel),
                      static_cast<std::uint32_t>(parameters.size()), parameters.data(), run} {}
    test_kernel(const test_kernel&) = delete;
    test_kernel& operator=(const test_kernel&) = delete;

    std::vector<spoc_be_param> parameters;
    spoc_native_kernel description;
};

inline void do_nothing(const spoc_native_block*, void* const*) {}

// Without signs, since what a test left in memory may overflow.

/// `data[i] += amount`, one element a block.
inline void add_amount(const spoc_native_block* block, void* const* args) {
    static_cast<std::uint32_t*>(args[0])[block->index[0]] +=
        *static_cast<const std::uint32_t*>(args[1]);
}
/// `sum[i] = a[i] + b[i]`.
inline void add_both(const spoc_native_block* block, void* const* args) {
    const std::uint32_t i = block->index[0];
    static_cast<std::uint32_t*>(args[2])[i] = static_cast<const std::uint32_t*>(args[0])[i] +
                                              static_cast<const std::uint32_t*>(args[1])[i];
}
/// `first[i] += the length behind second`, and the other way round.
inline void add_lengths(const spoc_native_block* block, void* const* args) {
    const std::uint32_t i = block->index[0];
    static_cast<std::uint32_t*>(args[0])[i] += *static_cast<const std::uint32_t*>(args[3]);
    static_cast<std::uint32_t*>(args[2])[i] += *static_cast<const std::uint32_t*>(args[1]);
}

inline const test_kernel& named_kernel(const std::string& name) {
    static const test_kernel add({buffer_of(0, SPOC_ACCESS_INOUT), scalar_of(1)}, add_amount);
    static const test_kernel sum(
        {buffer_of(0, SPOC_ACCESS_IN), buffer_of(1, SPOC_ACCESS_IN), buffer_of(2, SPOC_ACCESS_OUT)},
        add_both);
    static const test_kernel lengths({buffer_of(0, SPOC_ACCESS_INOUT), scalar_of(1),
                                      buffer_of(2, SPOC_ACCESS_INOUT), scalar_of(3)},
                                     add_lengths);
    static const test_kernel doubles({buffer_of(0, SPOC_ACCESS_INOUT, SPOC_ELEMENT_F64, 8)},
                                     do_nothing);
    static const test_kernel longs({scalar_of(0, SPOC_ELEMENT_I64, 8)}, do_nothing);
    static const test_kernel half({scalar_of(0, SPOC_ELEMENT_F16, 2)}, do_nothing);
    static const test_kernel halves({buffer_of(0, SPOC_ACCESS_INOUT, SPOC_ELEMENT_F16, 2)},
                                    do_nothing);
    static const test_kernel fours({buffer_of(0, SPOC_ACCESS_INOUT, SPOC_ELEMENT_F32, 16)},
                                   do_nothing);
    static const test_kernel records({buffer_of(0, SPOC_ACCESS_INOUT, SPOC_ELEMENT_RECORD, 12)},
                                     do_nothing);
    static const test_kernel room(
        {buffer_of(0, SPOC_ACCESS_INOUT),
         parameter(1, SPOC_PARAMETER_LOCAL, SPOC_ACCESS_UNKNOWN, SPOC_ELEMENT_UNKNOWN, 0)},
        do_nothing);
    static const test_kernel sixteen(
        [] {
            std::vector<spoc_be_param> all;
            for (std::uint32_t i = 0; i < 16; ++i) {
                all.push_back(buffer_of(i, SPOC_ACCESS_INOUT));
            }
            return all;
        }(),
        do_nothing);
    static const test_kernel none({}, do_nothing);
    const struct {
        const char* name;
        const test_kernel& kernel;
    } all[] = {{"add", add},         {"sum", sum},   {"lengths", lengths}, {"doubles", doubles},
               {"longs", longs},     {"half", half}, {"halves", halves},   {"fours", fours},
               {"records", records}, {"room", room}, {"sixteen", sixteen}, {"none", none}};
    for (const auto& one : all) {
        if (name == one.name) {
            return one.kernel;
        }
    }
    throw std::invalid_argument(name);
}

/* ---- The fixture ---- */

/// Programs that were compiled are kept in a folder of the test's.
class cache_home {
 public:
    cache_home() {
        if (const char* const before = std::getenv("XDG_CACHE_HOME")) {
            before_ = before;
        }
        ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    }
    cache_home(const cache_home&) = delete;
    cache_home& operator=(const cache_home&) = delete;
    ~cache_home() {
        if (before_) {
            ::setenv("XDG_CACHE_HOME", before_->c_str(), 1);
        } else {
            ::unsetenv("XDG_CACHE_HOME");
        }
    }

    /// Every file in it.
    std::vector<std::filesystem::path> files() const {
        std::vector<std::filesystem::path> found;
        for (const auto& one : std::filesystem::recursive_directory_iterator(folder_.path())) {
            if (one.is_regular_file()) {
                found.push_back(one.path());
            }
        }
        return found;
    }
    const std::filesystem::path& path() const { return folder_.path(); }

 private:
    temporary_folder folder_;
    std::optional<std::string> before_;
};

/// Two devices with every kernel above in the plugin, and of the formats also OpenCL C.
class launching : public two_devices {
 public:
    launching() {
        add_kernels();
        for (std::uint32_t i = 0; i < 2; ++i) {
            mock.device(i).formats |= 1U << SPOC_FORMAT_OPENCL_C;
        }
    }

    void add_kernels() {
        for (const char* const name : {"add", "sum", "lengths", "doubles", "longs", "half",
                                       "halves", "fours", "records", "room", "sixteen", "none"}) {
            mock.gate.add_kernel(name, &named_kernel(name).description);
        }
    }

    void begin_launching() {
        begin();
        mock.forget();
    }

    /// A kernel on `d`, or on `where`.
    kernel get(const std::string& name, const kernel_options& options = {}) {
        return get(name, *d, options);
    }
    kernel get(const std::string& name, const device& where, const kernel_options& options = {}) {
        const program all(where, SPOC_FORMAT_NATIVE_SYMBOL, "");
        return kernel(all, name, options);
    }

    /// From now on work is held, and a wait for it fails instead of running it.
    void hold() {
        mock.hold();
        mock.on_wait(SPOC_MOCK_WAIT_FAIL);
    }
    /// What is held runs, and nothing is held any more.
    void let_go() {
        mock.hold(false);
        mock.on_wait(SPOC_MOCK_WAIT_RUN);
        mock.release();
    }

    cache_home cache;
};

/// Eight elements, one a block.
inline const launch_shape one_each{.grid = static_cast<std::uint32_t>(elements)};

inline std::vector<std::int32_t> plus(std::vector<std::int32_t> all, std::int32_t amount) {
    for (std::int32_t& one : all) {
        one += amount;
    }
    return all;
}

}  // namespace spoc::test
