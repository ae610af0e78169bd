// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/host.hpp"
#include "thread_pool.hpp"

namespace spoc::native {

/// What lives from `open` to `close`.
struct backend {
    plugin::host host;
    thread_pool* pool = nullptr;
};

/// The plugin's only mutable global beside the registry of kernels. Nothing of it is destroyed at
/// exit: threads of the application may still be in an entry then.
inline constinit backend the_backend;

}  // namespace spoc::native
