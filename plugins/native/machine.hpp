// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>

namespace spoc::native {

/// Bytes; all-ones where the system does not say.
struct memory_state {
    uint64_t total;
    uint64_t available;  ///< what can be had without swapping
};

/// What does not change while the process lives. Trivially destructible: threads may read it while
/// the process exits.
struct machine {
    char architecture[64];
    char name[256];
    char vendor[64];
    cpu_set_t cpus;         ///< CPUs this process may use
    uint32_t cpu_count;     ///< of them; all-ones when `cpus` could not be read
    uint32_t clock_khz;     ///< all-ones unknown
    uint64_t memory_total;  ///< all-ones unknown
    bool memory_readable;   ///< whether `read_memory` says how much is available
};

/// Read once, at the first call.
const machine& this_machine();

/// The machine's memory at this moment, or what the process's control group (version 2) and those
/// above it leave of it. The arguments are for tests.
memory_state read_memory(const std::string& proc = "/proc",
                         const std::string& cgroups = "/sys/fs/cgroup");

}  // namespace spoc::native
