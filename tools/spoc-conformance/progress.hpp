// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace spoc::conformance {

/// Tells a person at a terminal how far the run is, in one line that the next call replaces. With
/// `done` equal to `all` the line goes away.
void show_progress(std::size_t done, std::size_t all, const std::string& name);

/// Takes the line away when there is one. May be called by a signal handler.
void erase_progress() noexcept;

}  // namespace spoc::conformance
