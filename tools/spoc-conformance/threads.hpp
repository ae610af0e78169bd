// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <spoc/backend.h>

#include "device.hpp"

/// \file
/// Cases with threads: how they start, and things made by a thread of its own, since `device` keeps
/// its list for one thread only.

namespace spoc::conformance {

inline constexpr std::uint32_t thread_count = 8;

/// Runs `action` in `thread_count` threads, with the number of each, all released at once; then
/// throws what the first of them threw.
void in_threads(const std::function<void(std::uint32_t)>& action);

spoc_be_buffer make_buffer(const device& dev, std::uint64_t bytes);
void end_buffer(const device& dev, spoc_be_buffer buffer);
spoc_be_stream make_stream(const device& dev);
void end_stream(const device& dev, spoc_be_stream stream);
spoc_be_event make_event(const device& dev);
void end_event(const device& dev, spoc_be_event event);

/// Each thread's own stream, with host memory that every copy takes.
struct thread_lane {
    spoc_be_stream stream = nullptr;
    page_locked memory;
    byte_vector ordinary;
};

/// One for each thread; they live until the case ends.
std::vector<thread_lane> make_lanes(device& dev, std::uint64_t bytes);

}  // namespace spoc::conformance
