// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spoc::detail {

/// The process's switch: whether old host copies are brought up to date without being asked to.
/// Any thread.
bool auto_sync_is_on() noexcept;

}  // namespace spoc::detail
