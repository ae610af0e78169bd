// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A launch that a trial makes: what is given to the library, and what is to come of it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <spoc/launch.h>

#include "kernels.hpp"
#include "trial.hpp"

namespace spoc::model {

/// One argument: a vector, a buffer, or neither for a number.
struct launch_argument {
    std::uint32_t index = 0;
    vector_model* vector = nullptr;
    buffer_model* buffer = nullptr;
    std::uint32_t access = SPOC_ACCESS_UNKNOWN;  ///< as given
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;  ///< as given; 0: to the end
    bool writes = false;      ///< what the library takes it for

    bool is_memory() const { return vector != nullptr || buffer != nullptr; }
    std::uint64_t size() const { return vector != nullptr ? vector->bytes() : buffer->bytes; }
    bool is_inside() const { return offset <= size() && bytes <= size() - offset; }
    /// Of a range that is inside.
    std::uint64_t shown() const { return bytes != 0 ? bytes : size() - offset; }
    /// Whether the vector need not be brought over.
    bool overwrites() const { return access == SPOC_ACCESS_OUT_FULL && shown() == size(); }
    bool shares_bytes(const launch_argument& other) const {
        return vector == other.vector && buffer == other.buffer &&
               offset < other.offset + other.shown() && other.offset < offset + shown();
    }
    const memory_pointer& memory_on(std::size_t device) const {
        return vector != nullptr ? vector->on.at(device) : buffer->memory;
    }
};

struct launch_plan {
    std::size_t device = 0;
    std::size_t kernel = 0;   ///< of `kernels()`
    lane* on = nullptr;       ///< null: no stream is given
    std::uint32_t count = 1;  ///< bytes that the kernel works on, of each argument
    std::uint32_t number = 0;
    std::vector<launch_argument> all{};  ///< by parameter
    std::vector<spoc_argument> given{};
    spoc_launch_options options{};

    const kernel_kind& kind() const { return kernels().at(kernel); }
    bool works_in_host_memory() const {
        return device == host_device &&
               std::any_of(all.begin(), all.end(), [](const launch_argument& one) {
                   return one.vector != nullptr && one.vector->has_host();
               });
    }
    /// Of an argument that is memory, which exists.
    extent part(const launch_argument& one) const {
        return {one.memory_on(device)->in, static_cast<std::size_t>(one.offset), count};
    }
    /// Of memory that exists.
    std::vector<touch> touches() const {
        std::vector<touch> made;
        for (const launch_argument& one : all) {
            if (one.is_memory() && one.memory_on(device) != nullptr) {
                made.push_back({part(one), kind().writes(one.index)});
            }
        }
        return made;
    }
    /// The kernel, on the memory of the reference.
    std::function<void()> effect() const {
        std::vector<extent> parts;
        for (const launch_argument& one : all) {
            parts.push_back(one.is_memory() ? part(one) : extent{});
        }
        return [parts, run = kind().run, number = number, count = count]() mutable {
            std::vector<void*> places;
            places.reserve(parts.size());
            for (const extent& one : parts) {
                places.push_back(one.in != nullptr ? static_cast<void*>(one.data()) : &number);
            }
            spoc_native_block block{};
            block.size = sizeof block;
            block.grid[0] = count;
            for (; block.index[0] < count; ++block.index[0]) {
                run(&block, places.data());
            }
        };
    }
};

}  // namespace spoc::model
